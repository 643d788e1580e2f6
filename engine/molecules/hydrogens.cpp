#include "engine/molecules/hydrogens.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dropmd {

namespace {

bool is_hydrogen(const MolecularModel& model, std::uint32_t number) {
  return model.mass[number] > 0 && model.mass[number] < kHeaviestHydrogen;
}

/// Returns the heavier atom that each hydrogen is bonded to, by the shortest of its bonds and constraints.
std::map<std::uint32_t, std::uint32_t> heavy_atoms_of_hydrogens(const MolecularModel& model) {
  std::map<std::uint32_t, std::pair<double, std::uint32_t>> nearest;
  const auto add = [&](std::uint32_t hydrogen, std::uint32_t other, double length) {
    if (!is_hydrogen(model, hydrogen) || model.mass[other] < kHeaviestHydrogen) return;
    const auto [place, is_new] = nearest.try_emplace(hydrogen, length, other);
    if (!is_new && length < place->second.first) place->second = {length, other};
  };
  const auto add_both = [&](const auto& bond) {
    add(bond.atom[0], bond.atom[1], bond.length);
    add(bond.atom[1], bond.atom[0], bond.length);
  };
  for (const HarmonicBond& bond : std::get<std::vector<HarmonicBond>>(model.topology.terms)) add_both(bond);
  for (const Constraint& constraint : model.topology.constraints) add_both(constraint);
  std::map<std::uint32_t, std::uint32_t> heavy;
  for (const auto& [hydrogen, bond] : nearest) heavy[hydrogen] = bond.second;
  return heavy;
}

/// Returns for each atom whether it is a hydrogen with a constraint to another one.
std::vector<bool> hydrogens_of_rigid_bodies(const MolecularModel& model) {
  std::vector<bool> rigid(model.size());
  for (const auto& [atom, length] : model.topology.constraints)
    if (is_hydrogen(model, atom[0]) && is_hydrogen(model, atom[1])) rigid[atom[0]] = rigid[atom[1]] = true;
  return rigid;
}

/// Returns for each atom the length of its shortest bond; infinite without one.
std::vector<double> shortest_bonds(const MolecularModel& model) {
  std::vector<double> shortest(model.size(), std::numeric_limits<double>::infinity());
  for (const HarmonicBond& bond : std::get<std::vector<HarmonicBond>>(model.topology.terms))
    for (const std::uint32_t atom : bond.atom) shortest[atom] = std::min(shortest[atom], bond.length);
  return shortest;
}

}  // namespace

void repartition_hydrogen_mass(double mass, const SourcePlace& place, MolecularModel& model) {
  const std::vector<bool> rigid = hydrogens_of_rigid_bodies(model);
  std::vector<double> changed = model.mass;
  std::size_t n_changed = 0;
  for (const auto& [hydrogen, heavy] : heavy_atoms_of_hydrogens(model)) {
    if (rigid[hydrogen]) continue;
    changed[heavy] -= mass - changed[hydrogen];
    changed[hydrogen] = mass;
    ++n_changed;
    if (changed[heavy] < mass)
      throw InputError(place, fmt::format("'hydrogen-mass' in [system] is {:g}: atom {} would keep {:.4g} g/mol of "
                                          "{:.4g}, less than its hydrogens (use a smaller mass)",
                                          mass, heavy + 1, changed[heavy], model.mass[heavy]));
  }
  if (n_changed == 0)
    throw InputError(place,
                     "'hydrogen-mass' in [system] changes no atom: there is no bonded hydrogen outside rigid molecules "
                     "(leave it out)");
  model.mass = std::move(changed);
}

void constrain_hydrogen_bonds(MolecularModel& model) {
  const std::vector<double> shortest = shortest_bonds(model);
  std::vector<HarmonicBond> others;
  for (const HarmonicBond& bond : std::get<std::vector<HarmonicBond>>(model.topology.terms))
    if (std::any_of(bond.atom.begin(), bond.atom.end(),
                    [&](std::uint32_t atom) { return is_hydrogen(model, atom) && bond.length == shortest[atom]; }))
      model.topology.constraints.push_back({bond.atom, bond.length});
    else
      others.push_back(bond);
  std::get<std::vector<HarmonicBond>>(model.topology.terms) = std::move(others);
}

}  // namespace dropmd
