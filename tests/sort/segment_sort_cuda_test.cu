#include "tests/support/device_sorts.cuh"

#include <rapidcheck.h>

#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <type_traits>

#include "device/graph.cuh"

/// The GPU's sorts compared with std::stable_sort, and byte by byte with the CPU's.
namespace dropmd {
namespace {

using device_sorts::DeviceSort;
using device_sorts::Outputs;
using device_sorts::PackedReals;
using device_sorts::Reals;
using device_sorts::same_bytes;
using device_sorts::SegmentSortCuda;
using device_sorts::Wanted;
using device_sorts::Words;

using Kinds = testing::Types<Words, Reals, PackedReals>;
class KindNames {
 public:
  template <class Kind>
  static std::string GetName(int) {
    return std::is_same_v<Kind, Words> ? "Words" : std::is_same_v<Kind, Reals> ? "Reals" : "PackedReals";
  }
};
TYPED_TEST_SUITE(SegmentSortCuda, Kinds, KindNames);

TYPED_TEST(SegmentSortCuda, SortsEveryLengthOfEveryPattern) {
  for (const SortPattern pattern : kAllPatterns) {
    auto input = make_ragged(every_length_to(kMaxRegisterLength), std::array{pattern}, +TypeParam::kMake);
    auto out = this->sort(input, kMaxRegisterLength);
    this->expect_sorted(input, out);
  }
}

TYPED_TEST(SegmentSortCuda, SortsSegmentsOfOneLength) {
  for (const int length : every_length_to(kMaxRegisterLength)) {
    auto input = make_ragged(std::array{length}, kAllPatterns, +TypeParam::kMake, static_cast<std::uint32_t>(length));
    auto out = this->sort(input, kMaxRegisterLength, true);
    this->expect_sorted(input, out);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(SegmentSortCuda, SortsEveryCountOfSegments) {
  for (const int count : {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025, 5000}) {
    const auto lengths = poisson_lengths(static_cast<std::size_t>(count), 40, 0.5, static_cast<std::uint32_t>(count));
    auto input = make_ragged(lengths, std::array{SortPattern::random}, +TypeParam::kMake);
    auto out = this->sort(input, kMaxRegisterLength);
    this->expect_sorted(input, out);
  }
}

TYPED_TEST(SegmentSortCuda, HandsLongSegmentsToCub) {
  const std::array lengths{3, 1024, 1025, 0, 5000, 90, 1500, 65536, 31, 2048};
  auto input = make_ragged(lengths, kAllPatterns, +TypeParam::kMake);
  auto out = this->sort(input, 1 << 20);
  this->expect_sorted(input, out);
}

TYPED_TEST(SegmentSortCuda, SortsMixesOfLengths) {
  const auto expect_lengths_sorted = [&](std::span<const int> lengths) {
    auto input = make_ragged(lengths, std::array{SortPattern::random}, +TypeParam::kMake);
    auto out = this->sort(input, kMaxRegisterLength);
    this->expect_sorted(input, out);
  };
  for (const double mean : {10.0, 60.0, 120.0, 400.0}) expect_lengths_sorted(poisson_lengths(20000, mean, 0.5, 3));
  // Segments of every length, up to beyond the first of the lists, stand among short ones, so that a block has all
  // kinds.
  auto lengths = poisson_lengths(30000, 5, 0.5, 4);
  for (int length = 1; length < 300; ++length) lengths[static_cast<std::size_t>(length) * 97] = length;
  lengths[1000] = kMaxRegisterLength;
  expect_lengths_sorted(lengths);
  // Runs of segments with more keys than the mean length suggests.
  lengths.assign(20000, 1);
  std::fill(lengths.begin() + 10000, lengths.end(), 25);
  expect_lengths_sorted(lengths);
}

TYPED_TEST(SegmentSortCuda, IsTheSameInAGraphReplayedTwice) {
  const auto expect_the_same = [&](std::span<const int> lengths, bool uniform) {
    const auto input = make_ragged(lengths, kAllPatterns, +TypeParam::kMake);
    DeviceSort<TypeParam> sort(*this->stream_, input, 1 << 13, uniform, false);
    const Graph graph(this->cuda(), [&] { sort.enqueue(); });
    auto captured_only = sort.fetch();
    EXPECT_TRUE(this->is_poison(captured_only.sorted.values()));
    for (int replay = 0; replay < 2; ++replay) {
      sort.poison();
      graph.launch(this->cuda());
      auto out = sort.fetch();
      EXPECT_EQ(out.fault, "");
      this->expect_sorted(input, out);
    }
  };
  std::vector<int> lengths;
  for (int i = 0; i < 6; ++i) lengths.insert(lengths.end(), {3, 90, 0, 200, 700, 1024, 1025, 5000});
  expect_the_same(lengths, false);
  for (const int length : {90, 700, 1500}) expect_the_same(std::vector<int>(50, length), true);
}

TYPED_TEST(SegmentSortCuda, ReportsAFaultInEveryReplayOfAGraph) {
  const auto input = make_ragged(std::array{40, 1025, 300}, std::array{SortPattern::random}, +TypeParam::kMake);
  DeviceSort<TypeParam> sort(*this->stream_, input, 1024, false, false);
  const Graph graph(this->cuda(), [&] { sort.enqueue(); });
  for (int replay = 0; replay < 2; ++replay) {
    sort.poison();
    graph.launch(this->cuda());
    auto out = sort.fetch();
    EXPECT_EQ(out.fault, fault_text(SegmentFault::too_long, 1));
    this->expect_sorted_but_for(std::array{1}, input, out);
  }
}

TYPED_TEST(SegmentSortCuda, ReportsTheFirstFaultySegmentAndSortsTheOthers) {
  constexpr int kLeast = std::numeric_limits<int>::min();
  constexpr int kMost = std::numeric_limits<int>::max();
  const std::vector<int> sound{0, 40, 90, 90, 400, 1500};
  const auto input = make_ragged(std::array{40, 50, 0, 310, 1100}, std::array{SortPattern::random}, +TypeParam::kMake);
  ASSERT_EQ(input.offsets, sound);
  struct Case {
    std::vector<int> offsets;
    int max_length;
    SegmentFault fault;  ///< of the first faulty segment
    std::vector<int> faulty;
  };
  const Case cases[] = {{sound, 1024, SegmentFault::too_long, {4}},
                        {sound, 100, SegmentFault::too_long, {3, 4}},
                        {sound, 1, SegmentFault::too_long, {0, 1, 3, 4}},
                        {{0, 40, 30, 90, 400, 1500}, 1 << 16, SegmentFault::decreasing, {1}},
                        {{0, 40, 90, 90, 400, 399}, 1 << 16, SegmentFault::decreasing, {4}},
                        {{-1, 40, 90, 90, 400, 1500}, 1 << 16, SegmentFault::out_of_range, {0}},
                        {{0, 40, 90, 90, 400, 1501}, 1 << 16, SegmentFault::out_of_range, {4}},
                        {{0, 40, 90, 90, 1501, 1500}, 1 << 16, SegmentFault::out_of_range, {3, 4}},
                        {{0, 40, kLeast, kMost, 400, 1500}, 1 << 16, SegmentFault::out_of_range, {1, 2, 3}},
                        {{0, 40, kMost, kLeast, 400, 1500}, 1 << 16, SegmentFault::out_of_range, {1, 2, 3}}};
  for (const Case& wrong : cases) {
    SCOPED_TRACE(testing::PrintToString(wrong.offsets) + ", longest " + std::to_string(wrong.max_length));
    auto faulty = input;
    faulty.offsets = wrong.offsets;
    auto out = this->sort_with_faults(faulty, wrong.max_length);
    EXPECT_EQ(out.fault, fault_text(wrong.fault, wrong.faulty.front()));
    this->expect_sorted_but_for(wrong.faulty, faulty, out);
    auto keys = this->sort_keys_alone(faulty, wrong.max_length, out);
    EXPECT_EQ(keys.fault, out.fault);
    this->expect_sorted_but_for(wrong.faulty, faulty, keys);
  }
}

TYPED_TEST(SegmentSortCuda, LeavesLongSegmentsOfOneLengthAlone) {
  const std::array faulty{0, 1, 2, 3, 4};
  for (const auto& [length, max_length] : {std::pair{1025, 1024}, {1, 0}, {90, 89}, {1000, 999}, {3000, 2000}}) {
    const auto input =
        make_ragged(std::vector<int>(faulty.size(), length), std::array{SortPattern::random}, +TypeParam::kMake);
    auto out = this->sort_with_faults(input, max_length, true);
    EXPECT_EQ(out.fault, fault_text(SegmentFault::too_long, 0)) << length;
    this->expect_sorted_but_for(faulty, input, out);
  }
}

/// Segments that are too long surround each of the others, so that nothing may be written there.
TYPED_TEST(SegmentSortCuda, WritesNothingOutsideItsSegments) {
  const auto expect_nothing_outside = [&](std::span<const int> lengths, int max_length) {
    RaggedArrays<typename TypeParam::Value> input;
    std::vector<int> guards;
    const auto add = [&](SortPattern pattern, int length) {
      input.add(pattern, TypeParam::kMake(pattern, static_cast<std::size_t>(length),
                                          static_cast<std::uint32_t>(17 + guards.size())));
    };
    const auto add_guard = [&] {
      guards.push_back(input.count());
      add(SortPattern::reversed, max_length + 1);
    };
    add_guard();
    for (const int length : lengths) {
      add(SortPattern::random, length);
      add_guard();
    }
    auto out = this->sort_with_faults(input, max_length);
    EXPECT_EQ(out.fault, fault_text(SegmentFault::too_long, 0));
    this->expect_sorted_but_for(guards, input, out);
    auto keys = this->sort_keys_alone(input, max_length, out);
    EXPECT_EQ(keys.fault, out.fault);
    this->expect_sorted_but_for(guards, input, keys);
  };
  for (const int longest : {8, 32, 128, 200, kMaxRegisterLength})
    expect_nothing_outside(every_length_to(longest), longest);
  expect_nothing_outside(std::array{0, 1, 31, 90, 128, 129, 700, 1024, 1025, 1026, 2048, 4999, 5000}, 5000);
}

/// Checks properties only, independently of the sorts of the CPU and of the standard library.
TYPED_TEST(SegmentSortCuda, GivesAStablePermutationOfAnyArrays) {
  using Arrays = RaggedArrays<typename TypeParam::Value>;
  const auto violation = [](const Arrays& input, Outputs<TypeParam>& out) -> std::string {
    const auto sorted = out.sorted.values();
    const auto permutation = out.permutation.values();
    for (int s = 0; s < input.count(); ++s) {
      const int begin = input.offsets[static_cast<std::size_t>(s)];
      const int end = input.offsets[static_cast<std::size_t>(s) + 1];
      std::vector<char> seen(static_cast<std::size_t>(end - begin), 0);
      for (int k = begin; k < end; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const int from = permutation[at];
        if (from < begin || from >= end) return "a key from elsewhere: " + input.describe(s);
        if (seen[static_cast<std::size_t>(from - begin)]++ != 0) return "a key twice: " + input.describe(s);
        if (!TypeParam::is_of(input.values[static_cast<std::size_t>(from)], static_cast<std::uint32_t>(from - begin),
                              sorted[at], out.quantization.values()[static_cast<std::size_t>(s)]))
          return "another key than the permutation's: " + input.describe(s);
        if (k == begin) continue;
        if (TypeParam::comes_before(sorted[at], sorted[at - 1])) return "not in order: " + input.describe(s);
        if (!TypeParam::comes_before(sorted[at - 1], sorted[at]) && permutation[at - 1] > from)
          return "not stable: " + input.describe(s);
      }
    }
    return out.fault;
  };
  EXPECT_TRUE(rc::check("a stable permutation", [&] {
    const int longest = *rc::gen::element(8, 40, 130, 300, kMaxRegisterLength, 3000);
    auto lengths = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, longest + 1));
    const bool uniform = !lengths.empty() && *rc::gen::inRange(0, 3) == 0;
    if (uniform) std::fill(lengths.begin(), lengths.end(), lengths.front());
    const int copies = *rc::gen::inRange(1, 8);
    const int unused = *rc::gen::element(0, 1, 2000);
    std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
    Arrays input;
    for (int copy = 0; copy < copies; ++copy)
      for (const int length : lengths) {
        const SortPattern pattern = kAllPatterns[random() % std::size(kAllPatterns)];
        input.add(pattern,
                  TypeParam::kMake(pattern, static_cast<std::size_t>(length), static_cast<std::uint32_t>(random())));
      }
    auto out = this->sort(input, longest + unused, uniform);
    RC_ASSERT(violation(input, out) == std::string());
  }));
}

TYPED_TEST(SegmentSortCuda, GivesWhatIsWantedOnly) {
  const std::array lengths{40, 0, 129, 700, 1025, 3000};
  const auto input = make_ragged(lengths, std::array{SortPattern::random}, +TypeParam::kMake);
  auto whole = this->sort(input, 1 << 13);
  const auto expect_wanted = [](auto& out, auto& of_whole, auto& poison, bool wanted) {
    using T = std::remove_const_t<typename decltype(out.values())::element_type>;
    EXPECT_TRUE(same_bytes<T>(out.values(), wanted ? of_whole.values() : poison.values()));
  };
  for (const Wanted wanted : {Wanted{true, false, false}, {false, true, false}, {false, false, true}}) {
    DeviceSort<TypeParam> sort(*this->stream_, input, 1 << 13, false, false);
    sort.enqueue(wanted);
    auto out = sort.fetch();
    Outputs<TypeParam> poison(input);
    EXPECT_EQ(out.fault, "");
    expect_wanted(out.sorted, whole.sorted, poison.sorted, wanted.sorted);
    expect_wanted(out.permutation, whole.permutation, poison.permutation, wanted.permutation);
    expect_wanted(out.quantization, whole.quantization, poison.quantization, wanted.quantization);
  }
}

TYPED_TEST(SegmentSortCuda, RefusesMoreThanItsLimits) {
  SortWorkspace workspace(this->cuda(), {10, 100, 1024});
  const auto arrays = TypeParam::arrays(nullptr, nullptr, nullptr, nullptr);
  EXPECT_THROW(sort_segments(this->cuda(), Segments::uniform(11, 1), arrays, workspace), std::invalid_argument);
  EXPECT_THROW(sort_segments(this->cuda(), Segments::uniform(10, 11), arrays, workspace), std::invalid_argument);
  EXPECT_THROW(sort_segments(this->cuda(), Segments::uniform(-1, 1), arrays, workspace), std::invalid_argument);
  EXPECT_THROW(SortWorkspace(this->cuda(), {-1, 0, 0}), std::invalid_argument);
}

TYPED_TEST(SegmentSortCuda, RefusesImpossibleSegments) {
  SortWorkspace workspace(this->cuda(), {10, 100, 1024});
  const auto arrays = TypeParam::arrays(nullptr, nullptr, nullptr, nullptr);
  const Segments impossible[] = {{nullptr, 3, 11, 4},  {nullptr, 3, 12, -4},
                                 {nullptr, -3, 12, 4}, {nullptr, 3, -12, 4},
                                 {nullptr, 1, 0, 1},   {nullptr, 2, 100, std::numeric_limits<int>::max()}};
  for (const Segments& segments : impossible)
    EXPECT_THROW(sort_segments(this->cuda(), segments, arrays, workspace), std::invalid_argument)
        << segments.count << " of " << segments.length << " in " << segments.n_keys;
  EXPECT_THROW(Segments::uniform(1 << 22, 1024), std::invalid_argument);
  EXPECT_NO_THROW(workspace.check());
}

using WordSortCuda = SegmentSortCuda<Words>;

TEST_F(WordSortCuda, SortsInPlace) { expect_sorted_in_place(); }

/// Any integers; the permutation is the lower half of each, whatever it means.
TEST_F(WordSortCuda, SortsMoreIntegersThanAnIndexReaches) {
  const auto input = make_ragged(std::array{100'000, 5, 65'537, 0, 1024}, kAllPatterns, make_integers);
  auto out = sort(input, 1 << 17);
  for (int s = 0; s < input.count(); ++s) {
    const int begin = input.offsets[static_cast<std::size_t>(s)];
    const int end = input.offsets[static_cast<std::size_t>(s) + 1];
    std::vector<PackedWord> expected(input.values.begin() + begin, input.values.begin() + end);
    std::sort(expected.begin(), expected.end());
    for (int k = begin; k < end; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const PackedWord word = expected[static_cast<std::size_t>(k - begin)];
      ASSERT_EQ(out.sorted.values()[at], word) << input.describe(s);
      ASSERT_EQ(out.permutation.values()[at], begin + static_cast<int>(index_of(word))) << input.describe(s);
    }
  }
}

TEST_F(WordSortCuda, SortsTenMillionSegments) {
  constexpr int kSegments = 10'000'000;
  std::mt19937 random(11);
  std::vector<int> lengths(kSegments);
  for (int& length : lengths) length = static_cast<int>(random() % 5);
  RaggedArrays<PackedWord> input;
  input.offsets = make_ragged_offsets(lengths);
  input.patterns.assign(kSegments, SortPattern::random);
  input.values.resize(static_cast<std::size_t>(input.offsets.back()));
  for (int s = 0; s < kSegments; ++s)
    for (int k = input.offsets[static_cast<std::size_t>(s)]; k < input.offsets[static_cast<std::size_t>(s) + 1]; ++k)
      input.values[static_cast<std::size_t>(k)] =
          pack_word(static_cast<std::uint32_t>(random() % 7),
                    static_cast<std::uint32_t>(k - input.offsets[static_cast<std::size_t>(s)]));
  auto out = sort(input, kMaxRegisterLength);
  for (std::size_t s = 0; s < kSegments; ++s)
    std::sort(input.values.begin() + input.offsets[s], input.values.begin() + input.offsets[s + 1]);
  EXPECT_TRUE(same_bytes<PackedWord>(out.sorted.values(), input.values));
}

using RealSortCuda = SegmentSortCuda<Reals>;

TEST_F(RealSortCuda, SortsInPlace) { expect_sorted_in_place(); }

TEST_F(RealSortCuda, SortsMoreRealsThanA16BitIndexReaches) {
  const auto input = make_ragged(std::array{100'000, 5, 65'537, 0, 1024}, kAllPatterns, make_reals);
  auto out = sort(input, 1 << 17);
  expect_sorted(input, out);
}

using PackedSortCuda = SegmentSortCuda<PackedReals>;

TEST_F(PackedSortCuda, LeavesMoreRealsThanA16BitIndexReachesAlone) {
  const auto input =
      make_ragged(std::array{40, 65'537, 1100, 70'000, 65'536, 300, 0}, std::array{SortPattern::random}, make_reals);
  auto out = sort_with_faults(input, 1 << 20);
  EXPECT_EQ(out.fault, fault_text(SegmentFault::not_packable, 1));
  expect_sorted_but_for(std::array{1, 3}, input, out);

  const auto uniform = make_ragged(std::array{65'537, 65'537}, std::array{SortPattern::random}, make_reals);
  auto uniform_out = sort_with_faults(uniform, 1 << 20, true);
  EXPECT_EQ(uniform_out.fault, fault_text(SegmentFault::not_packable, 0));
  expect_sorted_but_for(std::array{0, 1}, uniform, uniform_out);
}

}  // namespace
}  // namespace dropmd
