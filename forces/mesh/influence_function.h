#pragma once

#include <array>
#include <vector>

#include "core/execution.h"
#include "forces/mesh/levels/mesh_kernel.h"
#include "forces/mesh/mesh_box.h"

namespace dropmd {

/// The Green function by which the transform of the charges on a mesh is multiplied to give the potential on the mesh,
/// in free space: optimal for B-splines of an order and analytic differentiation.
///
/// The potential of the smeared charges is truncated at R, beyond the largest distance of two charges:
///
///   4π/k² (1 − cos kR) Φ̂(k)                                Vico, Greengard, Ferrando, J. Comput. Phys. 323, 191 (2016)
///
/// so that a periodic mesh whose length is at least that of the box + R + r_c has no images within the box. A kernel
/// that has a range needs no truncation, and a length of the box + the range. On that mesh the influence function that
/// minimises the error of the forces is
///
///   G(k) = Σₘ kₘ² L̂(kₘ) Û²(kₘ) / (Σₘ Û²(kₘ) Σₘ kₘ² Û²(kₘ)),   kₘ = k + 2πm/h        Hockney and Eastwood, 1988
///
/// where Û is the transform of the B-spline, a product of [sin(kh/2)/(kh/2)]^P, and aliases beyond the bandwidth of the
/// split are left out of the numerator. Its values in real space at the offsets between points of the box, transformed
/// with the length of the padded box, are the result. All are real and even, so the two transforms along an axis are
/// one matrix of cosines, and only an octant is computed.
struct InfluenceFunction {
  std::array<int, 3> length{};  ///< N: of the padded transforms along x, y and z, even and at least 2n − 1
  std::vector<double> value{};  ///< [N_x/2 + 1][N_y/2 + 1][N_z/2 + 1], 1/length

  /// box: of the mesh. order: of the B-splines. extent: the largest distance of two charges in the box, length.
  static InfluenceFunction make(Cpu cpu, const MeshKernel& kernel, const MeshBox& box, int order, double extent);
};

}  // namespace dropmd
