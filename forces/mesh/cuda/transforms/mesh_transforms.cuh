#pragma once

#include <array>
#include <memory>

#include "forces/mesh/cuda/transforms/mesh_convolution.cuh"
#include "forces/mesh/cuda/transforms/transform_libraries.h"
#include "forces/mesh/influence_function.h"

namespace dropmd {

/// The convolution of values on a mesh with an influence function in free space, on a GPU, by VkFFT where it can be
/// used, else by cuFFT. Nothing in the interface depends on the library.
///
/// Microseconds in single precision on one NVIDIA H200, cuFFT and VkFFT (docs/far-field.md has more): N = 100: 24 and
/// 26; 128: 33 and 25; 256: 351 and 112; 512: 2,887 and 879. Only near N = 100 is cuFFT faster, by 2, which is not
/// worth another rule.
template <class Real>
class MeshTransforms {
 public:
  /// points: of the box. influence: of the same box. Waits. Throws DeviceError, with the remedies, if there is no
  /// library.
  MeshTransforms(const Cuda& cuda, const std::array<int, 3>& points, const InfluenceFunction& influence)
      : MeshTransforms(cuda, points, influence, library_for(influence.length)) {}
  /// The same with a given library.
  MeshTransforms(const Cuda& cuda, const std::array<int, 3>& points, const InfluenceFunction& influence,
                 TransformLibrary library);

  MeshValues<Real> values() const { return convolution_->values(); }

  /// Replaces the charges, which are integers, by values; only enqueues work, and may be captured in a graph.
  void convolve(const Cuda& cuda, const MeshCharges<Real>& charges) const { convolution_->run(cuda, charges); }

  MeshTransformBytes bytes() const { return convolution_->bytes(); }
  /// Returns an estimate of the same for a box that does not exist.
  static MeshTransformBytes bytes(const std::array<int, 3>& points);

  /// Returns the library that transforms of such lengths would use on this machine; cuFFT if there is none.
  static TransformLibrary library_for(const std::array<int, 3>& length);

 private:
  std::unique_ptr<MeshConvolution<Real>> convolution_;
};

extern template class MeshTransforms<float>;
extern template class MeshTransforms<double>;

}  // namespace dropmd
