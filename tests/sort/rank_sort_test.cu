#include "sort/rank/rank_sort.cuh"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <tuple>

#include "device/device_info.h"
#include "tests/support/sort_data.h"

namespace dropmd {
namespace {

constexpr DuplicateRule kAllRules[] = {DuplicateRule::packed_index, DuplicateRule::upper_triangular,
                                       DuplicateRule::rank_of_ranks};

template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<int>& permutation) {
  std::vector<T> result;
  for (const int at : permutation) result.push_back(values[static_cast<std::size_t>(at)]);
  return result;
}

/// Whether a and b [n_keys] agree in one segment.
template <class T, class A, class B>
bool equal_in(const RaggedArrays<T>& arrays, int s, const A& a, const B& b) {
  const auto at = static_cast<std::size_t>(s);
  return std::equal(a.begin() + arrays.offsets[at], a.begin() + arrays.offsets[at + 1], b.begin() + arrays.offsets[at]);
}

class RankSort : public testing::TestWithParam<RankSortVariant> {
 protected:
  void SetUp() override {
    const DeviceReport report = query_devices();
    if (report.devices.empty()) GTEST_SKIP() << report.reason;
    stream_.emplace(0);
    errors_.emplace(*stream_);
  }

  Cuda cuda() const { return {*stream_}; }
  template <class T>
  DeviceBuffer<T> on_device(const std::vector<T>& host) const {
    DeviceBuffer<T> buffer(*stream_);
    buffer.upload(host);
    return buffer;
  }
  template <class T>
  void fetch(const DeviceBuffer<T>& buffer, GuardedArray<T>& array) const {
    buffer.download(array.whole());
    stream_->synchronize("fetching a test's output");
  }

  /// Sorted words and permutation of the whole array, with poison where nothing was written.
  std::pair<std::vector<PackedWord>, std::vector<int>> sort_words(const Segments& segments,
                                                                  const std::vector<PackedWord>& words,
                                                                  int max_length = kMaxRegisterLength) {
    GuardedArray<PackedWord> sorted(words.size());
    GuardedArray<int> permutation(words.size());
    const auto d_words = on_device(words);
    const auto d_sorted = on_device(sorted.whole());
    const auto d_permutation = on_device(permutation.whole());
    rank_sort(cuda(), GetParam(), segments,
              {d_words.data(), d_sorted.data() + sorted.kGuard, d_permutation.data() + permutation.kGuard},
              errors_->view(), max_length);
    fetch(d_sorted, sorted);
    fetch(d_permutation, permutation);
    EXPECT_TRUE(sorted.guards_intact());
    EXPECT_TRUE(permutation.guards_intact());
    return {{sorted.values().begin(), sorted.values().end()},
            {permutation.values().begin(), permutation.values().end()}};
  }

  template <class T, class Less>
  void expect_stable_permutations(const RaggedArrays<T>& arrays, int max_length, Less less) {
    const auto expected = stable_permutation(std::span<const int>(arrays.offsets), arrays.values, less);
    const auto d_offsets = on_device(arrays.offsets);
    const auto d_values = on_device(arrays.values);
    const auto segments = Segments::ragged(d_offsets.data(), arrays.count(), arrays.n_keys());
    for (const DuplicateRule rule : kAllRules) {
      GuardedArray<int> permutation(arrays.values.size());
      const auto d_permutation = on_device(permutation.whole());
      rank_sort(cuda(), GetParam(), rule, segments, d_values.data(), d_permutation.data() + permutation.kGuard,
                errors_->view(), max_length);
      fetch(d_permutation, permutation);
      EXPECT_TRUE(permutation.guards_intact());
      for (int s = 0; s < arrays.count(); ++s)
        ASSERT_TRUE(equal_in(arrays, s, permutation.values(), expected))
            << arrays.describe(s) << ", rule " << static_cast<int>(rule) << ", longest " << max_length;
    }
    EXPECT_FALSE(errors_->read());
  }

  std::optional<Stream> stream_;
  std::optional<ErrorRecord> errors_;
};

TEST_P(RankSort, SortsWordsOfEveryLengthInEveryClass) {
  for (const int longest : {8, 16, 32, 64, 128, 256, 512, 1024}) {
    const auto arrays = make_ragged<PackedWord>(every_length_to(longest), kAllPatterns, make_words);
    const auto expected = stable_permutation(std::span<const int>(arrays.offsets), arrays.values, std::less<>{});
    const auto d_offsets = on_device(arrays.offsets);
    const auto [sorted, permutation] =
        sort_words(Segments::ragged(d_offsets.data(), arrays.count(), arrays.n_keys()), arrays.values, longest);
    const auto expected_words = permuted(arrays.values, expected);
    for (int s = 0; s < arrays.count(); ++s) {
      ASSERT_TRUE(equal_in(arrays, s, permutation, expected)) << arrays.describe(s) << ", longest " << longest;
      ASSERT_TRUE(equal_in(arrays, s, sorted, expected_words)) << arrays.describe(s) << ", longest " << longest;
    }
    EXPECT_FALSE(errors_->read());
  }
}

TEST_P(RankSort, RanksIntegersWithDuplicatesByEveryRule) {
  for (const int longest : {32, 128, 1024})
    expect_stable_permutations(make_ragged<std::uint32_t>(every_length_to(longest), kAllPatterns, make_integers),
                               longest, std::less<>{});
}

TEST_P(RankSort, RanksRealsByEveryRule) {
  for (const int longest : {32, 128, 1024})
    expect_stable_permutations(make_ragged<float>(every_length_to(longest), kAllPatterns, make_reals), longest,
                               real_less);
}

TEST_P(RankSort, SortsUniformSegments) {
  for (const int length : every_length_to(kMaxRegisterLength)) {
    const int n_segments = length <= 130 ? 37 : 5;
    const std::vector<int> lengths(n_segments, length);
    const auto arrays =
        make_ragged<PackedWord>(lengths, std::span(kAllPatterns, 1), make_words, static_cast<std::uint32_t>(length));
    const auto expected = stable_permutation(std::span<const int>(arrays.offsets), arrays.values, std::less<>{});
    const auto [sorted, permutation] = sort_words(Segments::uniform(n_segments, length), arrays.values);
    ASSERT_EQ(permutation, expected) << "length " << length;
    ASSERT_EQ(sorted, permuted(arrays.values, expected)) << "length " << length;
  }
  EXPECT_FALSE(errors_->read());
}

TEST_P(RankSort, SortsInPlaceAndWithoutPermutation) {
  const std::vector<int> lengths = poisson_lengths(2000, 90, 0.5, 11);
  const auto arrays = make_ragged<PackedWord>(lengths, std::span(kAllPatterns, 1), make_words);
  const auto expected = stable_permutation(std::span<const int>(arrays.offsets), arrays.values, std::less<>{});
  const auto d_offsets = on_device(arrays.offsets);
  const auto d_words = on_device(arrays.values);
  rank_sort(cuda(), GetParam(), Segments::ragged(d_offsets.data(), arrays.count(), arrays.n_keys()),
            {d_words.data(), d_words.data(), nullptr}, errors_->view());
  std::vector<PackedWord> sorted(arrays.values.size());
  d_words.download(sorted);
  stream_->synchronize("fetching a test's output");
  EXPECT_EQ(sorted, permuted(arrays.values, expected));
}

/// Segments that are too long surround each of the others, so that nothing may be written there.
TEST_P(RankSort, WritesNothingOutsideItsSegments) {
  constexpr int kLongest = 200;
  RaggedArrays<PackedWord> arrays;
  const auto guard = [&] { arrays.add(SortPattern::reversed, make_words(SortPattern::reversed, kLongest + 1, 5)); };
  guard();
  for (const int length : every_length_to(kLongest)) {
    arrays.add(SortPattern::random, make_words(SortPattern::random, static_cast<std::size_t>(length), 17));
    guard();
  }
  const auto expected = stable_permutation(std::span<const int>(arrays.offsets), arrays.values, std::less<>{});
  const auto d_offsets = on_device(arrays.offsets);
  const auto [sorted, permutation] =
      sort_words(Segments::ragged(d_offsets.data(), arrays.count(), arrays.n_keys()), arrays.values, kLongest);
  for (int s = 0; s < arrays.count(); ++s)
    for (int i = arrays.offsets[s]; i < arrays.offsets[s + 1]; ++i) {
      const bool is_guard = s % 2 == 0;
      ASSERT_EQ(sorted[i], is_guard ? GuardedArray<PackedWord>::poison() : arrays.values[expected[i]])
          << arrays.describe(s);
      ASSERT_EQ(permutation[i], is_guard ? GuardedArray<int>::poison() : expected[i]) << arrays.describe(s);
    }
  const std::optional<DeviceFault> fault = errors_->read();
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, static_cast<std::uint8_t>(SegmentFault::too_long));
  EXPECT_EQ(fault->index, 0);
}

TEST_P(RankSort, ReportsFaultySegmentsAndSortsTheOthers) {
  constexpr int kLeast = std::numeric_limits<int>::min();
  constexpr int kMost = std::numeric_limits<int>::max();
  const std::vector<std::tuple<std::vector<int>, SegmentFault, int>> cases = {
      {{0, 40, 30, 2000}, SegmentFault::decreasing, 1},        {{0, 40, 2001, 2001}, SegmentFault::out_of_range, 1},
      {{0, 40, kMost, kLeast}, SegmentFault::out_of_range, 1}, {{0, 40, kLeast, kMost}, SegmentFault::out_of_range, 1},
      {{0, 40, 1065, 2000}, SegmentFault::too_long, 1},        {{0, 40, 40, -1}, SegmentFault::out_of_range, 2}};
  for (const auto& [offsets, code, index] : cases) {
    const auto words = make_words(SortPattern::random, 2000, 23);
    const auto d_offsets = on_device(offsets);
    const auto sorted = sort_words(Segments::ragged(d_offsets.data(), 3, 2000), words).first;
    const std::optional<DeviceFault> fault = errors_->read();
    errors_->clear();
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->code, static_cast<std::uint8_t>(code));
    EXPECT_EQ(fault->index, index);
    std::vector<PackedWord> first(words.begin(), words.begin() + 40);
    std::sort(first.begin(), first.end());
    EXPECT_TRUE(std::equal(first.begin(), first.end(), sorted.begin()));
  }
  const auto words = make_words(SortPattern::random, 3 * 1025, 23);
  sort_words(Segments::uniform(3, 1025), words);
  ASSERT_TRUE(errors_->read());
  EXPECT_EQ(errors_->read()->code, static_cast<std::uint8_t>(SegmentFault::too_long));
}

TEST_P(RankSort, TakesNoSegmentsAndEmptyOnes) {
  sort_words(Segments{}, {});
  sort_words(Segments::uniform(1000, 0), {});
  const auto d_offsets = on_device(std::vector<int>(1001, 0));
  sort_words(Segments::ragged(d_offsets.data(), 1000, 0), {});
  EXPECT_FALSE(errors_->read());
}

TEST_P(RankSort, SortsTenMillionSegments) {
  constexpr int kSegments = 10'000'000;
  // The words are unique within their segments: with this seed no two neighbours are equal.
  const std::vector<PackedWord> words = make_integers(SortPattern::random, 2 * std::size_t{kSegments}, 3);
  DeviceBuffer<PackedWord> d_words = on_device(words);
  rank_sort(cuda(), GetParam(), Segments::uniform(kSegments, 2), {d_words.data(), d_words.data(), nullptr},
            errors_->view());
  std::vector<PackedWord> sorted(words.size());
  d_words.download(sorted);
  stream_->synchronize("fetching a test's output");
  int n_wrong = 0;
  for (std::size_t i = 0; i < words.size(); i += 2)
    n_wrong +=
        std::min(words[i], words[i + 1]) == sorted[i] && std::max(words[i], words[i + 1]) == sorted[i + 1] ? 0 : 1;
  EXPECT_EQ(n_wrong, 0);
}

std::string name_of(const testing::TestParamInfo<RankSortVariant>& variant) {
  constexpr const char* kNames[] = {"one", "n", "lg_n"};
  return kNames[static_cast<int>(variant.param)];
}
INSTANTIATE_TEST_SUITE_P(Variants, RankSort,
                         testing::Values(RankSortVariant::one, RankSortVariant::n, RankSortVariant::lg_n), name_of);

}  // namespace
}  // namespace dropmd
