#include "forces/mesh/cuda/transforms/mesh_transforms.cuh"

#include <type_traits>

#include "core/errors.h"
#include "forces/mesh/cuda/transforms/cufft_convolution.cuh"
#include "forces/mesh/cuda/transforms/cufft_library.cuh"
#include "forces/mesh/cuda/transforms/vkfft_convolution.cuh"
#include "forces/mesh/mesh_box.h"

namespace dropmd {

std::string transform_problem(TransformLibrary library) {
  return library == TransformLibrary::vkfft ? VkfftConvolution::problem() : CufftLibrary::problem();
}

template <class Real>
TransformLibrary MeshTransforms<Real>::library_for(const std::array<int, 3>& length) {
  const bool vkfft = std::is_same_v<Real, float> && VkfftConvolution::serves(length) &&
                     transform_problem(TransformLibrary::vkfft).empty();
  return vkfft ? TransformLibrary::vkfft : TransformLibrary::cufft;
}

template <class Real>
MeshTransforms<Real>::MeshTransforms(const Cuda& cuda, const std::array<int, 3>& points,
                                     const InfluenceFunction& influence, TransformLibrary library) {
  if constexpr (std::is_same_v<Real, float>) {
    if (library == TransformLibrary::vkfft) {
      convolution_ = std::make_unique<VkfftConvolution>(cuda, points, influence);
      return;
    }
    if (const std::string problem = transform_problem(library); !problem.empty())
      throw DeviceError("cuFFT: " + problem + "; VkFFT could be used instead, but " +
                        (transform_problem(TransformLibrary::vkfft).empty()
                             ? "not for a mesh of this size"
                             : transform_problem(TransformLibrary::vkfft)));
  }
  convolution_ = std::make_unique<CufftConvolution<Real>>(cuda, points, influence);
}

template <class Real>
MeshTransformBytes MeshTransforms<Real>::bytes(const std::array<int, 3>& points) {
  std::array<int, 3> length{};
  for (std::size_t axis = 0; axis < 3; ++axis) length[axis] = fast_length(2 * points[axis] - 1);
  if (library_for(length) == TransformLibrary::vkfft) return VkfftConvolution::bytes(points, length);
  return CufftConvolution<Real>::bytes(points, length);
}

template class MeshTransforms<float>;
template class MeshTransforms<double>;

}  // namespace dropmd
