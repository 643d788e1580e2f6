#include "engine/population/molecule_kinds.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/particle_fields.h"

namespace dropmd {

namespace {

/// Calls visit(vector) for every list of what acts within molecules, except exclusions.
template <class Visit>
void for_each_list(auto& topology, const Visit& visit) {
  std::apply([&](auto&... terms) { (visit(terms), ...); }, topology.terms);
  visit(topology.constraints);
  visit(topology.virtual_sites);
  visit(topology.weighted_sites);
}

/// Calls visit(number) for every atom of an element of such a list.
template <class Visit>
void for_each_number(auto& element, const Visit& visit) {
  if constexpr (requires { element.site; }) {
    visit(element.site);
    for (auto& number : element.parent) visit(number);
  } else {
    for (auto& number : element.atom) visit(number);
  }
}

std::uint32_t first_number(const auto& element) {
  if constexpr (requires { element.site; })
    return element.site;
  else
    return element.atom[0];
}

/// Returns for each name the first present molecule that has it.
std::vector<AtomBlock> first_of_each(const MolecularModel& model, const Particles& particles) {
  std::vector<AtomBlock> first(model.molecule_names.size());
  const Topology& topology = model.topology;
  for (std::size_t k = 0; k < particles.size(); ++k) {
    const std::uint32_t i = particles.id_of(k) - 1;
    AtomBlock& block = first[model.molecule_name[i]];
    if (block.n_atoms == 0) block.first = i;
    if (block.first + block.n_atoms == i && topology.molecule_of(i) == topology.molecule_of(block.first))
      ++block.n_atoms;
  }
  return first;
}

/// The molecules of a model that serve as patterns for others, before anything changes.
class Patterns {
 public:
  explicit Patterns(const MolecularModel& model)
      : topology_(model.topology), kinds_(model.kinds), names_(model.molecule_names) {}

  /// Adds the terms of a molecule of a kind to a topology. number: of its atoms, in the order of the kind.
  void add(std::uint32_t kind, std::span<const std::uint32_t> number, Topology& to) const {
    const auto copy = [&](const auto& from, auto& into) { append(kind, number, from, into); };
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      (copy(std::get<k>(topology_.terms), std::get<k>(to.terms)), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<BondedTerms>>());
    copy(topology_.constraints, to.constraints);
    copy(topology_.virtual_sites, to.virtual_sites);
    copy(topology_.weighted_sites, to.weighted_sites);
  }

  /// Returns the atoms whose pairs with the k-th atom of a molecule of a kind are excluded, ascending. number: as for
  /// add().
  std::vector<std::uint32_t> excluded(std::uint32_t kind, std::size_t k, std::span<const std::uint32_t> number) const {
    const AtomBlock block = kinds_[kind];
    std::vector<std::uint32_t> excluded;
    for (const std::uint32_t n : topology_.exclusions.of(block.first + k)) excluded.push_back(number[n - block.first]);
    std::sort(excluded.begin(), excluded.end());
    return excluded;
  }

 private:
  template <class Element>
  void append(std::uint32_t kind, std::span<const std::uint32_t> number, const std::vector<Element>& from,
              std::vector<Element>& into) const {
    const AtomBlock block = kinds_[kind];
    for (Element element : from) {
      if (first_number(element) - block.first >= block.n_atoms) continue;
      if constexpr (std::is_same_v<Element, PositionRestraint>)
        throw std::invalid_argument("molecules of '" + names_[kind] +
                                    "' are held in place by restraints, so there can be no others");
      for_each_number(element, [&](std::uint32_t& n) { n = number[n - block.first]; });
      into.push_back(std::move(element));
    }
  }

  Topology topology_;
  std::vector<AtomBlock> kinds_;
  std::vector<std::string> names_;
};

/// Returns the exclusions with other lists for some atoms, whose numbers may be beyond the end.
Exclusions with(const Exclusions& exclusions, const std::map<std::uint32_t, std::vector<std::uint32_t>>& lists,
                std::size_t n_atoms) {
  const bool has_none = std::all_of(lists.begin(), lists.end(), [](const auto& list) { return list.second.empty(); });
  if (exclusions.empty() && has_none) return {};
  Exclusions next;
  next.start.reserve(n_atoms + 1);
  next.excluded.reserve(exclusions.excluded.size());
  next.start.push_back(0);
  auto list = lists.begin();
  for (std::uint32_t i = 0; i < n_atoms; ++i) {
    const bool other = list != lists.end() && list->first == i;
    const std::span<const std::uint32_t> of =
        other ? std::span<const std::uint32_t>(list->second)
              : (i + 1 < exclusions.start.size() ? exclusions.of(i) : std::span<const std::uint32_t>());
    next.excluded.insert(next.excluded.end(), of.begin(), of.end());
    next.start.push_back(static_cast<std::uint32_t>(next.excluded.size()));
    if (other) ++list;
  }
  return next;
}

}  // namespace

MoleculeKinds::MoleculeKinds(const MolecularModel& model, const Particles& particles)
    : model_(std::make_shared<MolecularModel>(model)) {
  // Checkpoints have the charges and masses of present atoms alone, until a molecule has become another.
  model_->charge.resize(model_->type.size());
  model_->mass.resize(model_->type.size());
  for (std::size_t i = 0; i < particles.size(); ++i) {
    model_->charge[particles.id_of(i) - 1] = particles.charge[i];
    model_->mass[particles.id_of(i) - 1] = particles.mass[i];
  }
  if (model_->kinds.empty()) model_->kinds = first_of_each(*model_, particles);
}

std::optional<std::uint32_t> MoleculeKinds::find(std::string_view name) const {
  const auto& names = model_->molecule_names;
  for (std::size_t kind = 0; kind < names.size() && !name.empty(); ++kind)
    if (names[kind] == name && model_->kinds[kind].n_atoms > 0) return static_cast<std::uint32_t>(kind);
  return std::nullopt;
}

std::uint32_t MoleculeKinds::kind(std::string_view name) {
  if (const auto kind = find(name)) return *kind;
  static const std::vector<std::string> kNone;
  const auto& defined = model_->defined ? model_->defined->molecule_names : kNone;
  if (const auto found = std::find(defined.begin(), defined.end(), name); found != defined.end())
    return take_defined(static_cast<std::uint32_t>(found - defined.begin()));
  std::string known;
  const auto add = [&](const std::string& other) { known += (known.empty() ? "" : ", ") + other; };
  for (const std::string& other : model_->molecule_names)
    if (find(other)) add(other);
  for (const std::string& other : defined)
    if (!find(other)) add(other);
  throw std::invalid_argument("the run has no molecule '" + std::string(name) + "'" +
                              (known.empty() ? "" : " (it has " + known + ")"));
}

/// Appends a molecule without atoms in the run. kind: of the defined molecules.
std::uint32_t MoleculeKinds::take_defined(std::uint32_t kind) {
  const MolecularModel& defined = *model_->defined;
  if (model_->type_names.size() < defined.type_names.size()) {
    model_->type_names = defined.type_names;
    model_->lj = defined.lj;
  }
  if (model_->topology.cmap_grids.size() < defined.topology.cmap_grids.size())
    model_->topology.cmap_grids = defined.topology.cmap_grids;
  const AtomBlock block = defined.kinds[kind];
  Change copy{static_cast<std::uint32_t>(model_->kinds.size()), {}, {}};
  for (std::uint32_t k = 0; k < block.n_atoms; ++k) copy.after.push_back(new_number());
  model_->molecule_names.push_back(defined.molecule_names[kind]);
  model_->kinds.push_back({copy.after.front(), block.n_atoms});
  std::map<std::uint32_t, std::vector<std::uint32_t>> excluded;
  const Patterns patterns(defined);
  patterns.add(kind, copy.after, model_->topology);
  copy_atoms(copy, defined, block);
  for (std::uint32_t k = 0; k < block.n_atoms; ++k) excluded[copy.after[k]] = patterns.excluded(kind, k, copy.after);
  model_->topology.exclusions = with(model_->topology.exclusions, excluded, model_->size());
  return copy.kind;
}

std::size_t MoleculeKinds::n_atoms(std::uint32_t kind) const { return model_->kinds[kind].n_atoms; }

std::string_view MoleculeKinds::atom_name(std::uint32_t kind, std::size_t k) const {
  return model_->atom_name.empty() ? std::string_view() : model_->atom_name[model_->kinds[kind].first + k];
}

std::uint32_t MoleculeKinds::new_number() {
  const auto number = static_cast<std::uint32_t>(model_->size());
  if (number >= kMostAtomIds) throw std::length_error("all ids of atoms are used up");
  model_->charge.push_back(0);
  model_->mass.push_back(0);
  model_->molecule_name.push_back(0);
  model_->type.push_back(0);
  if (!model_->topology.molecule.empty()) model_->topology.molecule.push_back(number + 1);
  if (!model_->atom_name.empty()) model_->atom_name.emplace_back();
  if (!model_->residue_name.empty()) model_->residue_name.emplace_back();
  if (!model_->residue_number.empty()) model_->residue_number.push_back(0);
  return number;
}

void MoleculeKinds::make(std::span<const Change> changes) {
  std::vector<char> is_before(model_->size()), is_after(model_->size());
  for (const Change& change : changes) {
    for (const std::uint32_t number : change.before) is_before[number] = 1;
    for (const std::uint32_t number : change.after) is_after[number] = 1;
  }
  const Patterns patterns(*model_);
  Topology& topology = model_->topology;
  for_each_list(topology, [&](auto& list) {
    std::erase_if(list, [&](const auto& element) { return is_before[first_number(element)] != 0; });
  });
  std::map<std::uint32_t, std::vector<std::uint32_t>> excluded;  // by number
  const auto add = [&](const Change& change) {
    patterns.add(change.kind, change.after, topology);
    copy_atoms(change, *model_, model_->kinds[change.kind]);
    for (std::size_t k = 0; k < change.after.size(); ++k)
      excluded[change.after[k]] = patterns.excluded(change.kind, k, change.after);
  };
  for (std::uint32_t kind = 0; kind < model_->kinds.size(); ++kind) {
    const AtomBlock block = model_->kinds[kind];
    if (block.n_atoms == 0 || is_before[block.first] == 0) continue;
    Change copy{kind, {}, {}};  // a molecule without atoms in the run
    for (std::uint32_t k = 0; k < block.n_atoms; ++k) copy.after.push_back(new_number());
    add(copy);
    model_->kinds[kind].first = copy.after.front();
  }
  for (const Change& change : changes) {
    for (const std::uint32_t number : change.before) excluded[number];
    for (const std::uint32_t number : change.before)
      if (is_after[number] == 0) let_go(number);
  }
  for (const Change& change : changes) add(change);
  topology.exclusions = with(topology.exclusions, excluded, model_->size());
}

/// Gives the atoms of a molecule the values and names of those of its kind in a model, `block`. The residue of one that
/// becomes another keeps its number; those of added ones follow all others.
void MoleculeKinds::copy_atoms(const Change& change, const MolecularModel& from, const AtomBlock& block) {
  const auto copy = [&](const auto& values, auto& into) {
    if (into.empty() || values.empty()) return;
    for (std::uint32_t k = 0; k < block.n_atoms; ++k) into[change.after[k]] = values[block.first + k];
  };
  std::vector<std::int32_t>& residue = model_->residue_number;
  std::int32_t shift = 0;  // from the numbers of the residues in the model to those of an added molecule
  if (change.before.empty() && !residue.empty() && !from.residue_number.empty())
    shift = *std::max_element(residue.begin(), residue.end()) + 1 - from.residue_number[block.first];
  copy(from.charge, model_->charge), copy(from.mass, model_->mass), copy(from.type, model_->type);
  copy(from.atom_name, model_->atom_name), copy(from.residue_name, model_->residue_name);
  if (change.before.empty()) copy(from.residue_number, residue);
  for (const std::uint32_t number : change.after) {
    model_->molecule_name[number] = change.kind;
    model_->topology.molecule[number] = change.after.front() + 1;
    if (!residue.empty())
      residue[number] = change.before.empty() ? residue[number] + shift : residue[change.before.front()];
  }
}

/// An atom that has left its molecule, and the run, has a name of its own, which is empty.
void MoleculeKinds::let_go(std::uint32_t number) {
  auto& names = model_->molecule_names;
  auto none = std::find(names.begin(), names.end(), "");
  if (none == names.end()) {
    none = names.emplace(names.end());
    model_->kinds.emplace_back();
  }
  model_->molecule_name[number] = static_cast<std::uint32_t>(none - names.begin());
  model_->topology.molecule[number] = number + 1;
}

}  // namespace dropmd
