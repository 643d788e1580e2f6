#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "forces/mesh/influence_function.h"

namespace dropmd {

/// The influence functions of a run's last meshes, in host memory. Computing one takes about 3 ms for a droplet of
/// 4,000 waters (16 threads, docs/performance.md). A mesh that is rebuilt with the same parameters, as after each
/// change of the population, takes it from here. Large ones are not kept: their memory would matter, and computing them
/// takes little time compared with a run of such meshes. May be used by several threads.
class InfluenceFunctions {
 public:
  /// As InfluenceFunction::make(), bitwise identical.
  std::shared_ptr<const InfluenceFunction> make(Cpu cpu, const MeshKernel& kernel, const MeshBox& box, int order,
                                                double extent);

  /// Values of the largest that is kept: 64 MiB.
  static constexpr std::size_t kMostValues = std::size_t{1} << 23U;

 private:
  /// What a function depends on.
  struct Parameters {
    double cutoff, bandwidth, wide_cutoff, wide_bandwidth;  ///< of the kernel's splits; 0 without the wider one
    double spacing, extent;
    std::array<int, 3> points;
    int order;
    friend bool operator==(const Parameters&, const Parameters&) = default;
  };
  struct Made {
    Parameters parameters;
    std::shared_ptr<const InfluenceFunction> function;
  };
  /// A run has at most two meshes.
  static constexpr std::size_t kMost = 2;

  std::mutex mutex_;
  std::vector<Made> made_;  ///< the last ones, the latest at the end
};

/// The same with the known functions of a run, or without them (null).
inline std::shared_ptr<const InfluenceFunction> make_influence(InfluenceFunctions* known, Cpu cpu,
                                                               const MeshKernel& kernel, const MeshBox& box, int order,
                                                               double extent) {
  if (known != nullptr) return known->make(cpu, kernel, box, order, extent);
  return std::make_shared<const InfluenceFunction>(InfluenceFunction::make(cpu, kernel, box, order, extent));
}

}  // namespace dropmd
