#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <climits>
#include <stdexcept>

#include "core/errors.h"
#include "tests/support/host_sorts.h"

namespace dropmd {
namespace {

using host_sorts::all_lengths;
using host_sorts::bits;
using host_sorts::expect_packed_sorted;
using host_sorts::expect_reals_sorted;
using host_sorts::expect_words_sorted;
using host_sorts::Guarded;
using host_sorts::Outputs;
using host_sorts::segments_of;

TEST(SegmentSortCpu, RealsOfEveryLengthAndPattern) {
  expect_reals_sorted(make_ragged<float>(all_lengths({1025, 5000, 70'000}), kAllPatterns, make_reals), 2);
}

TEST(SegmentSortCpu, QuantisedRealsOfEveryLengthAndPattern) {
  expect_packed_sorted(make_ragged<float>(all_lengths({1025, 5000, kMaxPackedLength}), kAllPatterns, make_reals), 2);
}

TEST(SegmentSortCpu, WordsOfEveryLengthAndPattern) {
  expect_words_sorted(make_ragged<PackedWord>(all_lengths({1025, 5000, kMaxPackedLength}), kAllPatterns, make_words),
                      2);
}

TEST(SegmentSortCpu, IntegersWithDuplicatesOfEveryLengthAndPattern) {
  expect_words_sorted(make_ragged<PackedWord>(all_lengths({1025, 5000, 70'000}), kAllPatterns, make_integers), 2);
}

/// One segment at a time: a batch with one lane in use.
TEST(SegmentSortCpu, SingleSegments) {
  for (const int length : usual_lengths()) {
    SCOPED_TRACE(length);
    expect_reals_sorted(make_ragged<float>(std::vector{length}, std::vector{SortPattern::random}, make_reals), 1);
    expect_words_sorted(make_ragged<PackedWord>(std::vector{length}, std::vector{SortPattern::random}, make_words), 1);
  }
}

TEST(SegmentSortCpu, RaggedSegmentsWithEmptyOnes) {
  for (const double mean : {1.0, 10.0, 30.0, 60.0, 90.0, 120.0, 400.0}) {
    SCOPED_TRACE(mean);
    const auto lengths = poisson_lengths(2000, mean, 0.5, 11);
    constexpr SortPattern kRandom[] = {SortPattern::random};
    expect_reals_sorted(make_ragged<float>(lengths, kRandom, make_reals), 2);
    expect_packed_sorted(make_ragged<float>(lengths, kRandom, make_reals), 2);
    expect_words_sorted(make_ragged<PackedWord>(lengths, kRandom, make_words), 2);
  }
}

TEST(SegmentSortCpu, NothingToSort) {
  const int offsets[] = {0, 0, 0, 0};
  EXPECT_NO_THROW(sort_segments(Cpu{2}, Segments::ragged(offsets, 3, 0), WordSort{}));
  EXPECT_NO_THROW(sort_segments(Cpu{2}, Segments::ragged(offsets, 0, 0), RealSort{}));
  EXPECT_NO_THROW(sort_segments(Cpu{2}, Segments::uniform(0, 90), PackedSort{}));
  EXPECT_NO_THROW(sort_segments(Cpu{2}, Segments::uniform(7, 0), RealSort{}));
  EXPECT_NO_THROW(sort_segments(Cpu{2}, Segments{}, WordSort{}));
  EXPECT_NO_THROW(sort_segments(Cpu{0}, Segments::uniform(7, 0), WordSort{})) << "no threads: one";
}

TEST(SegmentSortCpu, KeysOutsideAllSegmentsAreLeftAlone) {
  const std::vector<float> values = make_reals(SortPattern::random, 100, 1);
  const int offsets[] = {20, 50, 50, 90};
  Outputs<float> out(100);
  sort_segments(Cpu{1}, Segments::ragged(offsets, 3, 100),
                RealSort{values.data(), out.sorted.data(), out.permutation.data()});
  const auto sorted = out.sorted.contents();
  EXPECT_TRUE(std::is_sorted(sorted.begin() + 20, sorted.begin() + 50));
  EXPECT_TRUE(std::is_sorted(sorted.begin() + 50, sorted.begin() + 90));
  for (const auto& [first, last] : {std::pair{0, 20}, std::pair{90, 100}}) {
    EXPECT_TRUE(out.sorted.is_poisoned(static_cast<std::size_t>(first), static_cast<std::size_t>(last)));
    EXPECT_TRUE(out.permutation.is_poisoned(static_cast<std::size_t>(first), static_cast<std::size_t>(last)));
  }
  out.expect_whole_guards();
}

TEST(SegmentSortCpu, UniformSegmentsAreRaggedOnesOfOneLength) {
  for (const int length : {1, 7, 8, 9, 90, 128, 1024, 1500}) {
    constexpr int kCount = 37;
    const auto n = std::size_t{kCount} * static_cast<std::size_t>(length);
    const std::vector<float> values = make_reals(SortPattern::signed_zeros, n, 3);
    const std::vector<int> offsets = make_ragged_offsets(std::vector<int>(kCount, length));
    Outputs<float> uniform(n), ragged(n);
    sort_segments(Cpu{2}, Segments::uniform(kCount, length),
                  RealSort{values.data(), uniform.sorted.data(), uniform.permutation.data()});
    sort_segments(Cpu{2}, Segments::ragged(offsets.data(), kCount, static_cast<int>(n)),
                  RealSort{values.data(), ragged.sorted.data(), ragged.permutation.data()});
    EXPECT_EQ(bits(uniform.sorted.contents()), bits(ragged.sorted.contents())) << length;
    EXPECT_EQ(uniform.permutation.contents(), ragged.permutation.contents()) << length;
  }
}

TEST(SegmentSortCpu, SameBytesForEveryNumberOfThreads) {
  std::vector<int> lengths = poisson_lengths(3000, 90, 0.2, 5);
  lengths.insert(lengths.begin() + 700, {1024, 3000, 0, 1025, 20'000, 1});
  constexpr SortPattern kPatterns[] = {SortPattern::nans, SortPattern::two_values};
  const auto arrays = make_ragged<float>(lengths, kPatterns, make_reals);
  const auto sort = [&](int threads) {
    Outputs<PackedWord> out(arrays.values.size());
    Guarded<float> reals(arrays.values.size());
    Guarded<int> permutation(arrays.values.size());
    sort_segments(Cpu{threads}, segments_of(arrays),
                  PackedSort{arrays.values.data(), out.sorted.data(), out.permutation.data(), nullptr});
    sort_segments(Cpu{threads}, segments_of(arrays), RealSort{arrays.values.data(), reals.data(), permutation.data()});
    return std::tuple(out.sorted.contents(), out.permutation.contents(), bits(reals.contents()),
                      permutation.contents());
  };
  const auto one = sort(1);
  for (const int threads : {2, 5}) EXPECT_TRUE(sort(threads) == one) << threads;
}

TEST(SegmentSortCpu, SortsInPlace) {
  const auto lengths = std::vector{0, 5, 90, 8, 1024, 2000, 1};
  auto reals = make_ragged<float>(lengths, kAllPatterns, make_reals);
  auto words = make_ragged<PackedWord>(lengths, kAllPatterns, make_words);
  Guarded<float> other_reals(reals.values.size());
  Guarded<PackedWord> other_words(words.values.size());
  sort_segments(Cpu{2}, segments_of(reals), RealSort{reals.values.data(), other_reals.data(), nullptr});
  sort_segments(Cpu{2}, segments_of(words), WordSort{words.values.data(), other_words.data(), nullptr});
  sort_segments(Cpu{2}, segments_of(reals), RealSort{reals.values.data(), reals.values.data(), nullptr});
  sort_segments(Cpu{2}, segments_of(words), WordSort{words.values.data(), words.values.data(), nullptr});
  EXPECT_EQ(bits(reals.values), bits(other_reals.contents()));
  EXPECT_EQ(words.values, other_words.contents());
}

TEST(SegmentSortCpu, OutputsMayBeLeftOut) {
  const auto arrays = make_ragged<float>(std::vector{3, 90, 1500}, kAllPatterns, make_reals);
  Outputs<PackedWord> both(arrays.values.size()), one(arrays.values.size());
  Guarded<Quantization> with(static_cast<std::size_t>(arrays.count())), alone(static_cast<std::size_t>(arrays.count()));
  const float* values = arrays.values.data();
  const Segments segments = segments_of(arrays);
  sort_segments(Cpu{1}, segments, PackedSort{values, both.sorted.data(), both.permutation.data(), with.data()});
  sort_segments(Cpu{1}, segments, PackedSort{values, one.sorted.data(), nullptr, nullptr});
  EXPECT_TRUE(one.permutation.is_poisoned(0, arrays.values.size()));
  sort_segments(Cpu{1}, segments, PackedSort{values, nullptr, one.permutation.data(), nullptr});
  sort_segments(Cpu{1}, segments, PackedSort{values, nullptr, nullptr, alone.data()});
  sort_segments(Cpu{1}, segments, PackedSort{values, nullptr, nullptr, nullptr});
  sort_segments(Cpu{1}, segments, RealSort{values, nullptr, nullptr});
  EXPECT_EQ(one.sorted.contents(), both.sorted.contents());
  EXPECT_EQ(one.permutation.contents(), both.permutation.contents());
  EXPECT_EQ(alone.contents(), with.contents());
}

/// Offsets with faults, with valid segments between them that share no keys. Keys that are in no segment must stay
/// unchanged.
struct FaultyCase {
  const char* name;
  std::vector<int> offsets;
  std::vector<SegmentRange> sound;
  const char* message;
};

void PrintTo(const FaultyCase& faulty, std::ostream* out) { *out << faulty.name; }

const FaultyCase kFaultyCases[] = {
    {"Decreasing", {100, 40, 90, 90, 300}, {{40, 90}, {90, 300}}, "segment 0: its offsets decrease (offsets[1]"},
    {"Negative", {-3, 0, 40, 300}, {{0, 40}, {40, 300}}, "segment 0: it reaches outside the keys"},
    {"BeyondTheEnd", {0, 150, 301}, {{0, 150}}, "segment 1: it reaches outside the keys"},
    {"BeginsBeyondTheEnd", {0, 60, INT_MAX, INT_MAX}, {{0, 60}}, "segment 1: it reaches outside the keys"},
    {"Garbage",
     {0, 90, INT_MAX, 90, 150, INT_MIN, INT_MAX, INT_MIN, -1, 150, 200, INT_MIN, 200, 300},
     {{0, 90}, {90, 150}, {150, 200}, {200, 300}},
     "segment 1: it reaches outside the keys (offsets[1] and offsets[2] must lie between 0 and the number of keys)"}};

class FaultySegmentsCpu : public ::testing::TestWithParam<FaultyCase> {};

TEST_P(FaultySegmentsCpu, AreNamedAndTheOthersSorted) {
  constexpr std::size_t kKeys = 300;
  const FaultyCase& faulty = GetParam();
  const std::vector<float> values = make_reals(SortPattern::random, kKeys, 8);
  const std::vector<PackedWord> words = make_integers(SortPattern::random, kKeys, 8);
  const Segments segments = Segments::ragged(faulty.offsets.data(), static_cast<int>(faulty.offsets.size()) - 1, kKeys);
  for (const int threads : {1, 2}) {
    Outputs<float> reals(kKeys);
    Outputs<PackedWord> packed(kKeys), integers(kKeys);
    const auto expect_error = [&](const auto& arrays) {
      try {
        sort_segments(Cpu{threads}, segments, arrays);
        ADD_FAILURE() << "no error";
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr(faulty.message));
      }
    };
    expect_error(RealSort{values.data(), reals.sorted.data(), reals.permutation.data()});
    expect_error(PackedSort{values.data(), packed.sorted.data(), packed.permutation.data(), nullptr});
    expect_error(WordSort{words.data(), integers.sorted.data(), integers.permutation.data()});
    std::size_t end = 0;
    for (const SegmentRange& range : faulty.sound) {
      const auto first = static_cast<std::size_t>(range.begin);
      const auto last = static_cast<std::size_t>(range.end);
      const auto is_sorted = [&](auto& array) {
        const auto contents = array.contents();
        return std::is_sorted(contents.begin() + range.begin, contents.begin() + range.end);
      };
      EXPECT_TRUE(is_sorted(reals.sorted) && is_sorted(packed.sorted) && is_sorted(integers.sorted)) << range.begin;
      EXPECT_TRUE(reals.sorted.is_poisoned(end, first) && packed.sorted.is_poisoned(end, first) &&
                  integers.sorted.is_poisoned(end, first));
      end = last;
    }
    EXPECT_TRUE(reals.sorted.is_poisoned(end, kKeys) && reals.permutation.is_poisoned(end, kKeys));
    reals.expect_whole_guards();
    packed.expect_whole_guards();
    integers.expect_whole_guards();
  }
}

INSTANTIATE_TEST_SUITE_P(SegmentSortCpu, FaultySegmentsCpu, ::testing::ValuesIn(kFaultyCases),
                         [](const auto& instance) { return instance.param.name; });

TEST(SegmentSortCpu, ASegmentTooLongForItsIndexIsLeftAlone) {
  const std::vector<int> offsets = make_ragged_offsets(std::vector{10, kMaxPackedLength + 1, 20, kMaxPackedLength});
  const auto n = static_cast<std::size_t>(offsets.back());
  const std::vector<float> values = make_reals(SortPattern::random, n, 2);
  const Segments segments = Segments::ragged(offsets.data(), 4, static_cast<int>(n));
  Outputs<PackedWord> out(n);
  try {
    sort_segments(Cpu{2}, segments, PackedSort{values.data(), out.sorted.data(), out.permutation.data(), nullptr});
    ADD_FAILURE() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("segment 1: it is too long for a 16-bit index"));
  }
  EXPECT_TRUE(out.sorted.is_poisoned(10, static_cast<std::size_t>(offsets[2])));
  const auto sorted = out.sorted.contents();
  for (const int s : {0, 2, 3})
    EXPECT_TRUE(std::is_sorted(sorted.begin() + offsets[static_cast<std::size_t>(s)],
                               sorted.begin() + offsets[static_cast<std::size_t>(s) + 1]));
  EXPECT_NO_THROW(sort_segments(Cpu{2}, segments, RealSort{values.data(), nullptr, out.permutation.data()}));
}

TEST(SegmentSortCpu, ImpossibleSegmentsAreRefused) {
  EXPECT_THROW(sort_segments(Cpu{1}, Segments{nullptr, -1, 0, 4}, WordSort{}), std::invalid_argument);
  EXPECT_THROW(sort_segments(Cpu{1}, Segments{nullptr, 3, 12, -4}, RealSort{}), std::invalid_argument);
  EXPECT_THROW(sort_segments(Cpu{1}, Segments{nullptr, 3, 11, 4}, PackedSort{}), std::invalid_argument);
  EXPECT_THROW(sort_segments(Cpu{1}, Segments{nullptr, 1 << 20, 11, 1 << 20}, WordSort{}), std::invalid_argument);
  EXPECT_THROW(sort_segments(Cpu{1}, Segments{nullptr, 0, kMaxKeys + 1, 0}, WordSort{}), std::invalid_argument);
  EXPECT_THROW(sort_segments(Cpu{1}, Segments::uniform(-3, 4), WordSort{}), std::invalid_argument);
  EXPECT_THROW(Segments::uniform(1 << 22, 1024), std::invalid_argument) << "their product is no int";
}

TEST(FaultText, NamesSegmentAndRemedy) {
  EXPECT_EQ(fault_text(SegmentFault::decreasing, 7),
            "segment 7: its offsets decrease (offsets[8] must be at least offsets[7])");
  EXPECT_THAT(fault_text(SegmentFault::out_of_range, 3'000'000'000), ::testing::HasSubstr("offsets[3000000001]"));
  EXPECT_THAT(fault_text(SegmentFault::too_long, 0), ::testing::StartsWith("segment 0: it is longer than"));
  EXPECT_THAT(fault_text(SegmentFault::not_packable, 1), ::testing::HasSubstr("65536"));
}

/// For any segments with few different values, the output is a permutation of each segment, in order, with equal values
/// in input order.
TEST(SegmentSortCpu, PropertiesOfAnySegments) {
  EXPECT_TRUE(rc::check("reals", [] {
    const auto lengths = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 200));
    const int n_values = *rc::gen::inRange(1, 300);
    const int threads = *rc::gen::inRange(1, 4);
    const std::vector<int> offsets = make_ragged_offsets(lengths);
    const auto n = static_cast<std::size_t>(offsets.back());
    auto values = *rc::gen::container<std::vector<float>>(
        n, rc::gen::map(rc::gen::inRange(-n_values, n_values), [](int x) { return static_cast<float>(x) / 8; }));
    std::vector<float> sorted(n);
    std::vector<int> permutation(n);
    sort_segments(Cpu{threads}, Segments::ragged(offsets.data(), static_cast<int>(lengths.size()), static_cast<int>(n)),
                  RealSort{values.data(), sorted.data(), permutation.data()});
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      std::vector<char> seen(static_cast<std::size_t>(lengths[s]), 0);
      for (int k = offsets[s]; k < offsets[s + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const int from = permutation[at];
        RC_ASSERT(from >= offsets[s] && from < offsets[s + 1]);
        RC_ASSERT(!seen[static_cast<std::size_t>(from - offsets[s])]);
        seen[static_cast<std::size_t>(from - offsets[s])] = 1;
        RC_ASSERT(sorted[at] == values[static_cast<std::size_t>(from)]);
        if (k > offsets[s]) {
          RC_ASSERT(sorted[at - 1] <= sorted[at]);
          RC_ASSERT(sorted[at - 1] < sorted[at] || permutation[at - 1] < from);
        }
      }
    }
  }));
}

}  // namespace
}  // namespace dropmd
