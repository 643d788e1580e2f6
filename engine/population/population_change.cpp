#include "engine/population/population_change.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>

#include "core/errors.h"
#include "core/topology/present_atoms.h"
#include "engine/molecules/motion_plans.h"

namespace dropmd {

namespace {

/// Atoms that are neighbours in memory: those from `first` until before `last`.
struct AtomRange {
  std::size_t first, last;
};

/// Returns the indices of the leaving atoms, ascending.
std::vector<AtomRange> leaving(const Particles& particles, std::span<const std::uint32_t> removed) {
  const PresentAtoms present(particles);
  std::vector<std::size_t> indices;
  for (const std::uint32_t id : removed) {
    indices.push_back(id == 0 ? PresentAtoms::kAbsent : present.of(id - 1));
    if (indices.back() == PresentAtoms::kAbsent)
      throw std::invalid_argument("no atom has the id " + std::to_string(id));
  }
  std::sort(indices.begin(), indices.end());
  std::vector<AtomRange> ranges;
  for (const std::size_t i : indices) {
    if (!ranges.empty() && ranges.back().last > i)
      throw std::invalid_argument("the atom " + std::to_string(particles.id_of(i)) + " is to be removed twice");
    if (!ranges.empty() && ranges.back().last == i)
      ++ranges.back().last;
    else
      ranges.push_back({i, i + 1});
  }
  return ranges;
}

/// Removes the values of leaving atoms.
template <class T>
void take_out(std::vector<T>& values, std::span<const AtomRange> ranges) {
  if (values.empty() || ranges.empty()) return;
  const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  auto end = at(ranges.front().first);
  for (std::size_t k = 0; k < ranges.size(); ++k)
    end = std::move(at(ranges[k].last), k + 1 < ranges.size() ? at(ranges[k + 1].first) : values.end(), end);
  values.erase(end, values.end());
}

void require_whole_molecules(const Topology& topology, std::span<const std::uint32_t> removed,
                             const Particles& remaining) {
  std::vector<std::uint32_t> leaving;
  for (const std::uint32_t id : removed) leaving.push_back(topology.molecule_of(id - 1));
  std::sort(leaving.begin(), leaving.end());
  for (std::size_t i = 0; i < remaining.size(); ++i)
    if (const std::uint32_t molecule = topology.molecule_of(remaining.id_of(i) - 1);
        std::binary_search(leaving.begin(), leaving.end(), molecule))
      throw std::invalid_argument("molecule " + std::to_string(molecule) +
                                  " would be cut: its atoms must leave together");
}

void remove(System& system, std::span<const std::uint32_t> removed) {
  if (removed.empty()) return;
  const std::vector<AtomRange> ranges = leaving(system.particles, removed);
  for_each_field<EveryField>([&]<class Field>(Field) { take_out(Field::of(system.particles), ranges); });
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
    throw std::invalid_argument(
        "atoms cannot be added to a run with a topology, which has no types for them (add molecules of its kinds)");
  if (!is_finite(atom.position) || !is_finite(atom.velocity))
    throw std::invalid_argument("position or velocity of a new atom is not finite");
  if (!field::Mass::possible(atom.mass) || atom.mass == 0 || !field::Charge::possible(atom.charge))
    throw std::invalid_argument(
        "mass or charge of a new atom is not possible (both must be finite, and the mass greater than 0)");
  if (p.next_id > kMostAtomIds) throw std::length_error("all ids of atoms are used up");
  const ValueOfNewAtom value{system, atom, species_of(p, atom.species), p.next_id++};
  for_each_field<EveryField>([&]<class Field>(Field field) { Field::of(p).push_back(value(field)); });
}

/// Stores what is otherwise implied: the ids, which follow from the order of the atoms, the next id, and the groups.
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
  keep_constraints(next);
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
