#include "integrators/virtual_sites/virtual_site_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "core/errors.h"
#include "integrators/atom_labels.h"

namespace dropmd {
namespace {

using Numbers = std::span<const std::uint32_t>;

Numbers parents_of(const VirtualSite& site) { return std::span(site.parent).first(n_parents(site.form)); }
Numbers parents_of(const WeightedSite& site) { return site.parent; }

/// Checks sites against each other and against the atoms.
class SiteCheck {
 public:
  SiteCheck(const Topology& topology, std::size_t n_atoms, const AtomLabels& labels)
      : labels_(labels), is_site_(n_atoms, 0) {
    for (const VirtualSite& site : topology.virtual_sites) note(site.site);
    for (const WeightedSite& site : topology.weighted_sites) note(site.site);
    for (const VirtualSite& site : topology.virtual_sites) check(site);
    for (const WeightedSite& site : topology.weighted_sites) check(site);
  }

 private:
  void check_number(std::uint32_t number) const {
    if (number >= is_site_.size()) throw std::logic_error("a virtual site of an atom that the topology does not have");
  }

  void note(std::uint32_t site) {
    check_number(site);
    if (is_site_[site] != 0)
      throw InputError(fmt::format("atom {} is a virtual site twice (define each site once)", labels_.atom(site)));
    is_site_[site] = 1;
  }

  void check_parents(std::uint32_t site, Numbers parents) const {
    for (std::size_t p = 0; p < parents.size(); ++p) {
      check_number(parents[p]);
      if (is_site_[parents[p]] != 0)
        throw InputError(
            fmt::format("the virtual site {} has the parent {}, which is a virtual site (parents are atoms "
                        "with mass)",
                        labels_.atom(site), labels_.atom(parents[p])));
    }
    std::vector<std::uint32_t> sorted(parents.begin(), parents.end());
    std::ranges::sort(sorted);
    const auto same = std::ranges::adjacent_find(sorted);
    if (same != sorted.end())
      throw InputError(fmt::format("the virtual site {} has the parent {} twice (different atoms)", labels_.atom(site),
                                   labels_.atom(*same)));
  }

  void check_numbers(std::uint32_t site, std::span<const double> numbers) const {
    if (!std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }))
      throw InputError(fmt::format("a parameter of the virtual site {} is not finite (a number)", labels_.atom(site)));
  }

  void check(const VirtualSite& site) const {
    check_parents(site.site, parents_of(site));
    check_numbers(site.site, site.parameter);
  }

  void check(const WeightedSite& site) const {
    constexpr double kRounding = 1e-6;  // of weights that were written with seven digits
    if (site.parent.size() != site.weight.size())
      throw std::logic_error("a virtual site does not have a weight for each parent");
    if (site.parent.empty())
      throw InputError(fmt::format("the virtual site {} has no parents (at least one)", labels_.atom(site.site)));
    check_parents(site.site, site.parent);
    check_numbers(site.site, site.weight);
    const double sum = std::accumulate(site.weight.begin(), site.weight.end(), 0.0);
    if (std::fabs(sum - 1) > kRounding)
      throw InputError(fmt::format("the weights of the virtual site {} add up to {:g} (weights with the sum 1)",
                                   labels_.atom(site.site), sum));
  }

  const AtomLabels& labels_;
  std::vector<char> is_site_;  ///< [n_atoms]
};

bool is_present(std::uint32_t site, Numbers parents, const PresentAtoms& present) {
  std::vector<std::uint32_t> atoms(parents.begin(), parents.end());
  atoms.push_back(site);
  return present.contains(atoms);
}

/// The layer of each site: the first one after all earlier sites with which it shares a parent.
class Layers {
 public:
  explicit Layers(std::size_t n_atoms) : next_(n_atoms, 0) {}

  std::size_t add(Numbers parents) {
    std::uint32_t layer = 0;
    for (const std::uint32_t parent : parents) layer = std::max(layer, next_[parent]);
    for (const std::uint32_t parent : parents) next_[parent] = layer + 1;
    n_ = std::max<std::size_t>(n_, layer + 1);
    return layer;
  }
  std::size_t size() const { return n_; }

 private:
  std::vector<std::uint32_t> next_;  ///< [n_atoms] the first layer without a site of this parent
  std::size_t n_ = 0;
};

/// A site of the topology and where it goes.
struct Entry {
  std::size_t layer, number;
};

/// Sorts entries by layer; returns where each layer begins: [n_layers + 1].
std::vector<std::size_t> sort_by_layer(std::vector<Entry>& entries, std::size_t n_layers) {
  std::ranges::stable_sort(entries, {}, &Entry::layer);
  std::vector<std::size_t> start(n_layers + 1, 0);
  for (const Entry& entry : entries) ++start[entry.layer + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  return start;
}

template <class Form>
void fill(VirtualSiteGroup<Form>& group, std::span<const VirtualSite> sites, std::span<const Entry> all,
          std::size_t n_layers, const PresentAtoms& present) {
  std::vector<Entry> entries;
  std::ranges::copy_if(all, std::back_inserter(entries),
                       [&](const Entry& entry) { return sites[entry.number].form == Form::kForm; });
  group.layer = sort_by_layer(entries, n_layers);
  for (const Entry& entry : entries) {
    const VirtualSite& site = sites[entry.number];
    const Form form = Form::make(site);
    // Sites that are alike are mostly neighbours: the latest types are looked at first.
    auto found = std::find(group.form.rbegin(), group.form.rend(), form);
    if (found == group.form.rend()) {
      group.form.push_back(form);
      found = group.form.rbegin();
    }
    group.type.push_back(static_cast<std::uint32_t>(group.form.rend() - found - 1));
    group.site.push_back(present.of(site.site));
    auto& parents = group.parent.emplace_back();
    for (std::size_t p = 0; p < parents.size(); ++p) parents[p] = present.of(site.parent[p]);
  }
}

void fill(WeightedSiteGroup& group, std::span<const WeightedSite> sites, std::vector<Entry> entries,
          std::size_t n_layers, const PresentAtoms& present) {
  group.layer = sort_by_layer(entries, n_layers);
  group.start.push_back(0);
  for (const Entry& entry : entries) {
    const WeightedSite& site = sites[entry.number];
    group.site.push_back(present.of(site.site));
    for (const std::uint32_t parent : site.parent) group.parent.push_back(present.of(parent));
    group.weight.insert(group.weight.end(), site.weight.begin(), site.weight.end());
    group.start.push_back(group.parent.size());
  }
}

}  // namespace

std::size_t VirtualSitePlan::n_sites() const {
  return weighted.site.size() + std::apply([](const auto&... group) { return (group.site.size() + ...); }, groups);
}

VirtualSitePlan plan_virtual_sites(const Topology& topology, std::size_t n_atoms, const PresentAtoms& present,
                                   std::span<const std::string> names) {
  const AtomLabels labels(names);
  SiteCheck(topology, n_atoms, labels);
  Layers layers(n_atoms);
  const auto entries_of = [&](const auto& sites) {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < sites.size(); ++i)
      if (is_present(sites[i].site, parents_of(sites[i]), present))
        entries.push_back({layers.add(parents_of(sites[i])), i});
    return entries;
  };
  const std::vector<Entry> constructed = entries_of(topology.virtual_sites);
  const std::vector<Entry> weighted = entries_of(topology.weighted_sites);
  VirtualSitePlan plan;
  plan.n_layers = layers.size();
  std::apply([&](auto&... group) { (fill(group, topology.virtual_sites, constructed, plan.n_layers, present), ...); },
             plan.groups);
  fill(plan.weighted, topology.weighted_sites, weighted, plan.n_layers, present);
  return plan;
}

}  // namespace dropmd
