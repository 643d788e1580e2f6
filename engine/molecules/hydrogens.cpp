#include "engine/molecules/hydrogens.h"

#include <fmt/core.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace dropmd {

namespace {

using Bond = AtomNumbers<2>;

bool is_hydrogen(const MolecularModel& model, std::uint32_t number) {
  return model.mass[number] > 0 && model.mass[number] < kHeaviestHydrogen;
}

/// Returns the pairs of a hydrogen, which comes first, and a heavier atom that a bond or a constraint joins.
std::set<Bond> bonds_of_hydrogens(const MolecularModel& model) {
  std::set<Bond> bonds;
  const auto add = [&](const Bond& bond) {
    const bool first = is_hydrogen(model, bond[0]), second = is_hydrogen(model, bond[1]);
    if (first && !second && model.mass[bond[1]] > 0) bonds.insert(bond);
    if (second && !first && model.mass[bond[0]] > 0) bonds.insert({bond[1], bond[0]});
  };
  for (const HarmonicBond& bond : std::get<std::vector<HarmonicBond>>(model.topology.terms)) add(bond.atom);
  for (const Constraint& constraint : model.topology.constraints) add(constraint.atom);
  return bonds;
}

/// Returns for each atom whether it is a hydrogen with a constraint to another one.
std::vector<bool> hydrogens_of_rigid_bodies(const MolecularModel& model) {
  std::vector<bool> rigid(model.size());
  for (const auto& [atom, length] : model.topology.constraints)
    if (is_hydrogen(model, atom[0]) && is_hydrogen(model, atom[1])) rigid[atom[0]] = rigid[atom[1]] = true;
  return rigid;
}

}  // namespace

void repartition_hydrogen_mass(double mass, const SourcePlace& place, MolecularModel& model) {
  const std::vector<bool> rigid = hydrogens_of_rigid_bodies(model);
  std::vector<double> changed = model.mass;
  std::size_t n_changed = 0;
  for (const auto& [hydrogen, heavy] : bonds_of_hydrogens(model)) {
    if (rigid[hydrogen]) continue;
    changed[heavy] -= mass - changed[hydrogen];
    changed[hydrogen] = mass;
    ++n_changed;
    if (changed[heavy] < mass)
      throw InputError(place, fmt::format("'hydrogen-mass' in [system] is {:g}: atom {} would keep {:.4g} g/mol of "
                                          "{:.4g}, less than its hydrogens (a smaller mass)",
                                          mass, heavy + 1, changed[heavy], model.mass[heavy]));
  }
  if (n_changed == 0)
    throw InputError(place,
                     "'hydrogen-mass' in [system] changes no atom: there is no bonded hydrogen outside of rigid "
                     "molecules (leave it out)");
  model.mass = std::move(changed);
}

void constrain_hydrogen_bonds(MolecularModel& model) {
  std::vector<HarmonicBond> others;
  for (const HarmonicBond& bond : std::get<std::vector<HarmonicBond>>(model.topology.terms))
    if (is_hydrogen(model, bond.atom[0]) || is_hydrogen(model, bond.atom[1]))
      model.topology.constraints.push_back({bond.atom, bond.length});
    else
      others.push_back(bond);
  std::get<std::vector<HarmonicBond>>(model.topology.terms) = std::move(others);
}

}  // namespace dropmd
