#include "inputs/topologies/gromacs/topology_sections.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "inputs/nearest_word.h"
#include "inputs/text_source.h"
#include "inputs/topologies/gromacs/force_field/force_field_sections.h"
#include "inputs/topologies/gromacs/molecules/molecule_sections.h"

namespace dropmd::gromacs {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace

void TopologySections::read(const TopologyLine& line) {
  if (is_section_head(line)) return begin_section(line);
  if (!section_) {
    // Force fields of GROMACS have their title here, between asterisks.
    if (line.word(0).text.starts_with('*')) return;
    sources_->fail(line.word(0).place,
                   fmt::format("{} before the first section (a topology begins with [ defaults ] or "
                               "#include; comments begin with ;)",
                               in_quotes(line.word(0).text)));
  }
  if (*section_ < Directive::moleculetype)
    read_force_field_line(line);
  else
    read_molecule_line(line);
}

void TopologySections::begin_section(const TopologyLine& line) {
  section_ = order_.read(line);
  has_warned_ = false;
  if (*section_ == Directive::system || *section_ == Directive::molecules) is_in_molecule_ = false;
  if (*section_ == Directive::intermolecular_interactions) begin_between_molecules();
}

void TopologySections::read_force_field_line(const TopologyLine& line) {
  ForceField& field = contents_.field;
  switch (*section_) {
    case Directive::defaults:
      return read_defaults(line, field);
    case Directive::atomtypes:
      return read_atom_type_line(line, field, *warnings_);
    case Directive::nonbond_params:
    case Directive::pairtypes:
      return read_pair_type_line(line, *section_, field, *warnings_);
    case Directive::dihedraltypes:
      return read_dihedral_type_line(line, field, *warnings_);
    case Directive::cmaptypes:
      return read_cmap_type_line(line, field);
    case Directive::implicit_genborn_params:
    case Directive::implicit_surface_params:
      if (!std::exchange(has_warned_, true))
        warnings_->add(line.word(0).place,
                       fmt::format("[ {} ] is ignored (there is no implicit solvent)", name_of(*section_)));
      return;
    default:
      return read_bonded_type_line(line, *section_, field, *warnings_);
  }
}

void TopologySections::read_molecule_line(const TopologyLine& line) {
  switch (*section_) {
    case Directive::moleculetype:
      return begin_molecule_type(line);
    case Directive::system:
      title_ = line.text();
      return;
    case Directive::molecules:
      return read_molecules_line(line);
    case Directive::intermolecular_interactions:
      sources_->fail(line.word(0).place,
                     "[ intermolecular_interactions ] has no lines (begin a section such as "
                     "[ angles ])");
    default:
      return read_interaction_line(line, current_molecule(line));
  }
}

MoleculeType& TopologySections::current_molecule(const TopologyLine& line) {
  if (whole_system_) {
    constexpr Directive kPossible[] = {Directive::pairs, Directive::angles, Directive::dihedrals};
    if (std::find(std::begin(kPossible), std::end(kPossible), *section_) == std::end(kPossible))
      sources_->fail(line.word(0).place, fmt::format("[ {} ] in [ intermolecular_interactions ] (only [ pairs ], [ "
                                                     "angles ] and [ dihedrals ] may act between molecules)",
                                                     name_of(*section_)));
    return *whole_system_;
  }
  if (!is_in_molecule_)
    sources_->fail(line.word(0).place,
                   fmt::format("[ {} ] outside a molecule type (begin one with [ moleculetype ])", name_of(*section_)));
  return contents_.types.back();
}

void TopologySections::read_interaction_line(const TopologyLine& line, MoleculeType& molecule) {
  const ForceField& field = contents_.field;
  switch (*section_) {
    case Directive::atoms:
      return read_atom_line(line, field, molecule);
    case Directive::bonds:
      return read_bond_line(line, field, molecule);
    case Directive::angles:
      return read_angle_line(line, field, molecule);
    case Directive::dihedrals:
      return read_dihedral_line(line, field, molecule);
    case Directive::cmap:
      return read_cmap_line(line, field, molecule);
    case Directive::pairs:
      return read_pair_line(line, field, molecule);
    case Directive::constraints:
      return read_constraint_line(line, field, molecule);
    case Directive::settles:
      return read_settle_line(line, molecule);
    case Directive::exclusions:
      return read_exclusion_line(line, molecule);
    case Directive::position_restraints:
      return read_position_restraint_line(line, molecule);
    case Directive::virtual_sites1:
    case Directive::virtual_sites2:
    case Directive::virtual_sites3:
    case Directive::virtual_sites4:
      return read_site_line(line, *section_, molecule);
    case Directive::virtual_sitesn:
      return read_weighted_site_line(line, molecule);
    default:
      sources_->fail(line.word(0).place,
                     fmt::format("dropmd has no interactions of [ {} ] (remove its lines)", name_of(*section_)));
  }
}

void TopologySections::begin_molecule_type(const TopologyLine& line) {
  MoleculeType molecule = read_molecule_type_line(line);
  if (type_names_.find(molecule.name))
    sources_->fail(molecule.place,
                   fmt::format("a second molecule type {} (each needs a name of its own)", in_quotes(molecule.name)));
  if (whole_system_)
    sources_->fail(molecule.place,
                   "a molecule type after [ intermolecular_interactions ] (the topology must end with it)");
  type_names_.add(molecule.name);
  similar_names_[lower_case(molecule.name)].push_back(contents_.types.size());
  contents_.types.push_back(std::move(molecule));
  is_in_molecule_ = true;
}

std::size_t TopologySections::type_named(const TopologyWord& name, const TopologyLine& line) const {
  if (const auto exact = type_names_.find(name.text)) return *exact;
  if (const auto similar = similar_names_.find(lower_case(name.text)); similar != similar_names_.end()) {
    if (similar->second.size() > 1)
      line.sources().fail(name.place, fmt::format("several molecule types are named {} apart from upper and lower case "
                                                  "(write the name exactly)",
                                                  in_quotes(name.text)));
    return similar->second.front();
  }
  const auto nearest = nearest_word(name.text, type_names_.names());
  line.sources().fail(name.place, fmt::format("unknown molecule type {} ({})", in_quotes(name.text),
                                              nearest ? fmt::format("did you mean {}?", in_quotes(*nearest))
                                                      : std::string("add its [ moleculetype ], or include its file")));
}

void TopologySections::read_molecules_line(const TopologyLine& line) {
  WordReader words(line, "name number");
  const TopologyWord name = words.word("the name of a molecule type");
  if (whole_system_)
    sources_->fail(name.place, "molecules after [ intermolecular_interactions ] (the topology must end with it)");
  MoleculeCount count;
  count.place = name.place;
  count.type = type_named(name, line);
  count.n_molecules =
      static_cast<std::uint64_t>(words.integer("the number of molecules", 0, std::numeric_limits<std::int64_t>::max()));
  words.expect_end();
  contents_.molecules.push_back(count);
}

void TopologySections::begin_between_molecules() {
  if (whole_system_) return;
  count_atoms(contents_, most_atoms_, *sources_);
  whole_system_.emplace();
  for (const MoleculeCount& count : contents_.molecules) {
    const auto& atoms = contents_.types[count.type].atoms;
    for (std::uint64_t k = 0; k < count.n_molecules; ++k)
      whole_system_->atoms.insert(whole_system_->atoms.end(), atoms.begin(), atoms.end());
  }
}

void TopologySections::finish() {
  if (contents_.molecules.empty())
    throw InputError(SourcePlace{sources_->place({}).file},
                     "the topology has no molecules (it must end with [ molecules ])");
  if (whole_system_) contents_.between_molecules = std::move(whole_system_->terms);
}

}  // namespace dropmd::gromacs
