#include "sort/comparator_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

/// The zero-one principle (Knuth, The Art of Computer Programming 3, 5.3.4): a network that sorts every sequence of
/// zeros and ones sorts every sequence. 64 sequences are sorted at once, with one bit each.
namespace dropmd {
namespace {

/// One key of 64 zero-one sequences.
struct Bits {
  std::uint64_t value = 0;

  friend void compare_exchange(Bits& a, Bits& b) {
    const std::uint64_t low = a.value & b.value;
    b.value |= a.value;
    a.value = low;
  }
};

/// The sequences that are not in order, as bits.
template <int N>
std::uint64_t unsorted(const Bits (&key)[N]) {
  std::uint64_t wrong = 0;
  for (int i = 1; i < N; ++i) wrong |= key[i - 1].value & ~key[i].value;
  return wrong;
}

/// Bit k of the number of a sequence is key k.
template <int N>
void set_sequence(Bits (&key)[N], int slot, std::uint64_t sequence) {
  for (int i = 0; i < N; ++i) key[i].value |= (sequence >> i & 1U) << slot;
}

/// Applies `network` to all sequences; returns how many it does not sort.
template <int N, class Network>
std::size_t count_unsorted(const std::vector<std::uint64_t>& sequences, const Network& network) {
  std::size_t wrong = 0;
  for (std::size_t first = 0; first < sequences.size(); first += 64) {
    Bits key[N];
    const std::size_t n = std::min<std::size_t>(64, sequences.size() - first);
    for (std::size_t slot = 0; slot < n; ++slot) set_sequence(key, static_cast<int>(slot), sequences[first + slot]);
    network(key);
    wrong += unsorted(key) != 0 ? 1 : 0;
  }
  return wrong;
}

std::vector<std::uint64_t> all_sequences(int n) {
  std::vector<std::uint64_t> sequences(std::size_t{1} << n);
  for (std::size_t i = 0; i < sequences.size(); ++i) sequences[i] = i;
  return sequences;
}

std::uint64_t mask(int n) { return (std::uint64_t{1} << n) - 1; }

/// Two random sequences for every number of ones, many times, and all sequences that are in order or in reverse order.
std::vector<std::uint64_t> some_sequences(int n) {
  std::vector<std::uint64_t> sequences;
  for (int ones = 0; ones <= n; ++ones) {
    sequences.push_back(mask(ones));
    sequences.push_back(mask(n) & ~mask(n - ones));
  }
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  for (int trial = 0; trial < 400'000; ++trial) {
    const std::uint64_t a = random();
    const std::uint64_t b = random();
    for (const std::uint64_t s : {a, a & b, a | b}) sequences.push_back(s & mask(n));
  }
  return sequences;
}

/// Every cyclic shift of every run of ones: all zero-one sequences that are bitonic.
std::vector<std::uint64_t> bitonic_sequences(int n) {
  std::vector<std::uint64_t> sequences;
  for (int ones = 0; ones <= n; ++ones)
    for (int shift = 0; shift < n; ++shift)
      sequences.push_back((mask(ones) << shift | mask(ones) >> (n - shift)) & mask(n));
  return sequences;
}

/// The constants N of the tests below.
template <int N>
struct Size {
  static constexpr int kSize = N;
};

template <class S>
class BatcherNetworkTest : public ::testing::Test {};
using SortSizes = ::testing::Types<Size<1>, Size<2>, Size<3>, Size<4>, Size<5>, Size<6>, Size<7>, Size<8>, Size<10>,
                                   Size<12>, Size<14>, Size<16>, Size<20>, Size<24>, Size<28>, Size<32>>;
TYPED_TEST_SUITE(BatcherNetworkTest, SortSizes);

TYPED_TEST(BatcherNetworkTest, SortsZerosAndOnes) {
  constexpr int kSize = TypeParam::kSize;
  const auto sequences = kSize <= 20 ? all_sequences(kSize) : some_sequences(kSize);
  EXPECT_EQ((count_unsorted<kSize>(sequences, [](Bits(&key)[kSize]) { sort_registers(key); })), 0U);
}

TYPED_TEST(BatcherNetworkTest, StaysInBoundsAndPutsTheSmallerKeyFirst) {
  for (const Comparator& c : BatcherNetwork<TypeParam::kSize>::kComparators) {
    EXPECT_LT(c.low, c.high);
    EXPECT_LT(c.high, TypeParam::kSize);
  }
}

TYPED_TEST(BatcherNetworkTest, SortsIntegersAndOtherKeys) {
  constexpr int kSize = TypeParam::kSize;
  std::mt19937 random(2);
  for (int trial = 0; trial < 100; ++trial) {
    std::uint32_t words[kSize];
    std::uint64_t wide[kSize];
    for (int i = 0; i < kSize; ++i) {
      words[i] = static_cast<std::uint32_t>(random() % (trial < 50 ? 4 : 0xFFFFFFFF));
      wide[i] = std::uint64_t{words[i]} << 32 | static_cast<std::uint64_t>(i);
    }
    sort_registers(words);
    sort_registers(wide);
    ASSERT_TRUE(std::is_sorted(std::begin(words), std::end(words)));
    ASSERT_TRUE(std::is_sorted(std::begin(wide), std::end(wide)));
    for (int i = 0; i < kSize; ++i) ASSERT_EQ(wide[i] >> 32, words[i]);
  }
}

template <class S>
class MergeBitonicTest : public ::testing::Test {};
using MergeSizes = ::testing::Types<Size<1>, Size<2>, Size<3>, Size<4>, Size<5>, Size<6>, Size<7>, Size<8>, Size<10>,
                                    Size<12>, Size<14>, Size<16>, Size<20>, Size<24>, Size<28>, Size<32>>;
TYPED_TEST_SUITE(MergeBitonicTest, MergeSizes);

TYPED_TEST(MergeBitonicTest, SortsAllBitonicSequences) {
  constexpr int kSize = TypeParam::kSize;
  EXPECT_EQ((count_unsorted<kSize>(bitonic_sequences(kSize), [](Bits(&key)[kSize]) { merge_bitonic<kSize>(key); })),
            0U);
}

/// Otherwise the test above would show nothing.
TEST(MergeBitonic, DoesNotSortEverything) {
  EXPECT_GT((count_unsorted<8>(all_sequences(8), [](Bits(&key)[8]) { merge_bitonic<8>(key); })), 0U);
}

}  // namespace
}  // namespace dropmd
