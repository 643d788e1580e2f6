#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/device/molecules/cluster_views.cuh"
#include "integrators/constraints/constraint_plan.h"
#include "integrators/virtual_sites/virtual_site_plan.h"

namespace dropmd {

/// The rigid waters that have a virtual site at a linear combination of their atoms, as four-site waters do.
struct WatersWithSites {
  std::vector<std::array<std::uint32_t, 4>> row;  ///< [n] atoms, in the order of the site's parents, and site
  std::vector<std::uint32_t> type;                ///< [n] index into `solver`
  std::vector<SettleAndSite> solver;              ///< [n_types]
  std::vector<bool> has_cluster;                  ///< [clusters of the plan's group] whether it is one of them
  std::vector<bool> has_site;                     ///< [sites of the plan's group] whether it is one of theirs

  /// None.
  WatersWithSites() = default;
  WatersWithSites(const ConstraintPlan& constraints, const VirtualSitePlan& sites) {
    const auto& clusters = std::get<ConstraintGroup<Settle>>(constraints.groups);
    const auto& three = std::get<VirtualSiteGroup<SiteOfThree>>(sites.groups);
    if (three.site.empty()) return;
    has_cluster.resize(clusters.atoms.size());
    has_site.resize(three.site.size());
    std::unordered_map<std::uint32_t, std::size_t> of_apex;
    for (std::size_t c = 0; c < clusters.atoms.size(); ++c) of_apex[clusters.atoms[c][0]] = c;
    for (std::size_t k = 0; k < three.site.size(); ++k) {
      const auto& parent = three.parent[k];
      const auto found = of_apex.find(parent[0]);
      if (found == of_apex.end() || has_cluster[found->second]) continue;
      const std::size_t c = found->second;
      if (!std::is_permutation(parent.begin(), parent.end(), clusters.atoms[c].begin())) continue;
      has_cluster[c] = has_site[k] = true;
      row.push_back({parent[0], parent[1], parent[2], three.site[k]});
      type.push_back(type_of({clusters.solver[clusters.type[c]], three.form[three.type[k]]}));
    }
  }

 private:
  std::uint32_t type_of(const SettleAndSite& one) {
    const auto same = std::find(solver.begin(), solver.end(), one);
    const auto index = static_cast<std::uint32_t>(same - solver.begin());
    if (same == solver.end()) solver.push_back(one);
    return index;
  }
};

}  // namespace dropmd
