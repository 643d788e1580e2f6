#include "engine/methods/workload.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/parallel_for.h"

namespace dropmd {

namespace {

/// Number of atoms whose neighbours are counted: their mean differs from that of all atoms by a few per cent, which
/// does not affect the choice of a method.
constexpr std::size_t kSample = 256;

/// Speed of the fastest of many atoms, relative to the root mean square of a velocity component.
constexpr double kFastest = 4.5;

std::uint64_t count_near(std::span<const Vec3<double>> position, const Vec3<double>& centre, double cutoff) {
  std::uint64_t n = 0;
  for (const Vec3<double>& x : position) n += dot(x - centre, x - centre) < cutoff * cutoff ? 1U : 0U;
  return n;
}

double sampled_pairs(std::span<const Vec3<double>> position, double cutoff, Cpu cpu) {
  const std::size_t n = position.size(), n_sampled = std::min(n, kSample);
  if (n_sampled == 0) return 0;
  std::vector<std::uint64_t> near(n_sampled);
  parallel_for(cpu, n_sampled, [&](std::size_t k) {
    near[k] = count_near(position, position[k * n / n_sampled], cutoff) - 1;  // without the atom itself
  });
  const auto all = static_cast<double>(std::accumulate(near.begin(), near.end(), std::uint64_t{0}));
  return 0.5 * all * static_cast<double>(n) / static_cast<double>(n_sampled);
}

double fastest_move(const System& system, const RunSettings& config, double fastest) {
  const std::vector<double>& mass = system.particles.mass;
  double lightest = std::numeric_limits<double>::infinity();
  for (const double m : mass)
    if (m > 0) lightest = std::min(lightest, m);  // virtual sites have none
  if (std::isinf(lightest)) return 0;
  const double bath = system.units.boltzmann * config.integrator.value_or("temperature", 0.0);
  const double thermal = kFastest * std::sqrt(bath * system.units.acceleration / lightest);
  return std::max(fastest, thermal) * config.integrator.value_or("timestep", 0.0);
}

}  // namespace

double largest_speed(const Particles& particles) {
  double square = 0;
  for (const Vec3<double>& v : particles.velocity) square = std::max(square, dot(v, v));
  return std::sqrt(square);
}

Workload workload_of(const System& system, const RunSettings& config, const StepSums& sums) {
  return {static_cast<double>(system.particles.size()), static_cast<double>(sums.pairs.pairs_within_cutoff),
          fastest_move(system, config, sums.fastest)};
}

Workload workload_at_start(const System& system, const RunSettings& config, Cpu cpu) {
  const Particles& particles = system.particles;
  const double cutoff = system.model.cutoff();
  return {static_cast<double>(particles.size()),
          std::isfinite(cutoff) && cutoff > 0 ? sampled_pairs(particles.position, cutoff, cpu) : 0,
          fastest_move(system, config, largest_speed(particles))};
}

}  // namespace dropmd
