#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/raw_vector.h"
#include "forces/mesh/influence_function.h"
#include "forces/mesh/mesh_box.h"

namespace dropmd {

/// Multiplies the transform of real values on a mesh by an influence function, on the CPU: the convolution in free
/// space, without images. The box is padded with zeros to the influence function's lengths, but neither zeros nor
/// values outside of the box are transformed or stored (padded_lines.h).
///
/// The lanes of a SIMD pack are parallel lines. There are three passes over memory: real lines along x for each y; for
/// each wave number along x the lines along z and y, the product, and the inverse transforms along y and z; and the
/// inverse transforms along x.
class PaddedConvolution {
 public:
  /// influence: for the same box.
  PaddedConvolution(const MeshBox& box, InfluenceFunction influence);
  ~PaddedConvolution();

  /// Returns the number of values in a row of a mesh in memory: n_z, and enough more that packs that begin at any point
  /// of the box stay within the row.
  static std::size_t row(const MeshBox& box);

  /// Replaces the values at the points of the box, [n_x][n_y][row]. Those beyond n_z must be zero before, and are zero
  /// up to rounding afterwards. Results do not depend on the number of threads.
  void apply(Cpu cpu, std::span<double> values);

  /// Returns the host memory in bytes.
  std::size_t bytes() const;

 private:
  struct Lines;
  struct Workspace;

  void transform_along_x(std::size_t y, std::span<const double> values, Workspace& work);
  void return_along_x(std::size_t y, std::span<double> values, Workspace& work) const;
  /// Convolves the plane of a wave number along x.
  void convolve_plane(std::size_t wave, Workspace& work);
  void transform_along_z(std::size_t first_y, std::size_t wave, Workspace& work) const;
  void return_along_z(std::size_t first_y, std::size_t wave, Workspace& work);
  void convolve_along_y(std::size_t block, std::size_t wave, Workspace& work) const;
  /// Returns the index of a block of lanes in along_x_.
  std::size_t block_at(std::size_t y, std::size_t wave, std::size_t block) const;

  std::array<std::size_t, 3> points_, length_;
  std::size_t row_;
  std::vector<double> influence_;  ///< that of InfluenceFunction, with the factors of the transforms
  std::unique_ptr<Lines> lines_;
  std::vector<std::unique_ptr<Workspace>> work_;  ///< [threads]
  RawVector<double> along_x_;  ///< [n_y][N_x/2 + 1][packs along z][2][lanes] real and imaginary parts
};

}  // namespace dropmd
