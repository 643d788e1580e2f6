#include "engine/population/population_change.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>

#include "core/errors.h"

namespace dropmd {

namespace {

/// Returns the indices of the remaining atoms, ascending.
std::vector<std::size_t> staying(const Particles& particles, std::span<const std::uint32_t> removed) {
  std::vector<std::uint32_t> leaving(removed.begin(), removed.end());
  std::sort(leaving.begin(), leaving.end());
  std::vector<std::size_t> stay;
  auto next = leaving.begin();
  for (std::size_t i = 0; i < particles.size(); ++i)
    if (next != leaving.end() && *next == particles.id_of(i))
      ++next;
    else
      stay.push_back(i);
  if (next != leaving.end())
    throw std::invalid_argument("no atom has the id " + std::to_string(*next) + ", or it is to be removed twice");
  return stay;
}

template <class T>
void keep(std::vector<T>& values, std::span<const std::size_t> stay) {
  if (values.empty()) return;
  for (std::size_t k = 0; k < stay.size(); ++k) values[k] = values[stay[k]];
  values.resize(stay.size());
}

void require_whole_molecules(const Topology& topology, std::span<const std::uint32_t> removed,
                             const Particles& remaining) {
  std::set<std::uint32_t> leaving;
  for (const std::uint32_t id : removed) leaving.insert(topology.molecule_of(id - 1));
  for (std::size_t i = 0; i < remaining.size(); ++i)
    if (const std::uint32_t molecule = topology.molecule_of(remaining.id_of(i) - 1); leaving.contains(molecule))
      throw std::invalid_argument("molecule " + std::to_string(molecule) + " would be cut: its atoms leave together");
}

void remove(System& system, std::span<const std::uint32_t> removed) {
  const std::vector<std::size_t> stay = staying(system.particles, removed);
  for_each_field<EveryField>([&]<class Field>(Field) { keep(Field::of(system.particles), stay); });
  if (system.topology) require_whole_molecules(*system.topology, removed, system.particles);
}

std::uint32_t species_of(const Particles& particles, const std::string& name) {
  const auto& names = particles.species_names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::invalid_argument("the system has no species '" + name + "'");
  return static_cast<std::uint32_t>(found - names.begin());
}

/// The value of each field for an atom to be added: what the program gave, what follows from that, or the default that
/// the field declares.
struct ValueOfNewAtom {
  const System& system;
  const NewAtom& atom;
  std::uint32_t species;  ///< index of the atom's species
  std::uint32_t id;

  Vec3<double> operator()(field::Position) const { return atom.position; }
  Vec3<double> operator()(field::Velocity) const { return atom.velocity; }
  double operator()(field::Charge) const { return atom.charge; }
  double operator()(field::Mass) const { return atom.mass; }
  std::uint32_t operator()(field::Species) const { return species; }
  std::uint32_t operator()(field::PairSpecies) const { return system.row_of_species[species]; }
  std::uint32_t operator()(field::Id) const { return id; }
  template <class Field>
  typename Field::Value operator()(Field) const {
    static_assert(HasDefault<Field>, "added atoms have no value of this field: declare its kDefault, or give it above");
    return Field::kDefault;
  }
};

void add(System& system, const NewAtom& atom) {
  Particles& p = system.particles;
  if (system.molecules)
    throw std::invalid_argument("atoms cannot be added to a run with a topology, which has no types for them");
  if (!is_finite(atom.position) || !is_finite(atom.velocity))
    throw std::invalid_argument("position or velocity of a new atom is not finite");
  if (!field::Mass::possible(atom.mass) || atom.mass == 0 || !field::Charge::possible(atom.charge))
    throw std::invalid_argument("mass or charge of a new atom is none (finite, the mass greater than 0)");
  if (p.next_id > kMostAtomIds) throw std::length_error("all ids of atoms are used up");
  const ValueOfNewAtom value{system, atom, species_of(p, atom.species), p.next_id++};
  for_each_field<EveryField>([&]<class Field>(Field field) { Field::of(p).push_back(value(field)); });
}

/// Stores what otherwise follows from the order of the atoms, the ids and the next one, and the groups.
void make_explicit(Particles& p) {
  p.next_id = p.first_unused_id();
  if (p.groups.empty()) p.groups.assign(p.size(), field::Groups::kDefault);
  if (!p.id.empty()) return;
  p.id.resize(p.size());
  std::iota(p.id.begin(), p.id.end(), 1U);
}

}  // namespace

System changed(const System& system, const PopulationChange& change) {
  System next = system;
  make_explicit(next.particles);
  remove(next, change.removed);
  for (const NewAtom& atom : change.added) add(next, atom);
  // The total momentum changes with the atoms: it is not zero any longer.
  next.momentum_removed_at_start = false;
  if (const auto pair = find_barriers(next))
    throw InputError("with these charges nothing keeps Born-Mayer atoms of species " + std::to_string(pair->first + 1) +
                     " and " + std::to_string(pair->second + 1) + " apart");
  return next;
}

}  // namespace dropmd
