#include <gtest/gtest.h>

#include <cstring>

#include "device/buffer.cuh"
#include "device/device_info.h"
#include "tests/core/symmetric_matrices.h"

namespace dropmd {
namespace {

__global__ void symmetric_eigen_kernel(const SymmetricMatrix* matrix, std::uint32_t n, SymmetricEigen* eigen) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) eigen[i] = symmetric_eigen(matrix[i]);
}

TEST(SymmetricEigenCuda, GivesTheBitsOfTheCpu) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  std::vector<SymmetricMatrix> matrix;
  for (const KnownMatrix& known : known_matrices()) matrix.push_back(known.matrix);
  const auto n = static_cast<std::uint32_t>(matrix.size());
  const Stream stream(0);
  DeviceBuffer<SymmetricMatrix> d_matrix(stream);
  DeviceBuffer<SymmetricEigen> d_eigen(stream);
  d_matrix.upload(matrix);
  d_eigen.resize(n);
  symmetric_eigen_kernel<<<(n + 63) / 64, 64, 0, stream.get()>>>(d_matrix.data(), n, d_eigen.data());
  DROPMD_CUDA_LAUNCHED("finding eigenvalues");
  std::vector<SymmetricEigen> eigen(n);
  d_eigen.download(eigen);
  stream.synchronize("finding eigenvalues");
  for (std::uint32_t i = 0; i < n; ++i) {
    const SymmetricEigen on_cpu = symmetric_eigen(matrix[i]);
    ASSERT_EQ(std::memcmp(&eigen[i], &on_cpu, sizeof on_cpu), 0)
        << "matrix " << i << ": " << eigen[i].value[0] << " instead of " << on_cpu.value[0];
  }
}

}  // namespace
}  // namespace dropmd
