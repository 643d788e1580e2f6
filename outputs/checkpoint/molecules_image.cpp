#include "outputs/checkpoint/molecules_image.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "outputs/checkpoint/lines.h"
#include "outputs/checkpoint/term_numbers.h"

namespace dropmd {
namespace {

/// Within the group of a model: the model of the kinds of molecules that its topology defines.
constexpr std::string_view kDefined = "/defined";

/// Returns the name of something in the group of a model.
std::string in(const std::string& group, std::string_view name) { return group + '/' + std::string(name); }

/// Calls use(name, vector of terms) for each kind, constraints included.
template <class Use>
void for_each_kind(auto& topology, const Use& use) {
  std::size_t kind = 0;
  std::apply([&](auto&... terms) { (use(kTermNames[kind++], terms), ...); }, topology.terms);
  use(std::string_view("constraints"), topology.constraints);
}

/// Writes a group for each kind that the model has.
template <class Term>
void write_terms(ImageFiller& image, const std::string& model, std::string_view name, const std::vector<Term>& terms) {
  if (terms.empty()) return;
  std::vector<std::uint32_t> atoms;
  std::vector<double> numbers;
  for (const Term& term : terms) {
    atoms.insert(atoms.end(), term.atom.begin(), term.atom.end());
    for_each_number(term, [&](const auto& number) { numbers.push_back(static_cast<double>(number)); });
  }
  const std::string group = in(model, name);
  image.group(group);
  image.array(group + "/atom", atoms);
  image.array(group + "/numbers", numbers);
}

void write_sites(ImageFiller& image, const std::string& group, const Topology& topology) {
  if (!topology.has_sites()) return;
  std::vector<std::uint32_t> forms, sites, parents, weighted, length, weighted_parents;
  std::vector<double> parameters, weights;
  for (const VirtualSite& site : topology.virtual_sites) {
    forms.push_back(static_cast<std::uint32_t>(site.form));
    sites.push_back(site.site);
    parents.insert(parents.end(), site.parent.begin(), site.parent.end());
    parameters.insert(parameters.end(), site.parameter.begin(), site.parameter.end());
  }
  for (const WeightedSite& site : topology.weighted_sites) {
    weighted.push_back(site.site);
    length.push_back(static_cast<std::uint32_t>(site.parent.size()));
    weighted_parents.insert(weighted_parents.end(), site.parent.begin(), site.parent.end());
    weights.insert(weights.end(), site.weight.begin(), site.weight.end());
  }
  image.group(in(group, "sites"));
  image.array(in(group, "sites/form"), forms);
  image.array(in(group, "sites/atom"), sites);
  image.array(in(group, "sites/parent"), parents);
  image.array(in(group, "sites/numbers"), parameters);
  image.array(in(group, "sites/weighted"), weighted);
  image.array(in(group, "sites/length"), length);
  image.array(in(group, "sites/weighted_parent"), weighted_parents);
  image.array(in(group, "sites/weight"), weights);
}

void write_types(ImageFiller& image, const std::string& group, const MolecularModel& model) {
  std::vector<double> numbers;
  for (const LjParameters& lj : model.lj)
    numbers.insert(numbers.end(), {lj.epsilon, lj.sigma, lj.attracts ? 1.0 : 0.0});
  image.array(in(group, "type"), model.type);
  image.text(in(group, "type_names"), joined_lines(model.type_names));
  image.array(in(group, "lj"), numbers);
}

/// Reads the group of one topology, which had n atoms at the start.
class MoleculesReader {
 public:
  MoleculesReader(const Hdf5Reader& image, std::string group, std::size_t n_atoms)
      : image_(image), group_(std::move(group)), n_atoms_(n_atoms) {}

  template <class Term>
  void read(std::string_view name, std::vector<Term>& terms) const {
    const std::string group = in(group_, name);
    if (!image_.has(group)) return;
    const std::vector<std::uint32_t> atoms = this->atoms(group + "/atom");
    const std::vector<double> numbers = this->numbers(group + "/numbers");
    constexpr std::size_t kAtoms = std::tuple_size_v<decltype(Term::atom)>;
    std::size_t per_term = 0;
    Term first{};
    for_each_number(first, [&](const auto&) { ++per_term; });
    if (atoms.size() % kAtoms != 0 || numbers.size() != atoms.size() / kAtoms * per_term) image_.fail(group);
    terms.resize(atoms.size() / kAtoms);
    auto atom = atoms.begin();
    auto number = numbers.begin();
    for (Term& term : terms) {
      std::copy_n(atom, kAtoms, term.atom.begin());
      atom += kAtoms;
      for_each_number(term,
                      [&](auto& value) { value = converted<std::remove_cvref_t<decltype(value)>>(*number++, group); });
    }
  }

  void read_sites(Topology& topology) const {
    if (!image_.has(in(group_, "sites"))) return;
    const std::vector<std::uint32_t> site = atoms(in(group_, "sites/atom"));
    const std::size_t n = site.size();
    const auto form = image_.array<std::uint32_t>(in(group_, "sites/form"), n);
    const std::vector<std::uint32_t> parent = atoms(in(group_, "sites/parent"), 4 * n);
    const std::vector<double> parameter = numbers(in(group_, "sites/numbers"), 3 * n);
    for (std::size_t k = 0; k < n; ++k) {
      if (form[k] > static_cast<std::uint32_t>(SiteForm::four_fdn)) image_.fail(in(group_, "sites/form"));
      VirtualSite& one = topology.virtual_sites.emplace_back(VirtualSite{static_cast<SiteForm>(form[k]), site[k]});
      std::copy_n(parent.begin() + static_cast<std::ptrdiff_t>(4 * k), 4, one.parent.begin());
      std::copy_n(parameter.begin() + static_cast<std::ptrdiff_t>(3 * k), 3, one.parameter.begin());
    }
    read_weighted(topology);
  }

  void read_cmap_grids(Topology& topology) const {
    if (!image_.has(in(group_, "cmap_size"))) return;
    const auto size = image_.array<std::uint32_t>(in(group_, "cmap_size"));
    const std::vector<double> energy = numbers(in(group_, "cmap_energy"));
    std::size_t first = 0;
    for (const std::uint32_t n : size) {
      const std::size_t count = std::size_t{n} * n;
      if (count > energy.size() - first) image_.fail(in(group_, "cmap_size"));
      const auto begin = energy.begin() + static_cast<std::ptrdiff_t>(first);
      topology.cmap_grids.push_back({n, {begin, begin + static_cast<std::ptrdiff_t>(count)}});
      first += count;
    }
    for (const CmapDihedrals& term : std::get<std::vector<CmapDihedrals>>(topology.terms))
      if (term.grid >= topology.cmap_grids.size()) image_.fail(in(group_, "cmap"));
  }

  void read_exclusions(Exclusions& exclusions) const {
    const std::string name = in(group_, "exclusion_start");
    exclusions.start = image_.array<std::uint32_t>(name);
    exclusions.excluded = atoms(in(group_, "excluded"));
    const bool whole = exclusions.start.empty() ? exclusions.excluded.empty()
                                                : exclusions.start.size() == n_atoms_ + 1 && exclusions.start[0] == 0 &&
                                                      exclusions.start.back() == exclusions.excluded.size();
    if (!whole || !std::is_sorted(exclusions.start.begin(), exclusions.start.end())) image_.fail(name);
  }

  void read_types(MolecularModel& model) const {
    model.type_names = split_lines(image_.text(in(group_, "type_names")));
    const std::size_t n_types = model.type_names.size();
    for (const std::uint32_t type : model.type)
      if (type >= n_types) image_.fail(in(group_, "type"));
    const std::vector<double> numbers = this->numbers(in(group_, "lj"), 3 * n_types * n_types);
    for (std::size_t k = 0; k < numbers.size(); k += 3) {
      if (!(numbers[k] >= 0 && numbers[k + 1] >= 0)) image_.fail(in(group_, "lj"));
      model.lj.push_back({numbers[k], numbers[k + 1], numbers[k + 2] != 0});
    }
  }

  void read_constants(MolecularModel& model) const {
    model.charge = numbers(in(group_, "charge"), n_atoms_);
    model.mass = numbers(in(group_, "mass"), n_atoms_);
    for (const double mass : model.mass)
      if (mass < 0) image_.fail(in(group_, "mass"));
  }

 private:
  std::vector<std::uint32_t> atoms(const std::string& name, std::optional<std::size_t> n = std::nullopt) const {
    auto values = image_.array<std::uint32_t>(name, n);
    if (!std::all_of(values.begin(), values.end(), [&](std::uint32_t atom) { return atom < n_atoms_; }))
      image_.fail(name);
    return values;
  }

  std::vector<double> numbers(const std::string& name, std::optional<std::size_t> n = std::nullopt) const {
    auto values = image_.array<double>(name, n);
    if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
      image_.fail(name);
    return values;
  }

  template <class Number>
  Number converted(double value, const std::string& name) const {
    if constexpr (std::is_integral_v<Number>) {
      constexpr double kLeast = std::numeric_limits<Number>::lowest(), kMost = std::numeric_limits<Number>::max();
      if (!(value >= kLeast && value <= kMost)) image_.fail(name);
    }
    return static_cast<Number>(value);
  }

  void read_weighted(Topology& topology) const {
    const std::vector<std::uint32_t> site = atoms(in(group_, "sites/weighted"));
    const auto length = image_.array<std::uint32_t>(in(group_, "sites/length"), site.size());
    const std::vector<std::uint32_t> parent = atoms(in(group_, "sites/weighted_parent"));
    const std::vector<double> weight = numbers(in(group_, "sites/weight"), parent.size());
    std::size_t first = 0;
    for (std::size_t k = 0; k < site.size(); ++k) {
      if (length[k] > parent.size() - first) image_.fail(in(group_, "sites/length"));
      const auto begin = static_cast<std::ptrdiff_t>(first), end = begin + static_cast<std::ptrdiff_t>(length[k]);
      topology.weighted_sites.push_back(
          {site[k], {parent.begin() + begin, parent.begin() + end}, {weight.begin() + begin, weight.begin() + end}});
      first += length[k];
    }
  }

  const Hdf5Reader& image_;
  std::string group_;
  std::size_t n_atoms_;
};

void write_model(ImageFiller& image, const MolecularModel& model, const std::string& group) {
  const Topology& topology = model.topology;
  image.group(group);
  image.text(in(group, "file"), model.file);
  image.text(in(group, "atom_names"), joined_lines(model.atom_name));
  image.text(in(group, "residue_names"), joined_lines(model.residue_name));
  image.array(in(group, "residue_number"),
              std::vector<std::int64_t>(model.residue_number.begin(), model.residue_number.end()));
  image.array(in(group, "molecule_name"), model.molecule_name);
  image.text(in(group, "molecule_names"), joined_lines(model.molecule_names));
  if (!model.kinds.empty()) {
    std::vector<std::uint32_t> kinds;
    for (const AtomBlock& kind : model.kinds) kinds.insert(kinds.end(), {kind.first, kind.n_atoms});
    image.array(in(group, "kinds"), kinds);
    image.array(in(group, "charge"), model.charge);  // also of atoms that are not in the run
    image.array(in(group, "mass"), model.mass);
  }
  write_types(image, group, model);
  image.array(in(group, "molecule"), topology.molecule);
  for_each_kind(topology, [&](std::string_view name, const auto& terms) { write_terms(image, group, name, terms); });
  if (!topology.cmap_grids.empty()) {
    std::vector<std::uint32_t> size;
    std::vector<double> energy;
    for (const CmapGrid& grid : topology.cmap_grids) {
      size.push_back(grid.size);
      energy.insert(energy.end(), grid.energy.begin(), grid.energy.end());
    }
    image.array(in(group, "cmap_size"), size);
    image.array(in(group, "cmap_energy"), energy);
  }
  image.array(in(group, "exclusion_start"), topology.exclusions.start);
  image.array(in(group, "excluded"), topology.exclusions.excluded);
  write_sites(image, group, topology);
}

std::shared_ptr<MolecularModel> read_model(const Hdf5Reader& image, const std::string& group) {
  auto model = std::make_shared<MolecularModel>();
  model->type = image.array<std::uint32_t>(in(group, "type"));
  const std::size_t n = model->type.size();
  const auto per_atom = [&](const std::string& name, auto& values) {
    if (!values.empty() && values.size() != n) image.fail(name);
  };
  model->file = image.text(in(group, "file"));
  model->atom_name = split_lines(image.text(in(group, "atom_names")));
  per_atom(in(group, "atom_names"), model->atom_name);
  model->residue_name = split_lines(image.text(in(group, "residue_names")));
  per_atom(in(group, "residue_names"), model->residue_name);
  const auto residue = image.array<std::int64_t>(in(group, "residue_number"));
  per_atom(in(group, "residue_number"), residue);
  for (const std::int64_t number : residue) {
    if (number != static_cast<std::int32_t>(number)) image.fail(in(group, "residue_number"));
    model->residue_number.push_back(static_cast<std::int32_t>(number));
  }
  model->molecule_names = split_lines(image.text(in(group, "molecule_names")));
  model->molecule_name = image.array<std::uint32_t>(in(group, "molecule_name"), n);
  for (const std::uint32_t name : model->molecule_name)
    if (name >= model->molecule_names.size()) image.fail(in(group, "molecule_name"));
  if (image.has(in(group, "kinds"))) {
    const auto kinds = image.array<std::uint32_t>(in(group, "kinds"), 2 * model->molecule_names.size());
    for (std::size_t k = 0; k < kinds.size(); k += 2) {
      if (kinds[k] > n || kinds[k + 1] > n - kinds[k]) image.fail(in(group, "kinds"));
      model->kinds.push_back({kinds[k], kinds[k + 1]});
    }
  }
  const MoleculesReader reader(image, group, n);
  if (!model->kinds.empty()) reader.read_constants(*model);
  reader.read_types(*model);
  Topology& topology = model->topology;
  topology.molecule = image.array<std::uint32_t>(in(group, "molecule"));
  per_atom(in(group, "molecule"), topology.molecule);
  for_each_kind(topology, [&](std::string_view name, auto& terms) { reader.read(name, terms); });
  reader.read_cmap_grids(topology);
  reader.read_exclusions(topology.exclusions);
  reader.read_sites(topology);
  return model;
}

/// Whether types and grids of a model have the same numbers in the model of the kinds that its topology defines.
bool begins_alike(const MolecularModel& model, const MolecularModel& defined) {
  const auto& names = model.type_names;
  const std::size_t n_grids = model.topology.cmap_grids.size();
  return defined.kinds.size() == defined.molecule_names.size() && names.size() <= defined.type_names.size() &&
         std::equal(names.begin(), names.end(), defined.type_names.begin()) &&
         n_grids <= defined.topology.cmap_grids.size();
}

}  // namespace

void write_molecules(ImageFiller& image, const MolecularModel& model) {
  const std::string group(kMolecules);
  write_model(image, model, group);
  if (model.defined) write_model(image, *model.defined, group + std::string(kDefined));
}

std::shared_ptr<const MolecularModel> read_molecules_image(const Hdf5Reader& image) {
  const std::string group(kMolecules), of_defined = group + std::string(kDefined);
  auto model = read_model(image, group);
  if (!image.has(of_defined)) return model;
  model->defined = read_model(image, of_defined);
  if (!begins_alike(*model, *model->defined)) image.fail(of_defined);
  return model;
}

}  // namespace dropmd
