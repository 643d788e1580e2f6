#include "forces/mesh/cuda/transforms/vkfft_source.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/errors.h"
#include "device/run_time/nvrtc_library.cuh"

namespace dropmd {
namespace {

/// What needs no GPU.
class VkfftSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!vkfft_problem().empty()) GTEST_SKIP() << vkfft_problem();
  }
};

TEST_F(VkfftSourceTest, WritesFiveKernelsForTheBoxAlone) {
  for (const std::array<int, 3>& points : {std::array{25, 25, 25}, {100, 30, 54}, {7, 128, 192}}) {
    const std::array<int, 3> length{2 * points[0], 2 * points[1], 2 * points[2]};
    const std::vector<VkfftKernel> kernels = vkfft_convolution(points, length);
    ASSERT_EQ(kernels.size(), 5U);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      SCOPED_TRACE(k);
      EXPECT_EQ(kernels[k].reads_charges, k == 0);
      EXPECT_EQ(kernels[k].source.find("Charges inputs(charges);") != std::string::npos, k == 0);
      EXPECT_EQ(kernels[k].multiplies, k == 2);
      EXPECT_EQ(kernels[k].source.find("Octant kernel_obj") != std::string::npos, k == 2);
      EXPECT_EQ(kernels[k].grid[2], static_cast<unsigned>(k == 2 ? length[1] : points[0]));
      EXPECT_LE(kernels[k].shared_bytes, static_cast<unsigned>(VkfftTuning::kSharedBytes));
    }
  }
}

TEST_F(VkfftSourceTest, WritesTheSameAgain) {
  const auto first = vkfft_convolution({50, 40, 45}, {100, 80, 90});
  const auto second = vkfft_convolution({50, 40, 45}, {100, 80, 90});
  for (std::size_t k = 0; k < first.size(); ++k) {
    EXPECT_EQ(first[k].source, second[k].source);
    EXPECT_EQ(first[k].grid, second[k].grid);
    EXPECT_EQ(first[k].block, second[k].block);
  }
}

TEST_F(VkfftSourceTest, ServesLinesOfOnePass) {
  for (const int most : {1500, 1536}) EXPECT_TRUE(vkfft_serves({most, 20, 20})) << most;
  EXPECT_FALSE(vkfft_serves({1600, 20, 20}));
  EXPECT_FALSE(vkfft_serves({20, 1600, 20}));
  EXPECT_TRUE(vkfft_serves({20, 20, 6000}));
  EXPECT_FALSE(vkfft_serves({20, 20, 6250}));
  EXPECT_EQ(vkfft_convolution({768, 10, 3000}, {1536, 20, 6000}).size(), 5U);
  EXPECT_THROW(vkfft_convolution({800, 10, 10}, {1600, 20, 20}), DeviceError);
}

TEST_F(VkfftSourceTest, CompilesForEveryGpu) {
  if (const std::string& problem = NvrtcLibrary::loaded().problem; !problem.empty()) GTEST_SKIP() << problem;
  const auto kernels = vkfft_convolution({45, 30, 25}, {90, 60, 50});
  for (const VkfftKernel& kernel : kernels)
    for (const int capability : {75, 90}) EXPECT_GT(compile_at_run_time(kernel.source, capability).size(), 1000U);
}

TEST(CompileAtRunTime, SaysWhatIsWrongInASource) {
  if (const std::string& problem = NvrtcLibrary::loaded().problem; !problem.empty()) GTEST_SKIP() << problem;
  try {
    compile_at_run_time("__global__ void f() { unknown(); }", 90);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("\"unknown\" is undefined"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace dropmd
