#include "integrators/virtual_sites/virtual_site_plan.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "integrators/index_of_kind.h"
#include "integrators/virtual_sites/site_check.h"

namespace dropmd {
namespace {

using Numbers = std::span<const std::uint32_t>;

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
    group.type.push_back(index_of_kind(group.form, Form::make(site)));
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
  check_sites(topology, n_atoms, AtomLabels(names));
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
