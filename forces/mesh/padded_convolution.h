#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

#include "core/execution.h"
#include "forces/mesh/influence_function.h"
#include "forces/mesh/mesh_box.h"

namespace dropmd {

/// Multiplies the transform of real values on a mesh by an influence function, on the CPU: the convolution in free
/// space, without images. The box is padded with zeros to the influence function's lengths, but neither zeros nor
/// values outside of the box are transformed or stored where that can be avoided: lines of x have a forward transform,
/// the product and the inverse transform in one pass.
class PaddedConvolution {
 public:
  /// influence: for the same box.
  PaddedConvolution(const MeshBox& box, InfluenceFunction influence);

  /// Replaces the values at the points of the box, [n_x][n_y][n_z]. Results do not depend on the number of threads.
  void apply(Cpu cpu, std::span<double> values);

  /// Returns the host memory in bytes.
  std::size_t bytes() const;

 private:
  std::array<std::size_t, 3> points_, length_;
  InfluenceFunction influence_;
  std::vector<std::complex<double>> along_z_;   ///< [n_x][n_y][N_z/2 + 1]
  std::vector<std::complex<double>> along_yz_;  ///< [N_y][N_z/2 + 1][n_x]
};

}  // namespace dropmd
