#include "sort/segment_sort.cuh"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "core/errors.h"

#include "device/device_info.h"
#include "device/graph.cuh"
#include "tests/support/sort_data.h"

/// The GPU's sorts against std::stable_sort, and against the CPU's byte for byte.
namespace dropmd {
namespace {

template <class T>
bool same_bytes(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// One kind of sort: what it takes, what it gives, and the order it documents. `comes_before` is the order of what it
/// gives; `is_of` tells whether `sorted` can have become of the value at `index` of its segment.
struct Words {
  using Value = PackedWord;
  using Arrays = WordSort;
  static constexpr auto kMake = make_words;
  static std::vector<int> expected(std::span<const int> offsets, const std::vector<Value>& values) {
    return stable_permutation(offsets, values, std::less<>{});
  }
  static bool comes_before(const Value& a, const Value& b) { return a < b; }
  static bool is_of(const Value& value, std::uint32_t index, const Value& sorted, const Quantization&) {
    return sorted == value && index_of(sorted) == index;
  }
  static Arrays arrays(const Value* values, Value* sorted, int* permutation, Quantization*) {
    return {values, sorted, permutation};
  }
};

struct Reals {
  using Value = float;
  using Arrays = RealSort;
  static constexpr auto kMake = make_reals;
  static std::vector<int> expected(std::span<const int> offsets, const std::vector<Value>& values) {
    return stable_permutation(offsets, values, real_less);
  }
  static bool comes_before(const Value& a, const Value& b) { return real_less(a, b); }
  static bool is_of(const Value& value, std::uint32_t, const Value& sorted, const Quantization&) {
    return std::isnan(value) ? std::isnan(sorted) : same_bytes<Value>({&value, 1}, {&sorted, 1});
  }
  static Arrays arrays(const Value* values, Value* sorted, int* permutation, Quantization*) {
    return {values, sorted, permutation};
  }
};

struct PackedReals {
  using Value = float;
  using Arrays = PackedSort;
  static constexpr auto kMake = make_reals;
  static std::vector<int> expected(std::span<const int> offsets, const std::vector<Value>& values) {
    std::vector<std::uint32_t> codes(values.size());
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      FiniteRange range;
      for (int k = offsets[s]; k < offsets[s + 1]; ++k) range.add(values[static_cast<std::size_t>(k)]);
      const Quantizer quantize(range);
      for (int k = offsets[s]; k < offsets[s + 1]; ++k)
        codes[static_cast<std::size_t>(k)] = quantize(values[static_cast<std::size_t>(k)]);
    }
    return stable_permutation(offsets, codes, std::less<>{});
  }
  static PackedWord word_of(const Value& sorted) {
    PackedWord word = 0;
    std::memcpy(&word, &sorted, sizeof word);
    return word;
  }
  static bool comes_before(const Value& a, const Value& b) { return code_of(word_of(a)) < code_of(word_of(b)); }
  static bool is_of(const Value& value, std::uint32_t index, const Value& sorted, const Quantization& quantization) {
    const PackedWord word = word_of(sorted);
    const auto code = static_cast<double>(code_of(word));
    if (index_of(word) != index) return false;
    if (!std::isfinite(value)) return code == (value < 0 ? 0 : kLargestCode);
    const double quantum = quantization.quantum;
    const double error = static_cast<double>(value) - quantization.lowest - code * quantum;  // rounded once
    return std::abs(error) <= quantum / 2 * (1 + 1e-9);
  }
  static Arrays arrays(const Value* values, float* sorted, int* permutation, Quantization* quantization) {
    return {values, reinterpret_cast<PackedWord*>(sorted), permutation, quantization};
  }
};

/// Outputs between guards, and the text of the first faulty segment, or none.
template <class Kind>
struct Outputs {
  GuardedArray<typename Kind::Value> sorted;
  GuardedArray<int> permutation;
  GuardedArray<Quantization> quantization;
  std::string fault;

  explicit Outputs(const RaggedArrays<typename Kind::Value>& input)
      : sorted(input.values.size()), permutation(input.values.size()), quantization(input.patterns.size()) {}
};

/// The outputs that a sort is given; the others are null.
struct Wanted {
  bool sorted = true;
  bool permutation = true;
  bool quantization = true;
};

/// One sort on the device, to be enqueued as often as one likes.
template <class Kind>
class DeviceSort {
 public:
  using Value = typename Kind::Value;

  DeviceSort(const Stream& stream, const RaggedArrays<Value>& input, int max_length, bool uniform, bool in_place)
      : stream_(stream),
        clean_(input),
        uniform_length_(uniform ? input.offsets[1] : -1),
        d_offsets_(stream),
        d_values_(stream),
        d_sorted_(stream),
        d_permutation_(stream),
        d_quantization_(stream),
        workspace_({stream}, {input.count(), input.n_keys(), max_length}) {
    auto sorted = clean_.sorted;
    if (in_place) std::copy(input.values.begin(), input.values.end(), sorted.values().begin());
    d_offsets_.upload(input.offsets);
    d_values_.upload(input.values);
    d_sorted_.upload(sorted.whole());
    d_permutation_.upload(clean_.permutation.whole());
    d_quantization_.upload(clean_.quantization.whole());
    values_ = in_place ? sorted_values() : d_values_.data();
    stream.synchronize("preparing a test");
  }

  void enqueue(Wanted wanted = {}) {
    const auto n_keys = static_cast<int>(clean_.sorted.values().size());
    const auto count = static_cast<int>(clean_.quantization.values().size());
    const auto segments = uniform_length_ >= 0 ? Segments::uniform(count, uniform_length_)
                                               : Segments::ragged(d_offsets_.data(), count, n_keys);
    sort_segments({stream_}, segments,
                  Kind::arrays(values_, wanted.sorted ? sorted_values() : nullptr,
                               wanted.permutation ? d_permutation_.data() + kGuard : nullptr,
                               wanted.quantization ? d_quantization_.data() + kGuard : nullptr),
                  workspace_);
  }

  /// The outputs are poison again; not their guards.
  void poison() {
    poison(d_sorted_);
    poison(d_permutation_);
    poison(d_quantization_);
  }

  Outputs<Kind> fetch() {
    Outputs<Kind> out = clean_;
    d_sorted_.download(out.sorted.whole());
    d_permutation_.download(out.permutation.whole());
    d_quantization_.download(out.quantization.whole());
    stream_.synchronize("reading a test's output");
    try {
      workspace_.check();
    } catch (const InputError& error) {
      out.fault = error.what();
    }
    EXPECT_NO_THROW(workspace_.check()) << "a fault is reported once";
    EXPECT_TRUE(out.sorted.guards_intact());
    EXPECT_TRUE(out.permutation.guards_intact());
    EXPECT_TRUE(out.quantization.guards_intact());
    return out;
  }

 private:
  static constexpr std::size_t kGuard = GuardedArray<int>::kGuard;

  Value* sorted_values() const { return d_sorted_.data() + kGuard; }
  template <class T>
  void poison(const DeviceBuffer<T>& buffer) const {
    DROPMD_CUDA(cudaMemsetAsync(buffer.data() + kGuard, 0xA5, (buffer.size() - 2 * kGuard) * sizeof(T), stream_.get()),
                "poisoning a test's output");
  }

  const Stream& stream_;
  Outputs<Kind> clean_;
  int uniform_length_;
  DeviceBuffer<int> d_offsets_;
  DeviceBuffer<Value> d_values_;
  DeviceBuffer<Value> d_sorted_;
  DeviceBuffer<int> d_permutation_;
  DeviceBuffer<Quantization> d_quantization_;
  SortWorkspace workspace_;
  const Value* values_ = nullptr;
};

template <class Kind>
class SegmentSortCuda : public testing::Test {
 protected:
  using Value = typename Kind::Value;

  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
    stream_.emplace(0);
  }

  Cuda cuda() const { return {*stream_}; }

  Outputs<Kind> sort_with_faults(const RaggedArrays<Value>& input, int max_length, bool uniform = false,
                                 bool in_place = false) {
    DeviceSort<Kind> sort(*stream_, input, max_length, uniform, in_place);
    sort.enqueue();
    return sort.fetch();
  }

  Outputs<Kind> sort(const RaggedArrays<Value>& input, int max_length, bool uniform = false, bool in_place = false) {
    auto out = sort_with_faults(input, max_length, uniform, in_place);
    EXPECT_EQ(out.fault, "");
    auto keys = sort_keys_alone(input, max_length, out, uniform, in_place);
    EXPECT_EQ(keys.fault, "");
    EXPECT_TRUE(same_bytes<Value>(keys.sorted.values(), out.sorted.values())) << "keys alone";
    EXPECT_TRUE(same_bytes<Quantization>(keys.quantization.values(), out.quantization.values())) << "keys alone";
    return out;
  }

  /// Keys that leave alone may be sorted elsewhere (staged_sort.cuh) than those with a permutation, which is copied
  /// from `whole`.
  Outputs<Kind> sort_keys_alone(const RaggedArrays<Value>& input, int max_length, const Outputs<Kind>& whole,
                                bool uniform = false, bool in_place = false) {
    DeviceSort<Kind> sort(*stream_, input, max_length, uniform, in_place);
    sort.enqueue({true, false, true});
    auto out = sort.fetch();
    EXPECT_TRUE(is_poison(out.permutation.values()));
    out.permutation = whole.permutation;
    return out;
  }

  static void expect_sorted(const RaggedArrays<Value>& input, Outputs<Kind>& out) {
    const std::vector<int> expected = Kind::expected(input.offsets, input.values);
    Outputs<Kind> cpu(input);
    sort_segments(Cpu{2}, Segments::ragged(input.offsets.data(), input.count(), input.n_keys()),
                  Kind::arrays(input.values.data(), cpu.sorted.values().data(), cpu.permutation.values().data(),
                               cpu.quantization.values().data()));
    const auto permutation = out.permutation.values();
    for (int s = 0; s < input.count(); ++s) {
      const auto begin = static_cast<std::size_t>(input.offsets[static_cast<std::size_t>(s)]);
      const auto n = static_cast<std::size_t>(input.offsets[static_cast<std::size_t>(s) + 1]) - begin;
      ASSERT_TRUE(std::equal(permutation.begin() + begin, permutation.begin() + begin + n, expected.begin() + begin))
          << input.describe(s);
      ASSERT_TRUE(same_bytes<Value>(out.sorted.values().subspan(begin, n), cpu.sorted.values().subspan(begin, n)))
          << input.describe(s);
    }
    EXPECT_TRUE(same_bytes<Quantization>(out.quantization.values(), cpu.quantization.values()));
  }

  /// Every segment but the faulty ones is sorted if it overlaps no other, and what no segment covers is untouched.
  static void expect_sorted_but_for(std::span<const int> faulty, const RaggedArrays<Value>& input, Outputs<Kind>& out) {
    const auto is_faulty = [&](int s) { return std::find(faulty.begin(), faulty.end(), s) != faulty.end(); };
    const auto range_of = [&](int s) { return Segments::ragged(input.offsets.data(), input.count(), 0)[s]; };
    std::vector<int> covers(input.values.size(), 0);
    for (int s = 0; s < input.count(); ++s)
      if (!is_faulty(s))
        for (int k = range_of(s).begin; k < range_of(s).end; ++k) ++covers[static_cast<std::size_t>(k)];

    RaggedArrays<Value> sound;
    std::vector<int> index;
    for (int s = 0; s < input.count(); ++s) {
      if (is_faulty(s)) {
        EXPECT_TRUE(is_poison(out.quantization.values().subspan(static_cast<std::size_t>(s), 1))) << "segment " << s;
        continue;
      }
      const auto [begin, end] = range_of(s);
      if (std::any_of(covers.begin() + begin, covers.begin() + end, [](int n) { return n > 1; })) continue;
      sound.add(input.patterns[static_cast<std::size_t>(s)],
                {input.values.begin() + begin, input.values.begin() + end});
      index.push_back(s);
    }
    ASSERT_FALSE(index.empty() && faulty.size() < input.patterns.size());
    Outputs<Kind> sound_out(sound);
    for (std::size_t i = 0; i < index.size(); ++i) {
      const auto [begin, end] = range_of(index[i]);
      for (int k = begin; k < end; ++k) {
        const auto from = static_cast<std::size_t>(k);
        const auto to = static_cast<std::size_t>(sound.offsets[i] + k - begin);
        std::memcpy(&sound_out.sorted.values()[to], &out.sorted.values()[from], sizeof(Value));
        sound_out.permutation.values()[to] = out.permutation.values()[from] - begin + sound.offsets[i];
      }
      sound_out.quantization.values()[i] = out.quantization.values()[static_cast<std::size_t>(index[i])];
    }
    expect_sorted(sound, sound_out);

    for (std::size_t k = 0; k < covers.size(); ++k)
      if (covers[k] == 0) {
        ASSERT_TRUE(is_poison(out.sorted.values().subspan(k, 1))) << "key " << k;
        ASSERT_TRUE(is_poison(out.permutation.values().subspan(k, 1))) << "key " << k;
      }
  }

  template <class T>
  static bool is_poison(std::span<T> values) {
    return std::all_of(values.begin(), values.end(), [](const T& value) {
      const T poison = GuardedArray<T>::poison();
      return std::memcmp(&value, &poison, sizeof(T)) == 0;
    });
  }

  /// Fails unless the segments, of one length or of many, come out as they should when their keys are overwritten.
  void expect_sorted_in_place(std::span<const int> lengths, bool uniform) {
    const auto input = make_ragged(lengths, kAllPatterns, +Kind::kMake);
    auto out = sort(input, 1 << 16, uniform, true);
    expect_sorted(input, out);
  }
  void expect_sorted_in_place() {
    expect_sorted_in_place(poisson_lengths(400, 90, 0.2, 9), false);
    expect_sorted_in_place(std::array{3, 129, 130, 200, 256, 0, 511, 700, 1023, 1024, 1025, 90, 3000, 5000}, false);
    expect_sorted_in_place(poisson_lengths(3000, 12, 0.2, 9), false);
    for (const int length : {5, 16, 90, 128, 129, 400, 1000, 1024, 1025, 2000})
      expect_sorted_in_place(std::array{length, length, length}, true);
  }

  std::optional<Stream> stream_;
};

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
  // Among short segments, so that a block has them all: every length to beyond the lists' first.
  auto lengths = poisson_lengths(30000, 5, 0.5, 4);
  for (int length = 1; length < 300; ++length) lengths[static_cast<std::size_t>(length) * 97] = length;
  lengths[1000] = kMaxRegisterLength;
  expect_lengths_sorted(lengths);
  // Runs of more keys than the mean length lets one expect.
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
    SegmentFault fault;  ///< of the first faulty one
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

/// Segments that are too long lie around each of the others, so that nothing may be written there.
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

/// Properties only, whatever the sorts of the CPU and of the standard library make of the same arrays.
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
