#include "sort/size_class.h"

#include <gtest/gtest.h>

#include <set>

namespace dropmd {
namespace {

TEST(SizeClass, HoldsEveryLength) {
  for (int length = 1; length <= kMaxRegisterLength; ++length) {
    const int index = size_class_of(length);
    ASSERT_GE(index, 0);
    ASSERT_LT(index, kSizeClasses);
    EXPECT_GE(size_class_capacity(index), length);
    if (index == 0) continue;
    EXPECT_LT(size_class_capacity(index - 1), length) << "a smaller class would do";
  }
  EXPECT_EQ(size_class_of(1), 0);
  EXPECT_EQ(size_class_of(kMaxRegisterLength), kSizeClasses - 1);
}

TEST(SizeClass, CapacitiesIncreaseAndBelongToTheirClass) {
  for (int index = 0; index < kSizeClasses; ++index) {
    EXPECT_EQ(size_class_of(size_class_capacity(index)), index);
    if (index == 0) continue;
    EXPECT_GT(size_class_capacity(index), size_class_capacity(index - 1));
  }
  EXPECT_EQ(size_class_capacity(kSizeClasses - 1), kMaxRegisterLength);
}

TEST(SizeClass, PadsByAQuarterAtMost) {
  for (int length = 9; length <= kMaxRegisterLength; ++length) {
    const int capacity = size_class_capacity(size_class_of(length));
    EXPECT_LE(4 * (capacity - length), capacity) << length;
  }
}

TEST(SizeClass, LanesAndKeysMakeTheCapacity) {
  for (int index = 0; index < kSizeClasses; ++index) {
    const SizeClass chosen = size_class(index);
    EXPECT_EQ(chosen.capacity(), size_class_capacity(index));
    EXPECT_EQ(chosen.keys_per_lane << chosen.log_lanes, chosen.capacity());
    EXPECT_GE(chosen.log_lanes, 0);
    EXPECT_LE(chosen.log_lanes, 5);
    EXPECT_EQ(chosen.segments_per_warp() << chosen.log_lanes, 32);
    EXPECT_LE(chosen.keys_per_lane, 32);
  }
}

/// The counts are 2^n times 1, 3, 5 or 7: for other counts there is no bitonic merger.
TEST(SizeClass, KeysOfALaneHaveAMerger) {
  const std::set<int> odd_parts{1, 3, 5, 7};
  for (int index = 0; index < kSizeClasses; ++index) {
    int keys = size_class(index).keys_per_lane;
    while (keys % 2 == 0) keys /= 2;
    EXPECT_TRUE(odd_parts.contains(keys)) << index;
  }
}

}  // namespace
}  // namespace dropmd
