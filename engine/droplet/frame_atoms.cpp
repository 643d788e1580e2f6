#include "engine/droplet/frame_atoms.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/errors.h"
#include "core/part_of.h"
#include "core/topology/present_atoms.h"
#include "engine/droplet/clusters.h"

namespace dropmd {

namespace {

AtomNames names_in(const Structure& structure) {
  return {structure.atom_name, structure.residue_name, structure.residue_number};
}

/// Returns the names by id, updated by those of a frame's atoms, whose ids ascend.
AtomNames with_names(AtomNames names, const Structure& frame, const std::vector<std::uint32_t>& ids) {
  const auto put = [&](auto& all, const auto& of_frame) {
    if (of_frame.empty()) return;
    all.resize(std::max<std::size_t>(all.size(), ids.back()));
    for (std::size_t i = 0; i < ids.size(); ++i) all[ids[i] - 1] = of_frame[i];
  };
  put(names.atom_name, frame.atom_name);
  put(names.residue_name, frame.residue_name);
  put(names.residue_number, frame.residue_number);
  return names;
}

/// The first letter of a name, which is that of its element; a space: it has none.
char first_letter(std::string_view name) {
  for (const char c : name) {
    if (c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
    if (c >= 'A' && c <= 'Z') return c;
  }
  return ' ';
}

/// Returns what an atom is called: its own name, else its species; empty for X, which says nothing.
std::string_view called(const std::vector<std::string>& names, const std::vector<std::uint32_t>& species,
                        const std::vector<std::string>& species_names, std::size_t i) {
  const std::string_view name = names.empty() ? std::string_view(species_names[species[i]]) : names[i];
  return name == "X" ? std::string_view() : name;
}

/// Whether two names can belong to the same atom. Conventions differ, as in OW and OH2, but not in the element.
bool may_be_same(std::string_view a, std::string_view b) {
  return a.empty() || b.empty() || first_letter(a) == first_letter(b);
}

/// Whether these are ids as dropmd writes them, which ascend; another program may call something else the id.
bool are_run_ids(const std::vector<std::uint32_t>& ids) {
  if (ids.empty() || ids.front() == 0) return false;
  return std::adjacent_find(ids.begin(), ids.end(), [](std::uint32_t a, std::uint32_t b) { return a >= b; }) ==
         ids.end();
}

template <class NameOf>
std::vector<std::uint32_t> atoms_where(std::size_t n, std::string_view name, const NameOf& name_of) {
  std::vector<std::uint32_t> atoms;
  for (std::uint32_t i = 0; i < n; ++i)
    if (name_of(i) == name) atoms.push_back(i);
  return atoms;
}

/// Calls use(name_of) for each kind of names, until it returns true; name_of(i) is an atom's name of that kind.
template <class Use>
void for_each_naming(const FrameAtoms& atoms, const Use& use) {
  const Particles& p = atoms.particles();
  const MoleculeTable& table = atoms.molecules();
  if (use([&](std::uint32_t i) -> const std::string& { return table.name[table.of_atom[i]]; })) return;
  const AtomNames* const names = atoms.names();
  if (names != nullptr && !names->residue_name.empty() &&
      use([&](std::uint32_t i) -> const std::string& { return names->residue_name[p.id_of(i) - 1]; }))
    return;
  if (use([&](std::uint32_t i) -> const std::string& { return p.species_names[p.species[i]]; })) return;
  if (names != nullptr) use([&](std::uint32_t i) -> const std::string& { return names->atom_name[p.id_of(i) - 1]; });
}

}  // namespace

KnownAtoms known_atoms(const Structure& structure) {
  KnownAtoms known;
  known.particles.position = structure.position;
  known.particles.mass = structure.mass;
  known.particles.charge = structure.charge;
  known.particles.species = structure.species;
  known.particles.species_names = structure.species_names;
  known.names = names_in(structure);
  known.molecules = molecules_of(known.particles, structure);
  return known;
}

KnownAtoms known_atoms(const System& system, const Structure& structure) {
  KnownAtoms known{system.particles, names_in(structure), molecules_of(system)};
  if (system.molecules && !system.molecules->atom_name.empty()) known.names = *system.molecules;
  known.particles.velocity.clear();
  known.particles.pair_species.clear();
  known.particles.groups.clear();
  return known;
}

void FrameAtoms::take(InputFrame frame, std::size_t number) {
  if (!are_run_ids(frame.ids)) frame.ids.clear();
  if (known_)
    take_known(frame, number);
  else
    take_own(frame);
  ids_ = std::move(frame.ids);
  has_atoms_ = true;
  particles_.position = std::move(frame.structure.position);
  particles_.velocity = std::move(frame.structure.velocity);
}

void FrameAtoms::take_known(const InputFrame& frame, std::size_t number) {
  const Structure& structure = frame.structure;
  const Particles& all = known_->particles;
  const auto fail = [&](const std::string& what) {
    throw InputError(structure.place_of_atom(0), fmt::format("frame {}: {}", number, what));
  };
  const std::size_t n = structure.position.size();
  if (frame.ids.empty() && n != all.size())
    fail(fmt::format("{} atoms, but the structure has {} (give a structure of the same atoms)", n, all.size()));
  if (!frame.ids.empty() && frame.ids.back() > all.size())
    fail(fmt::format(
        "an atom with the id {}, but the structure has {} atoms (give the structure that the run began with)",
        frame.ids.back(), all.size()));
  const bool has_same = has_atoms_ && frame.ids == ids_;
  if (!has_same) {
    std::vector<std::uint32_t> index = frame.ids;
    for (std::uint32_t& i : index) --i;
    require_same_names(structure, index, number);
    particles_ = frame.ids.empty() ? all : part_of(all, index);
    if (frame.ids.empty()) particles_.id.clear();
    names_ = known_->names;
    std::vector<std::uint32_t> present(all.size(), PresentAtoms::kAbsent);
    for (std::uint32_t i = 0; i < index.size(); ++i) present[index[i]] = i;
    for (std::size_t k = 0; k < known_->molecules.size() && !index.empty(); ++k) {
      const std::span<const std::uint32_t> atoms = known_->molecules.atoms_of(k);
      const auto n_absent = std::count_if(atoms.begin(), atoms.end(),
                                          [&](std::uint32_t i) { return present[i] == PresentAtoms::kAbsent; });
      if (n_absent != 0 && n_absent != static_cast<std::ptrdiff_t>(atoms.size()))
        fail(fmt::format("a part of the molecule of atom {} is missing (give the structure that the run began with)",
                         atoms.front() + 1));
    }
    molecules_ = index.empty() ? known_->molecules : remaining(known_->molecules, present);
  }
  if (all.mass.empty()) particles_.mass = structure.mass;
  if (all.charge.empty()) particles_.charge = structure.charge;
}

/// index: of each of the frame's atoms among the known ones; empty: the frame has all of these.
void FrameAtoms::require_same_names(const Structure& structure, const std::vector<std::uint32_t>& index,
                                    std::size_t number) const {
  const Particles& all = known_->particles;
  const MoleculeTable& table = known_->molecules;
  const bool is_mixed = structure.atom_name.empty() != known_->names.atom_name.empty();
  for (std::size_t i = 0; i < structure.position.size(); ++i) {
    const std::size_t k = index.empty() ? i : index[i];
    if (is_mixed && table.atoms_of(table.of_atom[k]).size() == 1) continue;  // SOD is an Na, and POT a K
    const std::string_view name = called(structure.atom_name, structure.species, structure.species_names, i),
                           known = called(known_->names.atom_name, all.species, all.species_names, k);
    if (!may_be_same(name, known))
      throw InputError(structure.place_of_atom(i), fmt::format("frame {}: atom {} is '{}', but '{}' in the structure "
                                                               "(give a structure of the same atoms in the same order)",
                                                               number, k + 1, name, known));
  }
}

void FrameAtoms::take_own(const InputFrame& frame) {
  const Structure& structure = frame.structure;
  AtomNames names = frame.ids.empty() ? names_in(structure) : with_names(names_, structure, frame.ids);
  const bool has_same = has_atoms_ && frame.ids == ids_ && structure.species == particles_.species &&
                        structure.species_names == particles_.species_names && names == names_;
  particles_.mass = structure.mass;
  particles_.charge = structure.charge;
  if (has_same) return;
  particles_.id = frame.ids;
  particles_.species = structure.species;
  particles_.species_names = structure.species_names;
  names_ = std::move(names);
  particles_.position = structure.position;
  molecules_ = molecules_of(particles_, structure);
}

std::vector<std::uint32_t> droplet_atoms(const FrameAtoms& atoms, double distance) {
  const MoleculeTable& table = atoms.molecules();
  const Clusters clusters = find_clusters(table, atoms.particles().position, distance);
  std::vector<std::uint32_t> members;
  for (std::uint32_t i = 0; i < atoms.particles().size(); ++i)
    if (clusters.in_droplet(table.of_atom[i])) members.push_back(i);
  return members;
}

std::vector<std::uint32_t> atoms_named(const FrameAtoms& atoms, std::string_view name) {
  std::vector<std::uint32_t> found;
  for_each_naming(atoms, [&](const auto& name_of) {
    found = atoms_where(atoms.particles().size(), name, name_of);
    return !found.empty();
  });
  return found;
}

std::vector<std::string_view> selectable_names(const FrameAtoms& atoms) {
  std::vector<std::string_view> names;
  for_each_naming(atoms, [&](const auto& name_of) {
    for (std::uint32_t i = 0; i < atoms.particles().size(); ++i)
      if (std::string_view name = name_of(i);
          !name.empty() && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    return false;
  });
  return names;
}

}  // namespace dropmd
