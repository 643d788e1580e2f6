#include "engine/centre.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/ordered_sum.h"
#include "engine/model/invariance.h"
#include "engine/rotation.h"
#include "integrators/integrator.h"

namespace dropmd {

Recenter recentring(const IntegrationSettings& settings, const System& system) {
  const Recenter which = recentring(settings, invariance_of(system));
  if (which == Recenter::none || is_minimizer(settings.integrator)) return which;
  for (const auto& term : system.terms)
    if (!term->invariance().translation)
      throw std::invalid_argument(
          "'recenter' is set beside a force term of many atoms that is not invariant under translation; the change of "
          "its energy would be missing in the ledger (leave 'recenter' out, and nothing is recentred)");
  return which;
}

namespace {

double total_mass(Cpu cpu, const Particles& p) {
  return ordered_sum<double>(cpu, p.size(), [&](std::size_t i) { return p.mass[i]; });
}

void remove_linear(Cpu cpu, Particles& p) {
  const auto momentum =
      ordered_sum<Vec3<double>>(cpu, p.size(), [&](std::size_t i) { return p.mass[i] * p.velocity[i]; });
  const Vec3<double> drift = (1.0 / total_mass(cpu, p)) * momentum;
  for_each_index(cpu, p.size(), [&](std::size_t i) {
    if (p.mass[i] > 0) p.velocity[i] -= drift;
  });
}

void remove_angular(Cpu cpu, Particles& p) {
  const Vec3<double> centre = centre_of(cpu, p, Recenter::mass);
  const Vec3<double> drift = (1.0 / total_mass(cpu, p)) * ordered_sum<Vec3<double>>(cpu, p.size(), [&](std::size_t i) {
                               return p.mass[i] * p.velocity[i];
                             });
  const auto sums = ordered_sum<RotationSums>(cpu, p.size(), [&](std::size_t i) {
    return RotationSums(p.mass[i], p.position[i] - centre, p.velocity[i] - drift);
  });
  const Vec3<double> rate = sums.rate();
  for_each_index(cpu, p.size(), [&](std::size_t i) {
    if (p.mass[i] > 0) p.velocity[i] -= cross(rate, p.position[i] - centre);
  });
}

}  // namespace

Vec3<double> centre_of(Cpu cpu, const Particles& p, Recenter which) {
  if (which == Recenter::none || p.size() == 0) return {};
  if (which == Recenter::geometric) {
    const auto sum = ordered_sum<Vec3<double>>(
        cpu, p.size(), [&](std::size_t i) { return p.mass[i] > 0 ? p.position[i] : Vec3<double>{}; });
    const auto n = count_with_mass(p.mass);
    return (1.0 / static_cast<double>(n)) * sum;
  }
  const auto sum = ordered_sum<Vec3<double>>(cpu, p.size(), [&](std::size_t i) { return p.mass[i] * p.position[i]; });
  return (1.0 / total_mass(cpu, p)) * sum;
}

void recenter(Cpu cpu, Particles& p, Recenter which) {
  if (which == Recenter::none) return;
  const Vec3<double> centre = centre_of(cpu, p, which);
  for_each_index(cpu, p.size(), [&](std::size_t i) { p.position[i] -= centre; });
}

void remove_momentum(Cpu cpu, Particles& p, RemoveMomentum which) {
  if (p.size() == 0) return;
  if (removes_linear(which)) remove_linear(cpu, p);
  if (removes_angular(which)) remove_angular(cpu, p);
}

std::size_t removed_degrees(const Particles& p, RemoveMomentum which) {
  const std::size_t linear = removes_linear(which) ? 3 : 0;
  const auto n = count_with_mass(p.mass);
  const std::size_t rotations = n >= 3 ? 3 : n == 2 ? 2 : 0;
  return linear + (removes_angular(which) ? rotations : 0);
}

}  // namespace dropmd
