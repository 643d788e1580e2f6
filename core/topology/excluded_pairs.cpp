#include "core/topology/excluded_pairs.h"

#include <algorithm>
#include <array>

#include "core/connected_components.h"
#include "core/particles.h"
#include "core/topology/present_atoms.h"

namespace dropmd {

ExcludedPairs::ExcludedPairs(const Exclusions& exclusions, const Particles& particles) {
  if (exclusions.empty()) return;
  const PresentAtoms present(particles);
  const std::size_t n = particles.size(), n_numbers = exclusions.start.size() - 1;
  mask_.assign(n, 0);
  start_.assign(n + 1, 0);
  excluded_.reserve(exclusions.excluded.size());
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t number = particles.id_of(i) - 1;
    std::uint64_t mask = 0;
    bool ascend = true;
    if (number < n_numbers)
      for (const std::uint32_t other : exclusions.of(number)) {
        const std::uint32_t j = present.of(other);
        if (j == PresentAtoms::kAbsent) present.contains(std::array{number, other});  // throws
        ascend = ascend && (excluded_.size() == start_[i] || excluded_.back() < j);
        excluded_.push_back(j);
        mask |=
            std::uint64_t{1} << std::min<std::uint32_t>(j - i + ExcludedPairsView::kReach, ExcludedPairsView::kMore);
      }
    mask_[i] = mask;
    // Numbers and indices have the same order, except where a molecule has become another.
    if (!ascend) std::sort(excluded_.begin() + static_cast<std::ptrdiff_t>(start_[i]), excluded_.end());
    start_[i + 1] = static_cast<std::uint32_t>(excluded_.size());
  }
}

std::vector<std::uint32_t> ExcludedPairs::groups() const {
  ConnectedComponents components(n_atoms());
  for (std::uint32_t i = 0; i < n_atoms(); ++i)
    for (const std::uint32_t j : of(i)) components.join(i, j);
  return components.labels();
}

OrderedExclusions exclusions_in_order(const ExcludedPairs* excluded, std::span<const std::uint32_t> order) {
  OrderedExclusions ordered;
  if (excluded == nullptr || excluded->empty()) return ordered;
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) place[order[k]] = k;
  ordered.start.push_back(0);
  for (const std::uint32_t i : order) {
    for (const std::uint32_t j : excluded->of(i)) ordered.excluded.push_back(place[j]);
    ordered.start.push_back(static_cast<std::uint32_t>(ordered.excluded.size()));
  }
  return ordered;
}

}  // namespace dropmd
