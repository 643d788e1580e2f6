#include "device/cub_scratch.h"

#include <gtest/gtest.h>
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

#include "core/macros.h"
#include "device/cuda.cuh"
#include "device/device_info.h"

/// CUB's own queries give no more than the bounds.
namespace dropmd {
namespace {

constexpr std::uint32_t kSizes[] = {1, 100, 10'000, 1'000'000, 100'000'000};

template <int kDoubles>
struct Sum {
  double of[kDoubles] = {};
};
struct AddSums {
  template <int n>
  DROPMD_HOST_DEVICE Sum<n> operator()(Sum<n> a, const Sum<n>& b) const {
    for (int k = 0; k < n; ++k) a.of[k] += b.of[k];
    return a;
  }
};
template <int kDoubles>
struct SumOfItem {
  DROPMD_HOST_DEVICE Sum<kDoubles> operator()(std::uint32_t i) const { return {{static_cast<double>(i)}}; }
};

class CubScratch : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
};

template <int kDoubles>
void expect_bounded_reduction(std::uint32_t n) {
  std::size_t bytes = 0;
  Sum<kDoubles>* const none = nullptr;
  DROPMD_CUDA(cub::DeviceReduce::TransformReduce(nullptr, bytes, thrust::counting_iterator<std::uint32_t>(0), none, n,
                                                 AddSums{}, SumOfItem<kDoubles>{}, Sum<kDoubles>{}),
              "sizing a reduction");
  EXPECT_LE(bytes, reduce_scratch_bytes(sizeof(Sum<kDoubles>))) << n << " items of " << kDoubles << " doubles";
}

TEST_F(CubScratch, OfAReductionIsBounded) {
  for (const std::uint32_t n : kSizes) {
    expect_bounded_reduction<4>(n);
    expect_bounded_reduction<9>(n);
    expect_bounded_reduction<24>(n);
    expect_bounded_reduction<40>(n);
  }
}

TEST_F(CubScratch, OfASortIsBounded) {
  for (const std::uint32_t n : kSizes) {
    SCOPED_TRACE(n);
    std::size_t bytes = 0;
    cub::DoubleBuffer<std::uint64_t> keys;
    cub::DoubleBuffer<std::uint32_t> values;
    DROPMD_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, n, 0, 63), "sizing a sort");
    EXPECT_LE(bytes, sort_scratch_bytes(n));
    const std::uint32_t* const none = nullptr;
    std::uint32_t* const out = nullptr;
    DROPMD_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, none, out, none, out, n, 0, 30), "sizing a sort");
    EXPECT_LE(bytes, copying_sort_scratch_bytes(n, 8));
  }
}

TEST_F(CubScratch, OfASegmentedSortIsBounded) {
  for (const std::uint32_t n : kSizes) {
    std::size_t bytes = 0;
    const std::uint64_t* const none = nullptr;
    std::uint64_t* const out = nullptr;
    const int* const bounds = nullptr;
    DROPMD_CUDA(cub::DeviceSegmentedRadixSort::SortKeys(nullptr, bytes, none, out, static_cast<int>(n), 1000, bounds,
                                                        bounds, 0, 64),
                "sizing a segmented sort");
    EXPECT_LE(bytes, segmented_sort_scratch_bytes(n, 8) + kCubAlignmentBytes) << n;
  }
}

}  // namespace
}  // namespace dropmd
