#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/buffer.cuh"
#include "device/cuda.cuh"
#include "forces/mesh/influence_function.h"

namespace dropmd {

/// The values at the points of a mesh in device memory, within the real planes of padded transforms.
template <class Real>
struct MeshValues {
  Real* value;  ///< [points[0]][N_y][N_z]; zero outside of the box before a convolution, undefined after it
  std::array<int, 3> points;  ///< of the box
  std::array<int, 3> length;  ///< N, of the transforms

  DROPMD_HOST_DEVICE std::size_t index(int x, int y, int z) const {
    return (static_cast<std::size_t>(x) * static_cast<std::size_t>(length[1]) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(length[2]) +
           static_cast<std::size_t>(z);
  }
  /// Returns the number of values, with those outside of the box.
  std::size_t size() const { return index(points[0], 0, 0); }
};

/// Device memory of a mesh, bytes.
struct MeshTransformBytes {
  std::uint64_t values = 0;     ///< the real planes
  std::uint64_t spectra = 0;    ///< before and after the transform along x
  std::uint64_t influence = 0;  ///< an octant
  std::uint64_t workspace = 0;  ///< of the transforms; 0 if not known yet

  std::uint64_t total() const { return values + spectra + influence + workspace; }
};

/// The convolution of values on a mesh with an influence function in free space, on a GPU, by cuFFT. Nothing in the
/// interface depends on the library.
///
/// Planes x of the box have a two-dimensional transform along y and z; planes outside of it are zero and have none.
/// Then follow all lines of x, the product, the same lines back, and the planes of the box back.
///
/// Traffic in fp32, in bytes per point of a box of n³ points (N = 2n), if each pass over lines of one axis reads and
/// writes its data once: 64 for the planes, 64 for the lines of x, 68 for the product, 64 and 64 back: 324; fp64 twice
/// as much. Without any pruning it is 464; if lines outside of the box were left out along y and x too, and the
/// product were computed between the two transforms along x, 108.
///
/// cuFFT's results are bitwise identical for equal plans on one device model.
template <class Real>
class MeshTransforms {
 public:
  /// points: of the box. influence: of the same box. Waits.
  MeshTransforms(const Cuda& cuda, const std::array<int, 3>& points, const InfluenceFunction& influence);
  ~MeshTransforms();
  MeshTransforms(MeshTransforms&&) noexcept;

  const MeshValues<Real>& values() const { return values_; }

  /// Replaces the values, on the stream of the constructor; only enqueues work, and may be captured in a graph.
  void convolve(const Cuda& cuda) const;

  MeshTransformBytes bytes() const;
  /// Returns the same for a box that does not exist, without the workspace.
  static MeshTransformBytes bytes(const std::array<int, 3>& points);

 private:
  struct Plans;

  MeshValues<Real> values_;
  DeviceBuffer<Real> d_values_;
  DeviceBuffer<Real> d_planes_;     ///< [N_x][N_y][N_z/2 + 1] complex; zero from x = points[0] on
  DeviceBuffer<Real> d_spectrum_;   ///< [N_x][N_y][N_z/2 + 1] complex
  DeviceBuffer<Real> d_influence_;  ///< [N_x/2 + 1][N_y/2 + 1][N_z/2 + 1] over N_x N_y N_z
  DeviceBuffer<unsigned char> d_workspace_;
  std::unique_ptr<Plans> plans_;
};

extern template class MeshTransforms<float>;
extern template class MeshTransforms<double>;

}  // namespace dropmd
