#include "engine/molecules/motion_plans.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/topology/present_atoms.h"
#include "engine/molecules/molecules.h"

namespace dropmd {

namespace {

/// Names of all atoms take longer than a plan, so they are made for a message alone.
template <class Plan>
auto planned(const System& system, const Plan& plan) {
  const PresentAtoms present(system.particles);
  try {
    return plan(present, std::span<const std::string>());
  } catch (const InputError&) {
    if (!system.molecules) throw;
    return of_topology(*system.molecules, [&](std::span<const std::string> names) { return plan(present, names); });
  }
}

/// Returns the masses by number; those of atoms that have left do not matter.
std::vector<double> mass_by_number(const Particles& particles, std::size_t n_numbers) {
  std::vector<double> mass(n_numbers, 1.0);
  for (std::size_t i = 0; i < particles.size(); ++i) mass[particles.id_of(i) - 1] = particles.mass[i];
  return mass;
}

std::size_t numbers_of(const System& system) {
  const Particles& p = system.particles;
  return std::max<std::size_t>(p.first_unused_id() - 1, p.size() == 0 ? 0 : p.id_of(p.size() - 1));
}

}  // namespace

ConstraintPlan constraints_of(const System& system) {
  if (!system.topology || system.topology->constraints.empty()) return {};
  if (system.constraints) return present_part(*system.constraints, PresentAtoms(system.particles));
  const std::vector<double> mass = mass_by_number(system.particles, numbers_of(system));
  return planned(system, [&](const PresentAtoms& present, std::span<const std::string> names) {
    return plan_constraints(*system.topology, mass, present, names);
  });
}

void keep_constraints(System& system) {
  if (system.constraints || !system.topology || system.topology->constraints.empty()) return;
  const std::vector<double> mass = mass_by_number(system.particles, numbers_of(system));
  system.constraints = std::make_shared<const ConstraintPlan>(plan_constraints(*system.topology, mass));
}

std::size_t count_constraints(const System& system, std::span<const char> counts) {
  if (!system.topology) return 0;
  const PresentAtoms present(system.particles);
  if (system.constraints) return count_constraints(*system.constraints, present, counts);
  std::vector<AtomNumbers<2>> joined;  // a topology may have a constraint twice
  for (const Constraint& constraint : system.topology->constraints) {
    const auto [first, second] = std::minmax(constraint.atom[0], constraint.atom[1]);
    if (present.contains(constraint.atom) && (counts.empty() || counts[present.of(first)] != 0))
      joined.push_back({first, second});
  }
  if (!std::is_sorted(joined.begin(), joined.end())) std::sort(joined.begin(), joined.end());
  return static_cast<std::size_t>(std::unique(joined.begin(), joined.end()) - joined.begin());
}

VirtualSitePlan virtual_sites_of(const System& system) {
  if (!system.topology || !system.topology->has_sites()) return {};
  return planned(system, [&](const PresentAtoms& present, std::span<const std::string> names) {
    return plan_virtual_sites(*system.topology, numbers_of(system), present, names);
  });
}

}  // namespace dropmd
