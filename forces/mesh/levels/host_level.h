#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/vec3.h"
#include "forces/mesh/levels/mesh_kernel.h"
#include "forces/mesh/mesh_potential.h"

namespace dropmd {

/// A mesh on the host for some of the charges.
class HostLevel {
 public:
  /// Makes the mesh fit a box; `kernel` must be the same as before unless `anew` is set.
  void fit(Cpu cpu, const MeshKernel& kernel, const MeshBox& box, int order, bool anew, InfluenceFunctions& known);
  void clear() { mesh_.reset(); }

  /// Subtracts k_e q ∇φ from the forces of some charges of the mesh's box, and returns ½ k_e Σ q (φ − u(0) q), where u
  /// is the kernel. charges: indices; the other arrays are of all charges.
  double add(Cpu cpu, double coulomb_constant, std::span<const std::uint32_t> charges,
             std::span<const Vec3<double>> position, std::span<const double> charge, std::span<Vec3<double>> force);

  std::uint64_t bytes() const;

 private:
  std::unique_ptr<MeshPotential> mesh_;  ///< null: there is none
  double at_zero_ = 0;                   ///< u(0), 1/length
  // [n_charges] of the last evaluation.
  std::vector<Vec3<double>> position_, gradient_;
  std::vector<double> charge_, potential_;
};

}  // namespace dropmd
