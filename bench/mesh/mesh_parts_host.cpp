#include <algorithm>
#include <cmath>
#include <cstring>

#include "bench/fma_rate.h"
#include "bench/mesh/mesh_parts.h"
#include "core/lanes/simd_lanes.h"
#include "core/parallel_for.h"
#include "core/statistics/median_time.h"
#include "forces/mesh/coulomb_split.h"
#include "forces/mesh/cpu/padded_convolution.h"
#include "forces/mesh/influence_function.h"
#include "forces/mesh/mesh_potential.h"

namespace dropmd {

namespace {

template <class Work>
double seconds_of(const Work& work) {
  constexpr double kMicro = 1e-6;
  constexpr std::size_t kMostCalls = 21;
  return kMicro * median_microseconds(work, kMostCalls);
}

/// Returns the multiply-adds of a precision that all threads complete in a second.
double host_multiply_adds(Cpu cpu, Precision precision) {
  const int width = precision == Precision::mixed ? LaneTraits<Pack<float>>::kWidth : LaneTraits<Pack<double>>::kWidth;
  return std::max(1, cpu.threads) * width * fma_packs_per_second();
}

/// Returns the bytes that all threads read and write in a second when they copy memory that no cache holds.
double copied_bytes_per_second(Cpu cpu) {
  constexpr std::size_t kBytes = std::size_t{1} << 27, kPiece = std::size_t{1} << 20;
  const std::vector<char> from(kBytes, 1);
  std::vector<char> to(kBytes);
  const double seconds = seconds_of([&] {
    parallel_for(cpu, kBytes / kPiece,
                 [&](std::size_t k) { std::memcpy(to.data() + k * kPiece, from.data() + k * kPiece, kPiece); });
  });
  return 2 * static_cast<double>(kBytes) / seconds;
}

}  // namespace

std::optional<double> MeshTimes::of(const std::string& part) const {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const MeshPartTime& time) { return time.part == part; });
  return found == parts.end() ? std::nullopt : std::optional(found->seconds);
}

MeshTimes time_mesh_host(Cpu cpu, Precision pair_precision, const MeshBenchCase& timed) {
  const MeshParameters& parameters = timed.term.parameters();
  const CoulombSplit split(parameters.cutoff, parameters.bandwidth);
  const MeshBox& box = timed.region.box;
  MeshTimes times;
  PaddedConvolution convolution(box, InfluenceFunction::make(cpu, split, box, parameters.order, box.diagonal()));
  // Rows have zeros behind their points.
  const std::size_t row = PaddedConvolution::row(box), n_z = static_cast<std::size_t>(box.points[2]);
  std::vector<double> values(box.size() / n_z * row);
  const double transforms = seconds_of([&] {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = k % row < n_z ? 1 : 0;
    convolution.apply(cpu, values);
  });
  MeshPotential mesh(cpu, split, box, parameters.order, box.diagonal());
  const std::size_t n = timed.on_mesh.size();
  std::vector<double> potential(n);
  std::vector<Vec3<double>> gradient(n);
  const double all =
      seconds_of([&] { mesh.evaluate(cpu, timed.on_mesh.position, timed.on_mesh.charge, potential, gradient); });

  const Particles& particles = timed.particles;
  const auto term = timed.term.on_host(cpu, particles);
  std::vector<Vec3<double>> force(particles.size());
  Energies energies;
  const double whole = seconds_of([&] {
    term->evaluate({particles.position, 0}, Want::forces, true, force, energies);
  });
  times.parts = {{"spread, gather", std::max(0.0, all - transforms)}, {"transforms", transforms}};
  if (timed.n_outside > 0) times.parts.push_back({"outside", std::max(0.0, whole - all)});
  times.parts.push_back({"mesh", whole});
  const double multiply_adds = host_multiply_adds(cpu, Precision::fp64);
  times.rates = {copied_bytes_per_second(cpu), multiply_adds, multiply_adds, host_multiply_adds(cpu, pair_precision)};
  return times;
}

}  // namespace dropmd
