#include "forces/mesh/influence_functions.h"

#include <algorithm>
#include <utility>

namespace dropmd {

std::shared_ptr<const InfluenceFunction> InfluenceFunctions::make(Cpu cpu, const MeshKernel& kernel, const MeshBox& box,
                                                                  int order, double extent) {
  const CoulombSplit& split = kernel.split();
  const Parameters wanted{.cutoff = split.cutoff(),
                          .bandwidth = split.bandwidth(),
                          .wide_cutoff = kernel.has_range() ? kernel.wide()->cutoff() : 0,
                          .wide_bandwidth = kernel.has_range() ? kernel.wide()->bandwidth() : 0,
                          .spacing = box.spacing,
                          .extent = extent,
                          .points = box.points,
                          .order = order};
  {
    const std::lock_guard lock(mutex_);
    const auto known =
        std::find_if(made_.begin(), made_.end(), [&](const Made& made) { return made.parameters == wanted; });
    if (known != made_.end()) {
      std::rotate(known, known + 1, made_.end());
      return made_.back().function;
    }
  }
  std::shared_ptr<const InfluenceFunction> function = make_influence(nullptr, cpu, kernel, box, order, extent);
  if (function->value.size() > kMostValues) return function;
  const std::lock_guard lock(mutex_);
  if (made_.size() == kMost) made_.erase(made_.begin());
  made_.push_back({wanted, function});
  return function;
}

}  // namespace dropmd
