#include "engine/skin.h"

#include <algorithm>
#include <cmath>

#include "forces/pair_search.h"

namespace dropmd {

namespace {

/// What making a search anew costs, in evaluations of its forces; measured on an H200, of sorted cells on a CPU, too,
/// where it is the same.
double build_price(const Method& method, const System& system) {
  const std::size_t n_atoms = system.particles.size();
  if (method.neighbor != NeighborMethod::pair_list) return 0.5;
  const PairSearch search{.method = method.neighbor, .form = method.list_form};
  if (method.backend == Backend::cuda && is_by_twins(search, system.model, method.precision, n_atoms)) return 4.0;
  return 2.0 + 1.2e4 / std::max(1.0, static_cast<double>(n_atoms));
}

}  // namespace

Method with_fitting_skin(Method method, const System& system, const RunConfig& config) {
  if (config.skin || !needs_cutoff(method.neighbor)) return method;
  const double cutoff = system.model.cutoff();
  const Particles& particles = system.particles;
  // Mean square of a velocity's component: of the start, or of a thermostat where that is hotter.
  double square = 0, lightest = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    square += dot(particles.velocity[i], particles.velocity[i]) / (3.0 * static_cast<double>(particles.size()));
    lightest = i == 0 ? particles.mass[i] : std::min(lightest, particles.mass[i]);
  }
  if (const double temperature = config.integrator.value_or("temperature", 0.0); temperature > 0)
    square = std::max(square, system.units.boltzmann * temperature * system.units.acceleration / lightest);
  // The fastest of many atoms is some 4.5 times as fast. With f the price of a step's forces and b that of a list, the
  // price f (1 + s/cutoff)^3 + b 2 move/s is least about s^2 = (b/f) (2/3) move cutoff.
  const double move = 4.5 * std::sqrt(square) * config.integrator.value_or("timestep", 0.0);
  const double best = std::sqrt(build_price(method, system) * (2.0 / 3.0) * move * cutoff);
  method.skin = std::clamp(best, 0.02 * cutoff, 0.3 * cutoff);
  return method;
}

}  // namespace dropmd
