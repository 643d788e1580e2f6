#include "engine/population/molecule_replacement.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "core/topology/present_atoms.h"
#include "engine/population/molecule_kinds.h"

namespace dropmd {

namespace {

std::string named(const MoleculeReplacement& replacement) {
  return "molecule " + std::to_string(replacement.molecule) + " as '" + replacement.kind + "'";
}

/// A molecule that is replaced, and where its atoms are.
struct Place {
  std::size_t first = 0, last = 0;  ///< indices of its atoms: from `first` until before `last`
};

/// Returns the places of the molecules.
std::vector<Place> places_of(const System& system, std::span<const MoleculeReplacement> replacements) {
  std::unordered_map<std::uint32_t, std::size_t> order;
  for (std::size_t k = 0; k < replacements.size(); ++k)
    if (!order.emplace(replacements[k].molecule, k).second)
      throw std::invalid_argument("molecule " + std::to_string(replacements[k].molecule) + " is given twice");
  std::vector<Place> places(replacements.size());
  const Particles& p = system.particles;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto found = order.find(system.topology->molecule_of(p.id_of(i) - 1));
    if (found == order.end()) continue;
    Place& place = places[found->second];
    if (place.first == place.last) place = {i, i};
    if (place.last != i)
      throw std::invalid_argument("the atoms of molecule " + std::to_string(found->first) +
                                  " are not next to each other, so it cannot become another");
    ++place.last;
  }
  for (std::size_t k = 0; k < places.size(); ++k)
    if (places[k].first == places[k].last)
      throw std::invalid_argument("no molecule has the id " + std::to_string(replacements[k].molecule) +
                                  " (give that of its first atom)");
  return places;
}

/// Returns the ids of the atoms of the new kind that have the same names in the old molecule; 0 for the others.
std::vector<std::uint32_t> ids_by_name(const MoleculeKinds& kinds, std::uint32_t kind, const System& system,
                                       const Place& place) {
  const auto& names = system.molecules->atom_name;
  std::vector<char> used(place.last - place.first);
  std::vector<std::uint32_t> ids(kinds.n_atoms(kind));
  for (std::size_t k = 0; k < ids.size() && !names.empty(); ++k)
    for (std::size_t i = place.first; i < place.last; ++i) {
      const std::uint32_t id = system.particles.id_of(i);
      if (used[i - place.first] != 0 || names[id - 1] != kinds.atom_name(kind, k)) continue;
      used[i - place.first] = 1;
      ids[k] = id;
      break;
    }
  return ids;
}

/// Ids must be of the replaced molecules, each once.
void require_own_ids(std::span<const MoleculeKinds::Change> changes, std::span<const std::uint32_t> ids,
                     std::vector<std::uint32_t>& used, const MoleculeReplacement& of) {
  for (const std::uint32_t id : ids) {
    if (id == 0) continue;
    const bool own = std::any_of(changes.begin(), changes.end(), [&](const MoleculeKinds::Change& change) {
      return std::find(change.before.begin(), change.before.end(), id - 1) != change.before.end();
    });
    if (!own)
      throw std::invalid_argument(named(of) + ": the atom " + std::to_string(id) +
                                  " belongs to none of the molecules that are replaced together");
    if (std::find(used.begin(), used.end(), id) != used.end())
      throw std::invalid_argument(named(of) + ": the atom " + std::to_string(id) + " is given twice");
    used.push_back(id);
  }
}

std::vector<MoleculeKinds::Change> changes_of(const System& system, std::span<const MoleculeReplacement> replacements,
                                              std::span<const Place> places, MoleculeKinds& kinds) {
  std::vector<MoleculeKinds::Change> changes;
  for (std::size_t r = 0; r < replacements.size(); ++r) {
    MoleculeKinds::Change change{kinds.kind(replacements[r].kind), {}, {}};
    for (std::size_t i = places[r].first; i < places[r].last; ++i)
      change.before.push_back(system.particles.id_of(i) - 1);
    changes.push_back(std::move(change));
  }
  std::vector<std::uint32_t> used;
  for (std::size_t r = 0; r < replacements.size(); ++r) {
    MoleculeKinds::Change& change = changes[r];
    std::vector<std::uint32_t> ids = replacements[r].ids;
    if (ids.empty()) ids = ids_by_name(kinds, change.kind, system, places[r]);
    if (ids.size() != kinds.n_atoms(change.kind))
      throw std::invalid_argument(named(replacements[r]) + " has " + std::to_string(kinds.n_atoms(change.kind)) +
                                  " atoms, but " + std::to_string(ids.size()) + " ids are given (use 0 for a new one)");
    require_own_ids(changes, ids, used, replacements[r]);
    for (const std::uint32_t id : ids) change.after.push_back(id == 0 ? kinds.new_number() : id - 1);
  }
  return changes;
}

/// Returns the index of an atom of the molecule by its name.
std::size_t index_of(const MoleculeKinds& kinds, std::uint32_t kind, const std::string& name,
                     const MoleculeReplacement& of) {
  std::size_t found = kinds.n_atoms(kind);
  for (std::size_t k = 0; k < kinds.n_atoms(kind); ++k)
    if (kinds.atom_name(kind, k) == name) {
      if (found < kinds.n_atoms(kind)) throw std::invalid_argument(named(of) + " has several atoms '" + name + "'");
      found = k;
    }
  if (found == kinds.n_atoms(kind)) throw std::invalid_argument(named(of) + " has no atom '" + name + "'");
  return found;
}

/// Appends the atoms of a molecule that is replaced. Its new atoms belong to the groups of the first that is kept.
void append(const MoleculeReplacement& replacement, const MoleculeKinds::Change& change, const Place& place,
            const MoleculeKinds& kinds, const System& system, MoleculeAssembly& to) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Particles& p = system.particles;
  const auto kept = std::find_if(change.after.begin(), change.after.end(), [&](std::uint32_t number) {
    return to.index_before(number) != PresentAtoms::kAbsent;
  });
  std::uint8_t groups = field::kInBath;
  if (kept != change.after.end() && !p.groups.empty()) groups = p.groups[to.index_before(*kept)];
  const std::size_t first = to.atoms().size();
  for (const std::uint32_t number : change.after)
    to.add(number, {kNan, kNan, kNan}, p.velocity[place.first], groups);  // nowhere, until it is placed
  Particles& next = to.atoms();
  for (const PlacedAtom& atom : replacement.placed) {
    if (!is_finite(atom.position) || (atom.velocity && !is_finite(*atom.velocity)))
      throw std::invalid_argument(named(replacement) + ": position or velocity of '" + atom.name + "' is not finite");
    const std::size_t i = first + index_of(kinds, change.kind, atom.name, replacement);
    next.position[i] = atom.position;
    if (atom.velocity) next.velocity[i] = *atom.velocity;
  }
  for (std::size_t k = 0; k < change.after.size(); ++k) {
    if (is_finite(next.position[first + k])) continue;
    if (next.mass[first + k] > 0)
      throw std::invalid_argument(named(replacement) + ": its atom '" + std::string(kinds.atom_name(change.kind, k)) +
                                  "' is new and needs a position");
    next.position[first + k] = p.position[place.first];  // until sites are placed
  }
}

}  // namespace

ChangedMolecules replaced(const System& system, std::span<const MoleculeReplacement> replacements) {
  if (!system.molecules)
    throw std::invalid_argument("without a topology there are no kinds of molecules to replace others");
  const std::vector<Place> places = places_of(system, replacements);
  MoleculeKinds kinds(*system.molecules, system.particles);
  const std::vector<MoleculeKinds::Change> changes = changes_of(system, replacements, places, kinds);
  kinds.make(changes);
  MoleculeAssembly atoms(system, kinds.shared_model());
  std::map<std::size_t, std::size_t> begins;  // molecules by the index of their first atom
  for (std::size_t r = 0; r < places.size(); ++r) begins[places[r].first] = r;
  for (std::size_t i = 0; i < system.particles.size();) {
    const auto found = begins.find(i);
    if (found == begins.end()) {
      atoms.keep(i++);
      continue;
    }
    const std::size_t r = found->second;
    append(replacements[r], changes[r], places[r], kinds, system, atoms);
    i = places[r].last;
  }
  std::vector<std::uint32_t> ids;
  for (const MoleculeKinds::Change& change : changes)
    for (const std::uint32_t number : change.after) ids.push_back(number + 1);
  return atoms.finish(std::move(ids));
}

}  // namespace dropmd
