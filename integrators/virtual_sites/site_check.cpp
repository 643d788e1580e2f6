#include "integrators/virtual_sites/site_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/errors.h"

namespace dropmd {
namespace {

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
      throw InputError(
          fmt::format("atom {} is defined as a virtual site twice (define each site once)", labels_.atom(site)));
    is_site_[site] = 1;
  }

  void check_parents(std::uint32_t site, std::span<const std::uint32_t> parents) const {
    for (const std::uint32_t parent : parents) {
      check_number(parent);
      if (is_site_[parent] != 0)
        throw InputError(fmt::format(
            "the virtual site {} has the parent {}, which is a virtual site (parents must be atoms with mass)",
            labels_.atom(site), labels_.atom(parent)));
    }
    std::vector<std::uint32_t> sorted(parents.begin(), parents.end());
    std::ranges::sort(sorted);
    const auto same = std::ranges::adjacent_find(sorted);
    if (same != sorted.end())
      throw InputError(fmt::format("the virtual site {} has the parent {} twice (name different atoms)",
                                   labels_.atom(site), labels_.atom(*same)));
  }

  void check_numbers(std::uint32_t site, std::span<const double> numbers) const {
    if (!std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }))
      throw InputError(
          fmt::format("a parameter of the virtual site {} is not finite (it must be a number)", labels_.atom(site)));
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
      throw InputError(fmt::format("the virtual site {} has no parents (name at least one)", labels_.atom(site.site)));
    check_parents(site.site, site.parent);
    check_numbers(site.site, site.weight);
    const double sum = std::accumulate(site.weight.begin(), site.weight.end(), 0.0);
    if (std::fabs(sum - 1) > kRounding)
      throw InputError(fmt::format("the weights of the virtual site {} add up to {:g} (the sum must be 1)",
                                   labels_.atom(site.site), sum));
  }

  const AtomLabels& labels_;
  std::vector<char> is_site_;  ///< [n_atoms]
};

}  // namespace

void check_sites(const Topology& topology, std::size_t n_atoms, const AtomLabels& labels) {
  SiteCheck(topology, n_atoms, labels);
}

}  // namespace dropmd
