#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "inputs/text_source.h"
#include "inputs/topologies/gromacs/molecules/molecule_sections.h"
#include "inputs/topologies/topology_units.h"

namespace dropmd::gromacs {
namespace {

SiteForm form_of(const InteractionFunction& function) {
  switch (function.directive) {
    case Directive::virtual_sites1:
      return SiteForm::at_one;
    case Directive::virtual_sites2:
      return function.number == 1 ? SiteForm::two : SiteForm::two_fd;
    case Directive::virtual_sites3: {
      constexpr SiteForm kForms[] = {SiteForm::three, SiteForm::three_fd, SiteForm::three_fad, SiteForm::three_out};
      return kForms[function.number - 1];
    }
    default:
      return SiteForm::four_fdn;
  }
}

/// The parameters a, b, c of VirtualSite.
std::array<double, 3> site_parameters(SiteForm form, const Parameters& p) {
  switch (form) {
    case SiteForm::at_one:
      return {};
    case SiteForm::two:
      return {p[0], 0, 0};
    case SiteForm::two_fd:
      return {angstrom_of(p[0]), 0, 0};
    case SiteForm::three:
      return {p[0], p[1], 0};
    case SiteForm::three_fd:
      return {p[0], angstrom_of(p[1]), 0};
    case SiteForm::three_fad:
      return {radian_of(p[0]), angstrom_of(p[1]), 0};
    case SiteForm::three_out:
      return {p[0], p[1], p[2] / 10};  // 1/nm in 1/Å
    case SiteForm::four_fdn:
      return {p[0], p[1], angstrom_of(p[2])};
  }
  return {};
}

/// Reads the site and its parents, which are different atoms.
std::vector<std::uint32_t> read_site_atoms(WordReader& words, Directive section, const MoleculeType& molecule) {
  const auto atoms = [](const auto& read) { return std::vector<std::uint32_t>(read.begin(), read.end()); };
  if (section == Directive::virtual_sites1) return atoms(read_atoms<2>(words, molecule));
  if (section == Directive::virtual_sites2) return atoms(read_atoms<3>(words, molecule));
  if (section == Directive::virtual_sites3) return atoms(read_atoms<4>(words, molecule));
  return atoms(read_atoms<5>(words, molecule));
}

/// Divides the weights by their sum.
void normalise(std::vector<double>& weights, const WordReader& words, const TopologyWord& where) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  if (!(sum > 0)) words.fail(where, "the weights of a virtual site are all 0 (give masses or weights greater than 0)");
  for (double& weight : weights) weight /= sum;
}

}  // namespace

void read_site_line(const TopologyLine& line, Directive section, MoleculeType& molecule) {
  WordReader words(line, "site parents func parameters");
  const TextPlace place = words.peek().place;
  const std::vector<std::uint32_t> atoms = read_site_atoms(words, section, molecule);
  const TopologyWord number = words.peek();
  if (number.text == "-3" || number.text == "-4")
    words.fail(number, fmt::format("function {} derives its parameters from bonds (give function {} with parameters)",
                                   number.text, number.text.substr(1)));
  const InteractionFunction& function = read_function(words, section);
  const auto parameters = read_parameters(words, function);
  if (!parameters && function.n_parameters > 0)
    words.fail(words.peek(), fmt::format("a virtual site without its parameters (give {}; dropmd does not derive them "
                                         "from bonds)",
                                         function.columns));
  VirtualSite site;
  site.form = form_of(function);
  site.site = atoms[0];
  site.parent.fill(atoms[1]);
  std::copy(atoms.begin() + 1, atoms.end(), site.parent.begin());
  site.parameter = site_parameters(site.form, parameters.value_or(Parameters{}));
  molecule.virtual_sites.push_back(site);
  molecule.places.virtual_sites.push_back(place);
}

void read_weighted_site_line(const TopologyLine& line, MoleculeType& molecule) {
  WordReader words(line, "site func parents");
  const TopologyWord first = words.peek();
  WeightedSite site;
  site.site = read_atom(words, molecule);
  const InteractionFunction& function = read_function(words, Directive::virtual_sitesn);
  if (words.n_left() == 0) words.fail(words.peek(), "a virtual site without parents (columns: site func parents)");
  while (words.n_left() > 0) {
    const TopologyWord word = words.peek();
    const std::uint32_t parent = read_atom(words, molecule);
    if (parent == site.site) words.fail(word, "a virtual site is its own parent (choose other atoms)");
    double weight = function.number == 2 ? molecule.atoms[parent].mass : 1;
    if (function.number == 3) {
      const TopologyWord text = words.peek();
      weight = words.number("the weight");
      if (weight < 0) words.fail(text, fmt::format("a weight is {} (it must be at least 0)", shown(text.text)));
    }
    site.parent.push_back(parent);
    site.weight.push_back(weight);
  }
  normalise(site.weight, words, first);
  molecule.weighted_sites.push_back(std::move(site));
  molecule.places.weighted_sites.push_back(first.place);
}

}  // namespace dropmd::gromacs
