#include "engine/device/molecules/rigid_molecules.cuh"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "engine/model/pair_atoms.h"
#include "engine/molecules/motion_plans.h"
#include "forces/pair/cuda/device_pair_table.cuh"

namespace dropmd {

namespace {

/// Returns whether there are waters, all alike, and no other clusters or sites.
bool has_only_waters(const ConstraintPlan& constraints, const VirtualSitePlan& sites,
                     const WatersWithSites& with_sites) {
  const auto& waters = std::get<ConstraintGroup<Settle>>(constraints.groups);
  const std::size_t n = waters.atoms.size(), n_with_site = with_sites.row.size();
  if (n == 0 || n != constraints.n_clusters() || n_with_site != sites.n_sites()) return false;
  if (n_with_site == 0) return waters.solver.size() == 1;
  return n_with_site == n && with_sites.solver.size() == 1;
}

/// Appends the waters: with their sites or, if there are none, without.
void add_waters(const ConstraintPlan& constraints, const WatersWithSites& with_sites, RigidMolecules& molecules) {
  if (!with_sites.row.empty()) {
    molecules.n_places = 4;
    molecules.at = with_sites.row;
    molecules.solver = with_sites.solver[0];
    return;
  }
  const auto& waters = std::get<ConstraintGroup<Settle>>(constraints.groups);
  for (const auto& atoms : waters.atoms)
    molecules.at.push_back({atoms[0], atoms[1], atoms[2], RigidMolecules::kNoAtom});
  molecules.solver.settle = waters.solver[0];
}

/// Appends the atoms that belong to no water.
void add_single_atoms(std::size_t n_atoms, RigidMolecules& molecules) {
  std::vector<bool> in_water(n_atoms);
  for (const auto& atoms : molecules.at)
    for (const std::uint32_t i : atoms)
      if (i != RigidMolecules::kNoAtom) in_water[i] = true;
  for (std::uint32_t i = 0; i < n_atoms; ++i)
    if (!in_water[i])
      molecules.at.push_back({i, RigidMolecules::kNoAtom, RigidMolecules::kNoAtom, RigidMolecules::kNoAtom});
}

/// Returns whether the exclusions of a molecule's atoms are all pairs within the molecule, and no others.
bool excludes_itself(const std::array<std::uint32_t, 4>& atoms, const ExcludedPairs& excluded) {
  std::vector<std::uint32_t> present;
  std::copy_if(atoms.begin(), atoms.end(), std::back_inserter(present),
               [](std::uint32_t i) { return i != RigidMolecules::kNoAtom; });
  std::sort(present.begin(), present.end());
  return std::all_of(present.begin(), present.end(), [&](std::uint32_t i) {
    std::vector<std::uint32_t> others = present;
    std::erase(others, i);
    return std::ranges::equal(others, excluded.of(i));
  });
}

bool has_vdw_behind_first(const RigidMolecules& molecules, const System& system) {
  const std::vector<std::uint8_t> has_vdw = DevicePairTable<float>::species_with_vdw(system.model);
  return std::any_of(molecules.at.begin(), molecules.at.end(), [&](const auto& atoms) {
    return std::any_of(atoms.begin() + 1, atoms.end(), [&](std::uint32_t i) {
      return i != RigidMolecules::kNoAtom && has_vdw[system.particles.pair_species[i]] != 0;
    });
  });
}

}  // namespace

std::optional<RigidMolecules> RigidMolecules::of(const System& system) {
  if (!moves_by_clusters(system)) return std::nullopt;
  const ConstraintPlan constraints = constraints_of(system);
  const VirtualSitePlan sites = virtual_sites_of(system);
  const WatersWithSites with_sites(constraints, sites);
  if (!has_only_waters(constraints, sites, with_sites)) return std::nullopt;
  RigidMolecules molecules;
  add_waters(constraints, with_sites, molecules);
  add_single_atoms(system.particles.size(), molecules);
  const ExcludedPairs excluded = excluded_pairs(system);
  if (!std::all_of(molecules.at.begin(), molecules.at.end(),
                   [&](const auto& atoms) { return excludes_itself(atoms, excluded); }))
    return std::nullopt;
  molecules.only_first_has_vdw = !has_vdw_behind_first(molecules, system);
  return molecules;
}

}  // namespace dropmd
