#include "inputs/topologies/gromacs/molecules/model_assembly.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include "inputs/text_source.h"
#include "inputs/topologies/gromacs/molecules/exclusion_lists.h"
#include "inputs/topologies/gromacs/molecules/molecule_checks.h"

namespace dropmd::gromacs {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::size_t kMostTypes = 2048;  // the table of pairs is quadratic

template <class Element>
std::size_t bytes_of(const std::vector<Element>& elements) {
  return elements.size() * sizeof(Element);
}

/// Returns about how much memory a molecule takes in a model.
std::size_t bytes_of(const MoleculeType& molecule) {
  constexpr std::size_t kAtomBytes = 120;  // vectors of MolecularModel and Topology
  std::size_t bytes = molecule.atoms.size() * kAtomBytes + bytes_of(molecule.constraints) +
                      bytes_of(molecule.virtual_sites) + 2 * bytes_of(molecule.excluded_pairs);
  std::apply([&](const auto&... terms) { ((bytes += bytes_of(terms)), ...); }, molecule.terms);
  return bytes;
}

double physical_memory() {
  static const double bytes =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

/// Numbers things in the order in which they are first used.
class Renumbering {
 public:
  explicit Renumbering(std::size_t n) : number_(n, kNone) {}

  std::uint32_t operator()(std::uint32_t old) {
    if (number_[old] == kNone) {
      number_[old] = static_cast<std::uint32_t>(used_.size());
      used_.push_back(old);
    }
    return number_[old];
  }
  /// The old numbers, in the new order.
  const std::vector<std::uint32_t>& used() const { return used_; }

 private:
  std::vector<std::uint32_t> number_, used_;
};

/// Appends molecules to a model.
class Assembly {
 public:
  Assembly(const TopologyContents& contents, std::size_t n_atoms, MolecularModel& model)
      : contents_(&contents),
        model_(&model),
        types_(contents.field.types.size()),
        grids_(contents.field.cmap_grids.size()),
        names_(contents.types.size()) {
    model.atom_name.reserve(n_atoms);
    model.residue_name.reserve(n_atoms);
    model.residue_number.reserve(n_atoms);
    model.charge.reserve(n_atoms);
    model.mass.reserve(n_atoms);
    model.molecule_name.reserve(n_atoms);
    model.type.reserve(n_atoms);
    model.topology.molecule.reserve(n_atoms);
    model.topology.exclusions.start.reserve(n_atoms + 1);
    model.topology.exclusions.start.push_back(0);
  }

  void add(const MoleculeCount& count, const Exclusions& exclusions) {
    if (count.n_molecules == 0) return;
    const MoleculeType& molecule = contents_->types[count.type];
    const std::uint32_t name = names_(static_cast<std::uint32_t>(count.type));
    for (std::uint64_t k = 0; k < count.n_molecules; ++k) {
      const auto first = static_cast<std::uint32_t>(model_->size());
      add_atoms(molecule, name);
      add_terms(molecule.terms, first);
      add_constraints_and_sites(molecule, first);
      add_exclusions(exclusions, first);
    }
  }

  void add_terms(const BondedTerms& terms, std::uint32_t first) {
    std::apply([&](const auto&... of_a_kind) { (add_terms_of(of_a_kind, first), ...); }, terms);
  }

  /// Gives types and grids the numbers that they have in another model of the same contents, and the names of molecules
  /// their order there. To be called before anything is added. Returns the molecule types of that model, in that order.
  std::vector<std::uint32_t> number_as(const Assembly& other) {
    types_ = other.types_;
    grids_ = other.grids_;
    names_ = other.names_;
    return names_.used();
  }

  /// The number of types that atoms have.
  std::size_t n_types() const { return types_.used().size(); }

  /// Completes what covers the whole model.
  void finish() {
    const ForceField& field = contents_->field;
    for (const std::uint32_t grid : grids_.used()) model_->topology.cmap_grids.push_back(field.cmap_grids[grid]);
    for (const std::uint32_t type : names_.used()) model_->molecule_names.push_back(contents_->types[type].name);
    for (const std::uint32_t a : types_.used()) {
      model_->type_names.push_back(field.type_names.name(a));
      for (const std::uint32_t b : types_.used())
        model_->lj.push_back(lj_parameters(field.defaults->rule, field.lj_of(a, b)));
    }
    if (model_->topology.exclusions.excluded.empty()) model_->topology.exclusions.start.clear();
  }

 private:
  void add_atoms(const MoleculeType& molecule, std::uint32_t name) {
    const auto id = static_cast<std::uint32_t>(model_->size() + 1);
    for (const MoleculeAtom& atom : molecule.atoms) {
      model_->atom_name.push_back(atom.name);
      model_->residue_name.push_back(atom.residue_name);
      model_->residue_number.push_back(atom.residue_number);
      model_->charge.push_back(atom.charge);
      model_->mass.push_back(atom.mass);
      model_->molecule_name.push_back(name);
      model_->type.push_back(types_(atom.type));
      model_->topology.molecule.push_back(id);
    }
  }

  template <class Term>
  void add_terms_of(const std::vector<Term>& terms, std::uint32_t first) {
    auto& all = std::get<std::vector<Term>>(model_->topology.terms);
    for (Term term : terms) {
      for (std::uint32_t& atom : term.atom) atom += first;
      if constexpr (requires { term.grid; }) term.grid = grids_(term.grid);
      all.push_back(term);
    }
  }

  void add_constraints_and_sites(const MoleculeType& molecule, std::uint32_t first) {
    Topology& topology = model_->topology;
    for (Constraint constraint : molecule.constraints) {
      for (std::uint32_t& atom : constraint.atom) atom += first;
      topology.constraints.push_back(constraint);
    }
    for (VirtualSite site : molecule.virtual_sites) {
      site.site += first;
      for (std::uint32_t& parent : site.parent) parent += first;
      topology.virtual_sites.push_back(site);
    }
    for (WeightedSite site : molecule.weighted_sites) {
      site.site += first;
      for (std::uint32_t& parent : site.parent) parent += first;
      topology.weighted_sites.push_back(std::move(site));
    }
  }

  void add_exclusions(const Exclusions& exclusions, std::uint32_t first) {
    Exclusions& all = model_->topology.exclusions;
    const auto n_before = static_cast<std::uint32_t>(all.excluded.size());
    for (std::size_t k = 1; k < exclusions.start.size(); ++k) all.start.push_back(n_before + exclusions.start[k]);
    for (const std::uint32_t atom : exclusions.excluded) all.excluded.push_back(atom + first);
  }

  const TopologyContents* contents_;
  MolecularModel* model_;
  Renumbering types_, grids_, names_;
};

/// Checks each molecule type that occurs, and returns its exclusions.
std::vector<Exclusions> exclusions_of_types(const TopologyContents& contents, const SourceMap& sources) {
  std::vector<Exclusions> exclusions(contents.types.size());
  for (const MoleculeCount& count : contents.molecules) {
    const MoleculeType& molecule = contents.types[count.type];
    if (count.n_molecules == 0 || !exclusions[count.type].start.empty()) continue;
    check_molecule_type(molecule, contents.field, sources);
    exclusions[count.type] = exclusions_of(molecule, sources);
  }
  return exclusions;
}

/// Returns the exclusions of a molecule type; nullopt if no molecule of it can be made, which is no mistake as long as
/// the system has none.
std::optional<Exclusions> exclusions_if_possible(const MoleculeType& molecule, const ForceField& field,
                                                 const SourceMap& sources) {
  try {
    check_molecule_type(molecule, field, sources);
    return exclusions_of(molecule, sources);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Returns one molecule of each type, beginning with those that the assembly has; null if they have too many types of
/// atoms.
std::shared_ptr<const MolecularModel> defined_molecules(const TopologyContents& contents, const SourceMap& sources,
                                                        const Assembly& of_run) {
  auto model = std::make_shared<MolecularModel>();
  Assembly assembly(contents, 0, *model);
  std::vector<std::uint32_t> types = assembly.number_as(of_run);
  for (std::uint32_t type = 0; type < contents.types.size(); ++type)
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  for (const std::uint32_t type : types) {
    const auto exclusions = exclusions_if_possible(contents.types[type], contents.field, sources);
    if (!exclusions) continue;
    model->kinds.push_back(
        {static_cast<std::uint32_t>(model->size()), static_cast<std::uint32_t>(contents.types[type].atoms.size())});
    assembly.add({.type = type, .n_molecules = 1, .place = {}}, *exclusions);
  }
  if (assembly.n_types() > kMostTypes) return nullptr;
  assembly.finish();
  return model;
}

std::vector<OneAtomMolecule> one_atom_molecules(const std::vector<MoleculeType>& types) {
  std::vector<OneAtomMolecule> molecules;
  for (const MoleculeType& type : types) {
    if (type.atoms.size() != 1) continue;
    const MoleculeAtom& atom = type.atoms[0];
    molecules.push_back({type.name, atom.residue_name, atom.name, atom.charge, atom.mass});
  }
  return molecules;
}

}  // namespace

std::size_t count_atoms(const TopologyContents& contents, std::size_t most_atoms, const SourceMap& sources) {
  double bytes = 0;
  std::size_t n_atoms = 0;
  for (const MoleculeCount& count : contents.molecules) {
    const MoleculeType& molecule = contents.types[count.type];
    const std::size_t n = molecule.atoms.size();
    if (n > 0 && count.n_molecules > (most_atoms - n_atoms) / n)
      sources.fail(count.place, fmt::format("{} molecules of {} atoms make more than {} atoms (use fewer molecules)",
                                            count.n_molecules, n, most_atoms));
    n_atoms += static_cast<std::size_t>(count.n_molecules) * n;
    bytes += static_cast<double>(count.n_molecules) * static_cast<double>(bytes_of(molecule));
    if (bytes > physical_memory())
      sources.fail(
          count.place,
          fmt::format("{} molecules need {:.0f} GB of memory, but the machine has {:.0f} GB (use fewer molecules)",
                      count.n_molecules, bytes / 1e9, physical_memory() / 1e9));
  }
  return n_atoms;
}

void assemble(const TopologyContents& contents, std::size_t most_atoms, const SourceMap& sources,
              MolecularModel& model) {
  const std::size_t n_atoms = count_atoms(contents, most_atoms, sources);
  const std::vector<Exclusions> exclusions = exclusions_of_types(contents, sources);
  Assembly assembly(contents, n_atoms, model);
  std::size_t n_exclusions = 0;
  for (const MoleculeCount& count : contents.molecules) {
    const std::size_t n = exclusions[count.type].excluded.size();
    n_exclusions += n * static_cast<std::size_t>(count.n_molecules);
    if (n_exclusions >= kNone)
      sources.fail(count.place,
                   fmt::format("{} molecules with {} exclusions each make more than {} (use fewer molecules)",
                               count.n_molecules, n, kNone));
    assembly.add(count, exclusions[count.type]);
    if (assembly.n_types() > kMostTypes)
      sources.fail(count.place, fmt::format("the molecules so far have {} types of atoms (at most {} are allowed)",
                                            assembly.n_types(), kMostTypes));
  }
  if (n_atoms == 0)
    throw InputError(SourcePlace{model.file}, "the topology has no atoms (list molecules in [ molecules ])");
  assembly.add_terms(contents.between_molecules, 0);
  assembly.finish();
  model.one_atom_molecules = one_atom_molecules(contents.types);
  model.defined = defined_molecules(contents, sources, assembly);
}

}  // namespace dropmd::gromacs
