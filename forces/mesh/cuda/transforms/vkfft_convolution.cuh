#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "device/buffer.cuh"
#include "device/run_time/run_time_kernel.cuh"
#include "forces/mesh/cuda/transforms/mesh_convolution.cuh"
#include "forces/mesh/cuda/transforms/vkfft_source.h"
#include "forces/mesh/influence_function.h"

namespace dropmd {

/// The convolution by VkFFT, in single precision: five kernels, which VkFFT writes and NVRTC compiles. One of them has
/// the transform along x, the product and the transform back along x; lines outside of the box are left out along all
/// axes.
///
/// Traffic in bytes per point of a box of n³ points (N = 2n), if each pass reads and writes its data once: 4 + 8 along
/// z, 8 + 16 along y, 16 + 16 along x and 2 for the octant of the influence function, 16 + 8 and 8 + 4 back: 106.
///
/// Writing and compiling kernels takes about half a second for a box of a new size, and no time for sizes that the
/// process has had before. Kernels depend on the size of the box alone: nothing is chosen by timing. So results are
/// bitwise identical for one version of NVRTC on one device model.
class VkfftConvolution final : public MeshConvolution<float> {
 public:
  /// Returns why it cannot be used on this machine, with the remedy; empty if it can.
  static std::string problem();
  /// Returns whether it can be used for transforms of such lengths.
  static bool serves(const std::array<int, 3>& length) { return vkfft_serves(length); }

  /// points: of the box. influence: of the same box. Waits.
  VkfftConvolution(const Cuda& cuda, const std::array<int, 3>& points, const InfluenceFunction& influence);

  MeshValues<float> values() const override;
  void run(const Cuda& cuda, const MeshCharges<float>& charges) const override;
  MeshTransformBytes bytes() const override;
  /// Returns the same for a box that does not exist.
  static MeshTransformBytes bytes(const std::array<int, 3>& points, const std::array<int, 3>& length);

 private:
  struct Pass {
    RunTimeKernel kernel;
    bool reads_charges, multiplies;
  };

  std::array<int, 3> points_, length_;
  DeviceBuffer<float> d_values_;     ///< [points_x][N_y][N_z + 2], or [points_x][N_y][N_z/2 + 1] complex
  DeviceBuffer<float> d_influence_;  ///< [N_x/2 + 1][N_y/2 + 1][N_z/2 + 1]
  std::vector<Pass> passes_;
};

}  // namespace dropmd
