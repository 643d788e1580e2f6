#include "engine/population/molecule_replacement.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "core/topology/present_atoms.h"
#include "engine/molecules/constrained_start.h"
#include "engine/molecules/motion_plans.h"
#include "engine/population/molecule_kinds.h"
#include "forces/bonded/bonded_term.h"
#include "inputs/structures/element_species.h"

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
                                  " are not beside each other, so that it cannot become another");
    ++place.last;
  }
  for (std::size_t k = 0; k < places.size(); ++k)
    if (places[k].first == places[k].last)
      throw std::invalid_argument("no molecule has the id " + std::to_string(replacements[k].molecule) +
                                  " (that of its first atom)");
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
                                  " is of none of the molecules that are replaced together");
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
                                  " atoms, but " + std::to_string(ids.size()) + " ids are given (0 for a new one)");
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

/// Puts the arrays of the atoms together.
class Assembly {
 public:
  Assembly(const System& system, const MolecularModel& model)
      : system_(system), model_(model), before_(system.particles) {
    for_each_field<EveryField>([&]<class Field>(Field) { Field::of(next_).reserve(system.particles.size() + 16); });
    next_.species_names = system.particles.species_names;
    next_.next_id = static_cast<std::uint32_t>(model.size() + 1);
  }

  void keep(std::size_t i) {
    const Particles& p = system_.particles;
    for_each_field<EveryField>([&]<class Field>(Field) {
      if constexpr (!std::is_same_v<Field, field::Id>)
        if (!Field::of(p).empty()) Field::of(next_).push_back(Field::of(p)[i]);
    });
    next_.id.push_back(p.id_of(i));
  }

  /// Adds the atoms of a molecule that is replaced.
  void add(const MoleculeReplacement& replacement, const MoleculeKinds::Change& change, const Place& place,
           const MoleculeKinds& kinds) {
    const Particles& p = system_.particles;
    const std::size_t first = next_.size();
    for (const std::uint32_t number : change.after) {
      const std::uint32_t i = before_.of(number);
      keep(i == PresentAtoms::kAbsent ? place.first : i);
      set_kind(number);
      if (i == PresentAtoms::kAbsent) next_.position.back() = kNowhere;
      if (!p.groups.empty()) next_.groups.back() = p.groups[place.first];
    }
    for (const PlacedAtom& atom : replacement.placed) {
      if (!is_finite(atom.position) || (atom.velocity && !is_finite(*atom.velocity)))
        throw std::invalid_argument(named(replacement) + ": position or velocity of '" + atom.name + "' is not finite");
      const std::size_t i = first + index_of(kinds, change.kind, atom.name, replacement);
      next_.position[i] = atom.position;
      if (atom.velocity) next_.velocity[i] = *atom.velocity;
    }
    for (std::size_t k = 0; k < change.after.size(); ++k) {
      if (is_finite(next_.position[first + k])) continue;
      if (next_.mass[first + k] > 0)
        throw std::invalid_argument(named(replacement) + ": its atom '" + std::string(kinds.atom_name(change.kind, k)) +
                                    "' is new and needs a position");
      next_.position[first + k] = p.position[place.first];  // until sites are placed
    }
  }

  Particles take() { return std::move(next_); }

 private:
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  static constexpr Vec3<double> kNowhere{kNan, kNan, kNan};

  /// Gives the last atom what its number has in the model.
  void set_kind(std::uint32_t number) {
    next_.id.back() = number + 1;
    next_.charge.back() = model_.charge[number];
    next_.mass.back() = model_.mass[number];
    next_.pair_species.back() = model_.type[number];
    next_.species.back() = species_of(number);
  }

  /// Returns the species of atoms with the same type and mass, else that of the element.
  std::uint32_t species_of(std::uint32_t number) {
    const auto key = std::pair(model_.type[number], model_.mass[number]);
    if (const auto known = species_.find(key); known != species_.end()) return known->second;
    const Particles& p = system_.particles;
    const auto has_it = [&](std::size_t i) { return std::pair(p.pair_species[i], p.mass[i]) == key; };
    std::size_t i = 0;
    while (i < p.size() && !has_it(i)) ++i;
    return species_[key] = i < p.size() ? p.species[i] : species_of_mass(model_.mass[number]);
  }
  std::uint32_t species_of_mass(double mass) {
    const std::string name = mass == 0 ? "X" : element_of_mass(mass);
    auto& names = next_.species_names;
    const auto found = std::find(names.begin(), names.end(), name);
    const auto index = static_cast<std::uint32_t>(found - names.begin());
    if (found == names.end()) names.push_back(name);
    return index;
  }

  const System& system_;
  const MolecularModel& model_;
  PresentAtoms before_;
  std::map<std::pair<std::uint32_t, double>, std::uint32_t> species_;
  Particles next_;
};

/// The system's topology becomes that of another model.
void take_topology(std::shared_ptr<const MolecularModel> model, System& system) {
  system.molecules = std::move(model);
  system.topology = {system.molecules, &system.molecules->topology};
  system.constraints.reset();
  keep_constraints(system);
  for (auto& term : system.terms)
    if (dynamic_cast<const BondedTerm*>(term.get()) != nullptr)
      term = std::make_shared<const BondedTerm>(system.topology, system.units.coulomb);
}

/// Satisfies the constraints and places the sites of these atoms, ids ascending; all others stay as they are, to the
/// last bit.
void satisfy_constraints_of(std::span<const std::uint32_t> ids, System& system) {
  Particles& p = system.particles;
  std::vector<Vec3<double>> position = p.position, velocity = p.velocity;
  satisfy_constraints(system, position, velocity);
  for (std::size_t i = 0; i < p.size(); ++i)
    if (std::binary_search(ids.begin(), ids.end(), p.id_of(i)))
      p.position[i] = position[i], p.velocity[i] = velocity[i];
}

}  // namespace

Replaced replaced(const System& system, std::span<const MoleculeReplacement> replacements) {
  if (!system.molecules)
    throw std::invalid_argument("without a topology there are no kinds of molecules to replace others");
  const std::vector<Place> places = places_of(system, replacements);
  MoleculeKinds kinds(*system.molecules, system.particles);
  const std::vector<MoleculeKinds::Change> changes = changes_of(system, replacements, places, kinds);
  kinds.make(changes);
  System next = system;
  Assembly atoms(system, kinds.model());
  std::map<std::size_t, std::size_t> begins;  // molecules by the index of their first atom
  for (std::size_t r = 0; r < places.size(); ++r) begins[places[r].first] = r;
  for (std::size_t i = 0; i < system.particles.size();) {
    const auto found = begins.find(i);
    if (found == begins.end()) {
      atoms.keep(i++);
      continue;
    }
    const std::size_t r = found->second;
    atoms.add(replacements[r], changes[r], places[r], kinds);
    i = places[r].last;
  }
  next.particles = atoms.take();
  next.row_of_species.resize(next.particles.species_names.size(), 0);
  next.momentum_removed_at_start = false;
  take_topology(std::make_shared<const MolecularModel>(kinds.model()), next);
  std::vector<std::uint32_t> ids;
  for (const MoleculeKinds::Change& change : changes)
    for (const std::uint32_t number : change.after) ids.push_back(number + 1);
  std::sort(ids.begin(), ids.end());
  satisfy_constraints_of(ids, next);
  return {std::move(next), std::move(ids)};
}

}  // namespace dropmd
