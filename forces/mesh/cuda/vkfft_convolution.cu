#include "forces/mesh/cuda/vkfft_convolution.cuh"

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

std::vector<float> octant_of(const InfluenceFunction& influence) {
  std::vector<float> value(influence.value.size());
  std::transform(influence.value.begin(), influence.value.end(), value.begin(),
                 [](double exact) { return static_cast<float>(exact); });
  return value;
}

/// Returns the influence function at all wave vectors, [N_x][N_y][N_z/2 + 1] complex.
std::vector<float> complex_of(const InfluenceFunction& influence) {
  const auto& n = influence.length;
  std::vector<float> value;
  for (int x = 0; x < n[0]; ++x)
    for (int y = 0; y < n[1]; ++y) {
      const int waves = n[2] / 2 + 1, row = std::min(x, n[0] - x) * (n[1] / 2 + 1) + std::min(y, n[1] - y);
      for (int z = 0; z < waves; ++z) {
        value.push_back(static_cast<float>(influence.value[static_cast<std::size_t>(row) * waves + z]));
        value.push_back(0);
      }
    }
  return value;
}

}  // namespace

std::string VkfftConvolution::problem() {
  return !vkfft_problem().empty() ? vkfft_problem() : RunTimeKernel::problem();
}

VkfftConvolution::VkfftConvolution(const Cuda& cuda, const std::array<int, 3>& points,
                                   const InfluenceFunction& influence, const VkfftTuning& tuning)
    : points_(points),
      length_(influence.length),
      d_values_(cuda.stream),
      d_influence_(cuda.stream),
      d_tables_(cuda.stream) {
  std::vector<unsigned char> tables;
  for (const VkfftKernel& kernel : vkfft_convolution(points, influence.length, tuning)) {
    passes_.push_back(
        {RunTimeKernel(cuda, kernel.source, "VkFFT_main", {kernel.grid, kernel.block, kernel.shared_bytes}),
         kernel.multiplies, tables.size(), !kernel.table.empty()});
    tables.insert(tables.end(), kernel.table.begin(), kernel.table.end());
    tables.resize((tables.size() + 255) / 256 * 256);
  }
  d_tables_.upload(tables);
  d_values_.fit(Sizes(points, influence.length).values);
  const std::vector<float> value = tuning.octant ? octant_of(influence) : complex_of(influence);
  d_influence_.fit(value.size());
  d_influence_.upload(value);

  // The first launches load the kernels, which a capture should not have to do.
  d_values_.zero();
  run(cuda);
  cuda.stream.synchronize("preparing the transforms of a mesh");
}

MeshValues<float> VkfftConvolution::values() const {
  return {d_values_.data(), points_, {length_[0], length_[1], length_[2] + 2}};
}

void VkfftConvolution::run(const Cuda& cuda) const {
  void *values = d_values_.data(), *influence = d_influence_.data();
  for (const Pass& pass : passes_) {
    void* table = d_tables_.data() + pass.table;
    std::array<void*, 4> arguments{&values, &values};
    std::size_t n = 2;
    if (pass.multiplies) arguments[n++] = &influence;
    if (pass.has_table) arguments[n++] = &table;
    pass.kernel.launch(cuda, {arguments.data(), n}, "transforming a mesh");
  }
}

MeshTransformBytes VkfftConvolution::bytes() const {
  MeshTransformBytes all;
  all.values = sizeof(float) * d_values_.size();
  all.influence = sizeof(float) * d_influence_.size();
  all.workspace = d_tables_.size();
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
