#include "forces/mesh/cuda/transforms/vkfft_convolution.cuh"

#include <algorithm>

namespace dropmd {

namespace {

/// The numbers of values of the buffers.
struct Sizes {
  std::size_t values, influence;

  Sizes(const std::array<int, 3>& points, const std::array<int, 3>& length) {
    const auto wide = [](int n) { return static_cast<std::size_t>(n); };
    values = wide(points[0]) * wide(length[1]) * wide(length[2] + 2);
    influence = wide(length[0] / 2 + 1) * wide(length[1] / 2 + 1) * wide(length[2] / 2 + 1);
  }
};

}  // namespace

std::string VkfftConvolution::problem() {
  return !vkfft_problem().empty() ? vkfft_problem() : RunTimeKernel::problem();
}

VkfftConvolution::VkfftConvolution(const Cuda& cuda, const std::array<int, 3>& points,
                                   const InfluenceFunction& influence)
    : points_(points), length_(influence.length), d_values_(cuda.stream), d_influence_(cuda.stream) {
  for (const VkfftKernel& kernel : vkfft_convolution(points, influence.length))
    passes_.push_back(
        {RunTimeKernel(cuda, kernel.source, "VkFFT_main", {kernel.grid, kernel.block, kernel.shared_bytes}),
         kernel.reads_charges, kernel.multiplies});
  d_values_.fit(Sizes(points, influence.length).values);
  std::vector<float> octant(influence.value.size());
  std::transform(influence.value.begin(), influence.value.end(), octant.begin(),
                 [](double exact) { return static_cast<float>(exact); });
  d_influence_.upload(octant);

  // The first launches load the kernels, which a capture should not have to do.
  d_values_.zero();
  run(cuda, {});
  cuda.stream.synchronize("preparing the transforms of a mesh");
}

MeshValues<float> VkfftConvolution::values() const {
  return {d_values_.data(), points_, {length_[0], length_[1], length_[2] + 2}, vkfft_rows(points_[1]), points_[2]};
}

void VkfftConvolution::run(const Cuda& cuda, const MeshCharges<float>& charges) const {
  void *values = d_values_.data(), *influence = d_influence_.data();
  const std::uint32_t* wanted = charges.wanted;
  VkfftCharges sums{reinterpret_cast<const int*>(d_values_.data()), charges.unit, charges.errors.first(),
                    charges.errors.any_on_host()};
  for (const Pass& pass : passes_) {
    const auto input = pass.reads_charges ? static_cast<void*>(&sums) : &values;
    std::array<void*, 4> arguments{input, &values, &influence, &wanted};
    if (!pass.multiplies) arguments[2] = &wanted;
    pass.kernel.launch(cuda, std::span(arguments).first(pass.multiplies ? 4 : 3), "transforming a mesh");
  }
}

MeshTransformBytes VkfftConvolution::bytes() const {
  MeshTransformBytes all;
  all.values = sizeof(float) * d_values_.size();
  all.influence = sizeof(float) * d_influence_.size();
  return all;
}

MeshTransformBytes VkfftConvolution::bytes(const std::array<int, 3>& points, const std::array<int, 3>& length) {
  const Sizes sizes(points, length);
  MeshTransformBytes all;
  all.values = sizeof(float) * sizes.values;
  all.influence = sizeof(float) * sizes.influence;
  return all;
}

}  // namespace dropmd
