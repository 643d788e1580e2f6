#include "engine/molecules/motion_plans.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/connected_components.h"
#include "core/errors.h"
#include "core/topology/present_atoms.h"
#include "engine/molecules/molecules.h"

namespace dropmd {

namespace {

/// Making the names of all atoms takes longer than a plan, so they are made only for a message.
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
  const std::size_t largest = p.id.empty() ? p.size() : *std::max_element(p.id.begin(), p.id.end());
  return std::max<std::size_t>(p.first_unused_id() - 1, largest);
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

std::vector<std::array<std::uint32_t, 2>> constrained_pairs(const System& system) {
  std::vector<std::array<std::uint32_t, 2>> pairs;
  if (!system.topology) return pairs;
  const PresentAtoms present(system.particles);
  for (const Constraint& constraint : system.topology->constraints) {
    if (!present.contains(constraint.atom)) continue;
    const auto [first, second] = std::minmax({present.of(constraint.atom[0]), present.of(constraint.atom[1])});
    pairs.push_back({first, second});
  }
  if (!std::is_sorted(pairs.begin(), pairs.end())) std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::size_t count_constraints(const System& system, std::span<const char> counts) {
  if (!system.topology) return 0;
  if (system.constraints) return count_constraints(*system.constraints, PresentAtoms(system.particles), counts);
  const auto pairs = constrained_pairs(system);
  return static_cast<std::size_t>(std::count_if(
      pairs.begin(), pairs.end(), [&](const auto& pair) { return counts.empty() || counts[pair[0]] != 0; }));
}

VirtualSitePlan virtual_sites_of(const System& system) {
  if (!system.topology || !system.topology->has_sites()) return {};
  return planned(system, [&](const PresentAtoms& present, std::span<const std::string> names) {
    return plan_virtual_sites(*system.topology, numbers_of(system), present, names);
  });
}

std::vector<std::uint32_t> atoms_moved_together(const System& system) {
  ConnectedComponents together(system.particles.size());
  for (const auto& [first, second] : constrained_pairs(system)) together.join(first, second);
  const VirtualSitePlan sites = virtual_sites_of(system);
  const auto join_sites = [&](const auto& group) {
    for (std::size_t k = 0; k < group.site.size(); ++k)
      for (const std::uint32_t parent : group.parent[k]) together.join(group.site[k], parent);
  };
  std::apply([&](const auto&... group) { (join_sites(group), ...); }, sites.groups);
  for (std::size_t k = 0; k < sites.weighted.site.size(); ++k)
    for (std::size_t p = sites.weighted.start[k]; p < sites.weighted.start[k + 1]; ++p)
      together.join(sites.weighted.site[k], sites.weighted.parent[p]);
  return together.labels();
}

}  // namespace dropmd
