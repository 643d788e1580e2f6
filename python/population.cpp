#include "python/population.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/droplet/molecule_table.h"
#include "python/session_calls.h"

namespace nb = nanobind;

namespace dropmd::python {

namespace {

nb::dict dict_of(const PopulationBooking& booking) {
  nb::dict values;
  values["step"] = booking.step;
  const std::size_t n = booking.id.size();
  values["ids"] = array_of(std::vector(booking.id), {n});
  values["mass"] = booking.mass;
  values["charge"] = booking.charge;
  values["energy"] = booking.energy;
  return values;
}

nb::dict remove(Session& session, const IdsIn& ids) {
  const std::vector<std::uint32_t> leaving(ids.data(), ids.data() + ids.shape(0));
  return dict_of(aside(session, [&](Simulation& simulation) { return simulation.remove(leaving); }));
}

nb::dict add(Session& session, const VectorsIn& positions, const Vectors& velocities, const NumbersIn& masses,
             const NumbersIn& charges, const std::vector<std::string>& species) {
  const std::size_t n = positions.shape(0);
  if ((velocities && velocities->shape(0) != n) || masses.shape(0) != n || charges.shape(0) != n || species.size() != n)
    throw std::invalid_argument("add() needs a velocity, mass, charge and species for each position");
  const GivenAtoms given = atoms_of(positions, velocities, masses, charges, species);
  std::vector<NewAtom> atoms;
  for (std::size_t i = 0; i < n; ++i)
    atoms.push_back({.position = (*given.position)[i],
                     .velocity = velocities ? (*given.velocity)[i] : Vec3<double>{},
                     .mass = (*given.mass)[i],
                     .charge = (*given.charge)[i],
                     .species = species[i]});
  return dict_of(aside(session, [&](Simulation& simulation) { return simulation.add(atoms); }));
}

/// Adds n molecules of a kind. x, v: of all their atoms, one molecule after another.
nb::dict add_molecules(Session& session, const std::string& kind, std::size_t n, const VectorsIn& x, const Vectors& v) {
  const std::vector<Vec3<double>> position = vectors_of(x);
  const std::vector<Vec3<double>> velocity = v ? vectors_of(*v) : std::vector<Vec3<double>>{};
  const auto part = [&](const std::vector<Vec3<double>>& of_all, std::size_t k) {
    const std::size_t size = of_all.size() / n;
    const auto first = of_all.begin() + static_cast<std::ptrdiff_t>(k * size);
    return std::vector(first, first + static_cast<std::ptrdiff_t>(size));
  };
  std::vector<NewMolecule> molecules;
  for (std::size_t k = 0; k < n; ++k) molecules.push_back({kind, part(position, k), part(velocity, k)});
  return dict_of(aside(session, [&](Simulation& simulation) { return simulation.add_molecules(molecules); }));
}

/// Replaces molecules with others. ids: of the atoms of each, or none. names: of the atoms of each that are placed; x,
/// v: their positions and velocities, one molecule after another; NaN stands for a velocity that is not given.
nb::dict replace(Session& session, const std::vector<std::uint32_t>& molecules, const std::vector<std::string>& kinds,
                 const std::vector<std::vector<std::uint32_t>>& ids, const std::vector<std::vector<std::string>>& names,
                 const VectorsIn& x, const VectorsIn& v) {
  const std::vector<Vec3<double>> position = vectors_of(x), velocity = vectors_of(v);
  std::vector<MoleculeReplacement> replacements;
  std::size_t next = 0;
  for (std::size_t k = 0; k < molecules.size(); ++k) {
    MoleculeReplacement one{.molecule = molecules[k], .kind = kinds.at(k), .ids = ids.at(k)};
    for (const std::string& name : names.at(k)) {
      PlacedAtom atom{.name = name, .position = position.at(next)};
      if (!std::isnan(velocity.at(next).x)) atom.velocity = velocity[next];
      one.placed.push_back(std::move(atom));
      ++next;
    }
    replacements.push_back(std::move(one));
  }
  return dict_of(aside(session, [&](Simulation& simulation) { return simulation.replace(replacements); }));
}

/// Returns the id of each atom's molecule, [n_atoms], and the names of the molecules by their ids.
nb::tuple molecules(Session& session) {
  const MoleculeTable table = aside(session, [](Simulation& simulation) { return molecules_of(simulation.system()); });
  std::vector<std::uint32_t> id;
  for (const std::uint32_t molecule : table.of_atom) id.push_back(table.id[molecule]);
  nb::dict names;
  for (std::size_t k = 0; k < table.size(); ++k) names[nb::int_(table.id[k])] = nb::str(table.name[k].c_str());
  const std::size_t n = id.size();
  return nb::make_tuple(array_of(std::move(id), {n}), names);
}

/// Returns the names of the atoms within their molecules, [n_atoms]; without a topology those of their species.
std::vector<std::string> atom_names(Session& session) {
  return aside(session, [](Simulation& simulation) {
    const System& system = simulation.system();
    const Particles& p = system.particles;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const bool known = system.molecules && !system.molecules->atom_name.empty();
      names.push_back(known ? system.molecules->atom_name[p.id_of(i) - 1] : p.species_names[p.species[i]]);
    }
    return names;
  });
}

}  // namespace

void bind_population(nb::class_<Session>& type) {
  type.def("remove", remove)
      .def("add", add, nb::arg("positions"), nb::arg("velocities").none(), nb::arg("masses"), nb::arg("charges"),
           nb::arg("species"))
      .def("add_molecules", add_molecules, nb::arg("kind"), nb::arg("n"), nb::arg("positions"),
           nb::arg("velocities").none())
      .def("replace", replace)
      .def("molecules", molecules)
      .def("atom_names", atom_names);
}

}  // namespace dropmd::python
