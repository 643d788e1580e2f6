#pragma once

#include <array>
#include <memory>

#include "device/buffer.cuh"
#include "forces/mesh/cuda/transforms/mesh_convolution.cuh"
#include "forces/mesh/influence_function.h"

namespace dropmd {

/// The convolution by cuFFT.
///
/// Planes x of the box have a two-dimensional transform along y and z; planes outside of it are zero and have none.
/// Then follow all lines of x, the product, the same lines back, and the planes of the box back.
///
/// Traffic in fp32, in bytes per point of a box of n³ points (N = 2n), if each pass over lines of one axis reads and
/// writes its data once: 64 for the planes, 64 for the lines of x, 68 for the product, 64 and 64 back: 324 in all; fp64
/// takes twice as much. Without any pruning it is 464.
///
/// cuFFT's results are bitwise identical for equal plans on one device model.
template <class Real>
class CufftConvolution final : public MeshConvolution<Real> {
 public:
  /// points: of the box. influence: of the same box. Waits.
  CufftConvolution(const Cuda& cuda, const std::array<int, 3>& points, const InfluenceFunction& influence);
  ~CufftConvolution() override;

  MeshValues<Real> values() const override { return {d_values_.data(), points_, length_, length_[1], length_[2]}; }
  void run(const Cuda& cuda, const MeshCharges<Real>& charges) const override;
  MeshTransformBytes bytes() const override;
  /// Returns an estimate of the same for a box that does not exist.
  static MeshTransformBytes bytes(const std::array<int, 3>& points, const std::array<int, 3>& length);

 private:
  struct Plans;

  std::array<int, 3> points_, length_;
  DeviceBuffer<Real> d_values_;
  DeviceBuffer<Real> d_planes_;     ///< [N_x][N_y][N_z/2 + 1] complex; zero from x = points[0] on
  DeviceBuffer<Real> d_spectrum_;   ///< [N_x][N_y][N_z/2 + 1] complex
  DeviceBuffer<Real> d_influence_;  ///< [N_x/2 + 1][N_y/2 + 1][N_z/2 + 1] over N_x N_y N_z
  DeviceBuffer<unsigned char> d_workspace_;
  std::unique_ptr<Plans> plans_;
};

extern template class CufftConvolution<float>;
extern template class CufftConvolution<double>;

}  // namespace dropmd
