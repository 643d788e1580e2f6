#include "engine/molecules/molecules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "engine/molecules/hydrogens.h"
#include "engine/molecules/motion_plans.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/element_species.h"
#include "inputs/structures/species_index.h"
#include "inputs/structures/structure.h"
#include "inputs/text_source.h"
#include "inputs/topologies/topology_file.h"
#include "integrators/virtual_sites/cpu_virtual_sites.h"

namespace dropmd {

namespace {

/// Returns the molecules of a topology with their numbers, such as "1000 SOL, 10 NA"; at most a few of them.
/// number_of(i): the number in the model of the i-th of n_atoms atoms; those of a molecule follow one another.
template <class NumberOf>
std::string contents_of(const MolecularModel& model, std::size_t n_atoms, const NumberOf& number_of) {
  constexpr std::size_t kMostNames = 6;
  std::vector<std::size_t> count(model.molecule_names.size());
  std::uint32_t last = 0;  // molecules are numbered from 1 by their first atoms
  for (std::size_t i = 0; i < n_atoms; ++i) {
    const std::uint32_t number = number_of(i), molecule = model.topology.molecule_of(number);
    if (std::exchange(last, molecule) != molecule && number < model.molecule_name.size())
      ++count[model.molecule_name[number]];
  }
  std::string text;
  std::size_t n_named = 0;
  for (std::size_t k = 0; k < count.size(); ++k) {
    if (count[k] == 0) continue;
    if (model.molecule_names[k].empty()) return text;
    if (n_named++ == kMostNames) return text + ", ...";
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count[k], model.molecule_names[k]);
  }
  return text;
}
std::string contents_of(const MolecularModel& model) {
  return contents_of(model, model.size(), [](std::size_t i) { return static_cast<std::uint32_t>(i); });
}

/// Returns the sum of charges in e, without what rounding left in the last digits.
double net_charge(std::span<const double> charge) {
  constexpr double kDigits = 1e6;
  return std::round(kDigits * std::accumulate(charge.begin(), charge.end(), 0.0)) / kDigits + 0.0;
}

void require_same_number(const Structure& structure, const MolecularModel& model) {
  if (structure.position.size() == model.size()) return;
  const std::string contents = contents_of(model);
  throw InputError(
      {structure.file},
      fmt::format("the structure has {} atoms, but the topology {} has {}{} (both must have the same molecules in the "
                  "same order, virtual sites included; if molecules have left a run, the topology must lack them)",
                  structure.position.size(), model.file, model.size(), contents.empty() ? "" : ": " + contents));
}

/// Whether a symbol, such as "Na", is a possible species of an atom with this name, such as "NA" or "1HB": the name
/// begins with it, digits left out.
bool is_species_of(std::string_view symbol, std::string_view name) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.remove_prefix(1);
  return symbol.size() <= name.size() &&
         std::equal(symbol.begin(), symbol.end(), name.begin(), [&](char a, char b) { return lower(a) == lower(b); });
}

/// The species of structures that dropmd writes: the element with the mass, X for virtual sites.
std::string element_of_atom(double mass) { return mass == 0 ? "X" : element_of_mass(mass); }

/// Structures without names of atoms have species, which are symbols of elements or names of atoms or types.
bool fits(const std::string& species, const MolecularModel& model, std::size_t i) {
  return is_species_of(species, model.atom_name[i]) || species == model.type_names[model.type[i]] ||
         species == element_of_atom(model.mass[i]);
}

/// Whether a name is the beginning of another one, as left by columns of four or five characters.
bool is_cut_from(std::string_view name, std::string_view whole) { return name.size() >= 4 && whole.starts_with(name); }

/// The first letter of a name, which is that of the element.
char first_letter(std::string_view name) {
  const auto* const letter =
      std::find_if(name.begin(), name.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  return letter == name.end() ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(*letter)));
}

/// Names of the same element may differ, as conventions for water do ("HW1" and "HW2"), which is worth a warning; an
/// atom of another element is another atom.
void require_same_names(Structure& structure, const MolecularModel& model) {
  if (model.atom_name.empty()) return;
  std::size_t n_others = 0;
  std::string first;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const bool has_names = !structure.atom_name.empty();
    const std::string& name = has_names ? structure.atom_name[i] : structure.species_names[structure.species[i]];
    const std::string& expected = model.atom_name[i];
    if (has_names ? name == expected || is_cut_from(name, expected) : fits(name, model, i)) continue;
    const std::string difference = fmt::format("atom {} is '{}', but the topology {} has '{}' of {} there", i + 1, name,
                                               model.file, expected, model.residue_name[i]);
    if (!has_names || first_letter(name) != first_letter(expected))
      throw InputError(
          structure.place_of_atom(i),
          difference +
              " (the structure must have the same molecules in the same order, with the names of the topology)");
    if (n_others++ == 0) first = difference;
  }
  if (n_others > 0)
    structure.warnings.push_back(
        fmt::format("{} of {} atoms have other names than in the topology, whose names are used: {}", n_others,
                    model.size(), first));
}

void take_names(const Structure& structure, MolecularModel& model) {
  if (model.atom_name.empty()) model.atom_name = structure.atom_name;
  if (!structure.residue_name.empty()) model.residue_name = structure.residue_name;
  if (!structure.residue_number.empty()) model.residue_number = structure.residue_number;
}

/// Species become the elements that the topology's masses imply, which viewers know: names such as CA and OW say
/// little. Virtual sites are X; other atoms without an element keep their species.
void take_elements(const MolecularModel& model, Structure& structure) {
  std::map<double, std::string> element;  // masses repeat
  const std::vector<std::string> names = std::exchange(structure.species_names, {});
  const std::vector<std::uint32_t> before = std::exchange(structure.species, {});
  SpeciesIndex index(structure);
  for (std::size_t i = 0; i < model.size(); ++i) {
    const double mass = model.mass[i];
    auto found = element.find(mass);
    if (found == element.end()) found = element.emplace(mass, element_of_atom(mass)).first;
    index.add_atom(found->second.empty() ? names[before[i]] : found->second);
  }
}

/// The topology's values replace those of the structure; what differs by more than the digits of a file is worth a
/// warning.
void take_values(std::string_view what, const std::vector<double>& of_topology, const std::string& file,
                 std::vector<double>& of_structure, std::vector<std::string>& warnings) {
  constexpr double kDigits = 1e-3;
  bool differ = false;
  for (std::size_t i = 0; i < of_structure.size(); ++i)
    differ = differ || std::abs(of_structure[i] - of_topology[i]) > kDigits * std::max(1.0, std::abs(of_topology[i]));
  if (differ)
    warnings.push_back(
        fmt::format("the {0} are those of the topology, {1}: the {0} of the structure are not used", what, file));
  of_structure = of_topology;
}

/// Warns of bonds much longer than they should be: files of other programs may have molecules that a periodic box cuts.
void warn_of_cut_molecules(const MolecularModel& model, Structure& structure) {
  constexpr double kTooLong = 5;  // Å beyond the length; a box that cuts molecules is larger
  std::size_t n = 0;
  std::string first;
  const auto look = [&](const auto& bond) {
    const double distance = norm(structure.position[bond.atom[1]] - structure.position[bond.atom[0]]);
    if (distance < bond.length + kTooLong) return;
    if (n++ == 0)
      first = fmt::format("atoms {} and {} are {:.1f} A apart, but bonded at {:.2f} A", bond.atom[0] + 1,
                          bond.atom[1] + 1, distance, bond.length);
  };
  for (const Constraint& constraint : model.topology.constraints) look(constraint);
  for (const HarmonicBond& bond : std::get<std::vector<HarmonicBond>>(model.topology.terms)) look(bond);
  if (n > 0)
    structure.warnings.push_back(fmt::format(
        "{} in the structure (such bonds in all: {}): molecules must be whole (gmx trjconv -pbc mol makes them so)",
        first, n));
}

/// Charges that do not add up to a whole number are seldom intended.
void warn_of_broken_charge(MolecularModel& model) {
  constexpr double kRounding = 0.01;  // e; force fields have charges of a few digits
  const double charge = net_charge(model.charge);
  if (std::abs(charge - std::round(charge)) > kRounding)
    model.warnings.push_back(fmt::format(
        "the charges of {} add up to {:.4g} e, which is not a whole number (check its [ atoms ])", model.file, charge));
}

/// Momenta belong to the masses beside them: with other masses, such as repartitioned ones, the velocities stay.
void take_masses(const MolecularModel& model, Structure& structure) {
  if (!structure.mass.empty())
    for (std::size_t i = 0; i < structure.momentum.size(); ++i)
      if (structure.mass[i] > 0) structure.momentum[i] = (model.mass[i] / structure.mass[i]) * structure.momentum[i];
  take_values("masses", model.mass, model.file, structure.mass, structure.warnings);
}

/// Changes masses and bonds as the run file says.
void change_hydrogens(const TopologySettings& settings, MolecularModel& model) {
  if (settings.hydrogen_mass) repartition_hydrogen_mass(*settings.hydrogen_mass, settings.hydrogen_mass_place, model);
  if (settings.bonds == BondConstraints::hydrogens) constrain_hydrogen_bonds(model);
}

/// Does the same for the kinds that the topology defines. If that is not possible, only those that the structure has
/// remain, since the others are not part of the run.
void change_hydrogens_of_defined(const TopologySettings& settings, MolecularModel& model) {
  if (!model.defined) return;
  auto defined = std::make_shared<MolecularModel>(*model.defined);
  try {
    change_hydrogens(settings, *defined);
    model.defined = std::move(defined);
  } catch (const InputError&) {
    model.defined.reset();
  }
}

}  // namespace

std::shared_ptr<const MolecularModel> read_molecules(const RunConfig& config, Structure& structure) {
  const TopologySettings& settings = config.topology;
  if (!settings.given()) return nullptr;
  require_file(settings.file, settings.place);
  auto model = std::make_shared<MolecularModel>(read_topology_file(settings));
  require_same_number(structure, *model);
  require_same_names(structure, *model);
  take_names(structure, *model);
  take_elements(*model, structure);
  change_hydrogens(settings, *model);
  change_hydrogens_of_defined(settings, *model);
  for (PositionRestraint& restraint : std::get<std::vector<PositionRestraint>>(model->topology.terms))
    restraint.reference = structure.position[restraint.atom[0]];
  if (model->topology.has_sites()) {
    const VirtualSitePlan sites = of_topology(*model, [&](std::span<const std::string> names) {
      return plan_virtual_sites(model->topology, model->size(), {}, names);
    });
    CpuVirtualSites(sites).place(Cpu{}, structure.position);
  }
  warn_of_cut_molecules(*model, structure);
  warn_of_broken_charge(*model);
  take_masses(*model, structure);
  take_values("charges", model->charge, model->file, structure.charge, structure.warnings);
  std::move(model->warnings.begin(), model->warnings.end(), std::back_inserter(structure.warnings));
  model->warnings.clear();
  if (config.title.empty() && !model->title.empty()) structure.title = model->title;
  return model;
}

std::string describe_molecules(const System& system) {
  const MolecularModel& model = *system.molecules;
  std::string text = "topology " + model.file;
  const Particles& p = system.particles;
  const auto number_of = [&](std::size_t i) { return p.id_of(i) - 1; };
  if (const std::string contents = contents_of(model, p.size(), number_of); !contents.empty()) text += ": " + contents;
  text += fmt::format("; net charge {:.4g} e", net_charge(p.charge));
  if (const ConstraintPlan constraints = constraints_of(system); constraints.n_constraints > 0)
    text += "; constraints: " + constraints.summary();
  if (const std::size_t n_sites = virtual_sites_of(system).n_sites(); n_sites > 0)
    text += fmt::format("; {} virtual site{}", n_sites, n_sites == 1 ? "" : "s");
  return text;
}

const AtomNames* atom_names_of(const System& system) {
  const MolecularModel* const model = system.molecules.get();
  return model != nullptr && !model->atom_name.empty() && !model->residue_name.empty() ? model : nullptr;
}

std::string present_molecules(const System& system) {
  constexpr std::size_t kMostBlocks = 12;
  const MolecularModel& model = *system.molecules;
  const Particles& p = system.particles;
  struct Block {
    std::string_view name;
    std::size_t molecules;
  };
  std::vector<Block> blocks;
  std::uint32_t last = 0;  // molecules are numbered from 1 by their first atoms
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::uint32_t atom = p.id_of(i) - 1, molecule = model.topology.molecule_of(atom);
    if (std::exchange(last, molecule) == molecule) continue;
    if (atom >= model.molecule_name.size()) return {};
    const std::string& name = model.molecule_names[model.molecule_name[atom]];
    if (name.empty()) return {};
    if (blocks.empty() || blocks.back().name != name) blocks.push_back({name, 0});
    ++blocks.back().molecules;
  }
  if (blocks.size() > kMostBlocks) return {};
  std::string text;
  for (const auto& [name, molecules] : blocks)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, molecules);
  return text;
}

std::vector<std::string> names_for_messages(const MolecularModel& model) {
  if (model.atom_name.empty() || model.residue_name.empty()) return model.atom_name;
  std::vector<std::string> names(model.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = fmt::format("{} of {} {}", model.atom_name[i], model.residue_name[i], model.residue_number[i]);
  return names;
}

}  // namespace dropmd
