#pragma once

#include <span>
#include <utility>

#include "core/execution.h"
#include "core/vec3.h"
#include "integrators/virtual_sites/virtual_site_plan.h"

namespace dropmd {

/// Constructs virtual sites and spreads their forces on the CPU. Arrays have n_atoms elements, in the order of the
/// plan's indices. Results are bitwise identical for every number of threads: forces on one parent are added layer by
/// layer, at most one in each layer.
class CpuVirtualSites {
 public:
  explicit CpuVirtualSites(VirtualSitePlan plan) : plan_(std::move(plan)) {}

  const VirtualSitePlan& plan() const { return plan_; }

  /// Places the sites from the positions of their parents.
  void place(Cpu cpu, std::span<Vec3<double>> position) const;

  /// Adds the forces of the sites to those of their parents, so that total force and torque stay the same, and sets
  /// those of the sites to 0. position: only those of the parents count; sites may have any.
  void spread(Cpu cpu, std::span<const Vec3<double>> position, std::span<Vec3<double>> force) const;

 private:
  VirtualSitePlan plan_;
};

}  // namespace dropmd
