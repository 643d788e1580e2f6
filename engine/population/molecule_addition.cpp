#include "engine/population/molecule_addition.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "engine/population/molecule_kinds.h"

namespace dropmd {

namespace {

/// Returns "OW, HW1, HW2, MW"; empty if atoms have no names.
std::string atom_names(const MoleculeKinds& kinds, std::uint32_t kind) {
  std::string names;
  for (std::size_t k = 0; k < kinds.n_atoms(kind); ++k)
    names += (k == 0 ? "" : ", ") + std::string(kinds.atom_name(kind, k));
  return names;
}

void require_one_for_each(const MoleculeKinds& kinds, std::uint32_t kind, const std::string& name, std::size_t n_values,
                          const char* values) {
  if (n_values == kinds.n_atoms(kind)) return;
  throw std::invalid_argument("a molecule '" + name + "' has " + std::to_string(kinds.n_atoms(kind)) + " atoms (" +
                              atom_names(kinds, kind) + "), but " + std::to_string(n_values) + " " + values +
                              " are given (one for each is needed; those of virtual sites are not used)");
}

/// Appends the atoms of a molecule, which is no member of a droplet until the next labels.
void append(const NewMolecule& molecule, const MoleculeKinds& kinds, const MoleculeKinds::Change& change,
            MoleculeAssembly& to) {
  const MolecularModel& model = kinds.model();
  std::size_t with_mass = 0;  // sites begin there, until they are placed
  while (with_mass + 1 < change.after.size() && model.mass[change.after[with_mass]] == 0) ++with_mass;
  for (std::size_t k = 0; k < change.after.size(); ++k) {
    const bool is_site = model.mass[change.after[k]] == 0;
    const Vec3<double> position = molecule.position[is_site ? with_mass : k];
    const Vec3<double> velocity = is_site || molecule.velocity.empty() ? Vec3<double>{} : molecule.velocity[k];
    if (!is_finite(position) || !is_finite(velocity))
      throw std::invalid_argument("position or velocity of '" + std::string(kinds.atom_name(change.kind, k)) +
                                  "' of a new molecule '" + molecule.kind + "' is not finite");
    to.add(change.after[k], position, velocity, field::kInBath);
  }
}

}  // namespace

ChangedMolecules with_added(const System& system, std::span<const NewMolecule> molecules) {
  if (!system.molecules)
    throw std::invalid_argument("without a topology there are no kinds of molecules to be added (add atoms)");
  MoleculeKinds kinds(*system.molecules, system.particles);
  std::vector<MoleculeKinds::Change> changes;
  for (const NewMolecule& molecule : molecules) {
    MoleculeKinds::Change change{kinds.kind(molecule.kind), {}, {}};
    require_one_for_each(kinds, change.kind, molecule.kind, molecule.position.size(), "positions");
    if (!molecule.velocity.empty())
      require_one_for_each(kinds, change.kind, molecule.kind, molecule.velocity.size(), "velocities");
    for (std::size_t k = 0; k < kinds.n_atoms(change.kind); ++k) change.after.push_back(kinds.new_number());
    changes.push_back(std::move(change));
  }
  kinds.make(changes);
  MoleculeAssembly atoms(system, kinds.shared_model());
  for (std::size_t i = 0; i < system.particles.size(); ++i) atoms.keep(i);
  std::vector<std::uint32_t> ids;
  for (std::size_t m = 0; m < molecules.size(); ++m) {
    append(molecules[m], kinds, changes[m], atoms);
    for (const std::uint32_t number : changes[m].after) ids.push_back(number + 1);
  }
  return atoms.finish(std::move(ids));
}

}  // namespace dropmd
