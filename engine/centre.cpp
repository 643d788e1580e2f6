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
          "'recenter' cannot be combined with a force term of many atoms that is not invariant under translation: the "
          "change in its energy would be missing from the ledger (leave 'recenter' out; then nothing is recentred)");
  return which;
}

namespace {

/// The atoms over which centres and momenta are summed: all with mass, or the droplet's members among them.
struct SummedAtoms {
  const Particles& p;
  bool of_droplet;

  bool has(std::size_t i) const { return p.mass[i] > 0 && (!of_droplet || p.is_in(i, field::kInDroplet)); }
  /// Returns Σ value(i) over them.
  template <class T, class Value>
  T sum(Cpu cpu, const Value& value) const {
    return ordered_sum<T>(cpu, p.size(), [&](std::size_t i) { return has(i) ? value(i) : T{}; });
  }
  double mass(Cpu cpu) const {
    return sum<double>(cpu, [&](std::size_t i) { return p.mass[i]; });
  }
  /// Returns the mass-weighted mean of a vector over them; zero without atoms.
  Vec3<double> mass_mean(Cpu cpu, const std::vector<Vec3<double>>& of) const {
    const double all = mass(cpu);
    if (all == 0) return {};
    return (1.0 / all) * sum<Vec3<double>>(cpu, [&](std::size_t i) { return p.mass[i] * of[i]; });
  }
};

void remove_linear(Cpu cpu, const SummedAtoms& atoms, std::vector<Vec3<double>>& velocity) {
  const Vec3<double> drift = atoms.mass_mean(cpu, velocity);
  for_each_index(cpu, velocity.size(), [&](std::size_t i) {
    if (atoms.has(i)) velocity[i] -= drift;
  });
}

void remove_angular(Cpu cpu, const SummedAtoms& atoms, std::vector<Vec3<double>>& velocity) {
  const Particles& p = atoms.p;
  const Vec3<double> centre = atoms.mass_mean(cpu, p.position), drift = atoms.mass_mean(cpu, velocity);
  const auto sums = atoms.sum<RotationSums>(
      cpu, [&](std::size_t i) { return RotationSums(p.mass[i], p.position[i] - centre, velocity[i] - drift); });
  const Vec3<double> rate = sums.rate();
  for_each_index(cpu, velocity.size(), [&](std::size_t i) {
    if (atoms.has(i)) velocity[i] -= cross(rate, p.position[i] - centre);
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
  return SummedAtoms{p, which == Recenter::droplet}.mass_mean(cpu, p.position);
}

void recenter(Cpu cpu, Particles& p, Recenter which) {
  if (which == Recenter::none) return;
  const Vec3<double> centre = centre_of(cpu, p, which);
  for_each_index(cpu, p.size(), [&](std::size_t i) { p.position[i] -= centre; });
}

void remove_momentum(Cpu cpu, Particles& p, RemoveMomentum which, bool of_droplet) {
  const SummedAtoms atoms{p, of_droplet};
  if (removes_linear(which)) remove_linear(cpu, atoms, p.velocity);
  if (removes_angular(which)) remove_angular(cpu, atoms, p.velocity);
}

std::size_t removed_degrees(std::size_t n_with_mass, RemoveMomentum which) {
  const std::size_t linear = removes_linear(which) ? 3 : 0;
  const std::size_t rotations = n_with_mass >= 3 ? 3 : n_with_mass == 2 ? 2 : 0;
  return linear + (removes_angular(which) ? rotations : 0);
}

}  // namespace dropmd
