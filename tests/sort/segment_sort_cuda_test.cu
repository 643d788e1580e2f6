#include "sort/segment_sort.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>

#include "device/device_info.h"
#include "tests/support/sort_data.h"

/// The GPU's sorts against std::stable_sort, and against the CPU's byte for byte.
namespace dropmd {
namespace {

/// One kind of sort: what it takes, what it gives, and the order it documents.
struct Words {
  using Value = PackedWord;
  using Arrays = WordSort;
  static constexpr auto kMake = make_words;
  static std::vector<int> expected(std::span<const int> offsets, const std::vector<Value>& values) {
    return stable_permutation(offsets, values, std::less<>{});
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
  static Arrays arrays(const Value* values, float* sorted, int* permutation, Quantization* quantization) {
    return {values, reinterpret_cast<PackedWord*>(sorted), permutation, quantization};
  }
};

/// Outputs between guards.
template <class Kind>
struct Outputs {
  GuardedArray<typename Kind::Value> sorted;
  GuardedArray<int> permutation;
  GuardedArray<Quantization> quantization;

  explicit Outputs(const RaggedArrays<typename Kind::Value>& input)
      : sorted(input.values.size()), permutation(input.values.size()), quantization(input.patterns.size()) {}
};

template <class T>
bool same_bytes(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

template <class Kind>
class SegmentSortCuda : public testing::Test {
 protected:
  using Value = typename Kind::Value;

  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
    stream_.emplace(0);
  }

  Cuda cuda() const { return {*stream_}; }

  template <class T>
  DeviceBuffer<T> on_device(const std::vector<T>& host) const {
    DeviceBuffer<T> buffer(*stream_);
    buffer.upload(host);
    return buffer;
  }

  static SortLimits limits_for(const RaggedArrays<Value>& input, int max_length) {
    return {input.count(), input.n_keys(), max_length};
  }

  /// Sorts on the GPU; `with` does the enqueueing and may do it twice or in a graph.
  Outputs<Kind> sort(
      const RaggedArrays<Value>& input, int max_length, bool uniform = false,
      const std::function<void(const std::function<void()>&)>& with = [](const auto& go) { go(); }) {
    Outputs<Kind> out(input);
    const auto d_offsets = on_device(input.offsets);
    const auto d_values = on_device(input.values);
    const auto d_sorted = on_device(out.sorted.whole());
    const auto d_permutation = on_device(out.permutation.whole());
    const auto d_quantization = on_device(out.quantization.whole());
    const auto segments = uniform ? Segments::uniform(input.count(), input.offsets[1])
                                  : Segments::ragged(d_offsets.data(), input.count(), input.n_keys());
    constexpr std::size_t kGuard = GuardedArray<int>::kGuard;
    SortWorkspace workspace(cuda(), limits_for(input, max_length));
    with([&] {
      sort_segments(cuda(), segments,
                    Kind::arrays(d_values.data(), d_sorted.data() + kGuard, d_permutation.data() + kGuard,
                                 d_quantization.data() + kGuard),
                    workspace);
    });
    d_sorted.download(out.sorted.whole());
    d_permutation.download(out.permutation.whole());
    d_quantization.download(out.quantization.whole());
    workspace.check();
    EXPECT_TRUE(out.sorted.guards_intact());
    EXPECT_TRUE(out.permutation.guards_intact());
    EXPECT_TRUE(out.quantization.guards_intact());
    return out;
  }

  static void expect_sorted(RaggedArrays<Value>& input, Outputs<Kind>& out) {
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

std::vector<int> lengths_to_1024() {
  std::vector<int> lengths(kMaxRegisterLength + 1);
  std::iota(lengths.begin(), lengths.end(), 0);
  return lengths;
}

TYPED_TEST(SegmentSortCuda, SortsEveryLengthOfEveryPattern) {
  for (const SortPattern pattern : kAllPatterns) {
    auto input = make_ragged(lengths_to_1024(), std::array{pattern}, +TypeParam::kMake);
    auto out = this->sort(input, kMaxRegisterLength);
    this->expect_sorted(input, out);
  }
}

TYPED_TEST(SegmentSortCuda, SortsSegmentsOfOneLength) {
  for (const int length : lengths_to_1024()) {
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
  for (const double mean : {10.0, 60.0, 120.0, 400.0}) {
    auto input = make_ragged(poisson_lengths(20000, mean, 0.5, 3), std::array{SortPattern::random}, +TypeParam::kMake);
    auto out = this->sort(input, kMaxRegisterLength);
    this->expect_sorted(input, out);
  }
}

TYPED_TEST(SegmentSortCuda, IsTheSameInAGraphReplayedTwice) {
  auto input = make_ragged(poisson_lengths(3000, 70, 0.3, 5), std::array{SortPattern::random}, +TypeParam::kMake);
  auto out = this->sort(input, 4096, false, [&](const auto& enqueue) {
    cudaStream_t stream = this->stream_->get();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    this->stream_->synchronize("preparing a graph");
    DROPMD_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "beginning a graph");
    enqueue();
    DROPMD_CUDA(cudaStreamEndCapture(stream, &graph), "ending a graph");
    DROPMD_CUDA(cudaGraphInstantiate(&executable, graph, 0), "making a graph");
    for (int i = 0; i < 2; ++i) DROPMD_CUDA(cudaGraphLaunch(executable, stream), "launching a graph");
    this->stream_->synchronize("running a graph");
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  });
  this->expect_sorted(input, out);
}

TYPED_TEST(SegmentSortCuda, ReportsTheFirstFaultySegmentAndSortsTheOthers) {
  const std::vector<int> sound{0, 40, 90, 90, 400, 1500};
  auto input = make_ragged(std::array{40, 50, 0, 310, 1100}, std::array{SortPattern::random}, +TypeParam::kMake);
  ASSERT_EQ(input.offsets, sound);
  const auto fault_of_offsets = [&](std::vector<int> offsets, int max_length) {
    auto faulty = input;
    faulty.offsets = std::move(offsets);
    try {
      this->sort(faulty, max_length);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(fault_of_offsets(sound, 1 << 16), "none");
  EXPECT_EQ(fault_of_offsets(sound, 1024), fault_text(SegmentFault::too_long, 4));
  EXPECT_EQ(fault_of_offsets(sound, 100), fault_text(SegmentFault::too_long, 3));
  EXPECT_EQ(fault_of_offsets({0, 40, 30, 90, 400, 1500}, 1 << 16), fault_text(SegmentFault::decreasing, 1));
  EXPECT_EQ(fault_of_offsets({-1, 40, 90, 90, 400, 1500}, 1 << 16), fault_text(SegmentFault::out_of_range, 0));
  EXPECT_EQ(fault_of_offsets({0, 40, 90, 90, 400, 1501}, 1 << 16), fault_text(SegmentFault::out_of_range, 4));
  EXPECT_EQ(
      fault_of_offsets({0, 40, std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), 400, 1500}, 1 << 16),
      fault_text(SegmentFault::out_of_range, 1));
}

TYPED_TEST(SegmentSortCuda, LeavesAFaultySegmentAlone) {
  auto input = make_ragged(std::array{40, 1100, 50}, std::array{SortPattern::random}, +TypeParam::kMake);
  const auto d_offsets = this->on_device(input.offsets);
  const auto d_values = this->on_device(input.values);
  Outputs<TypeParam> out(input);
  const auto d_permutation = this->on_device(out.permutation.whole());
  SortWorkspace workspace(this->cuda(), {input.count(), input.n_keys(), 1024});
  sort_segments(this->cuda(), Segments::ragged(d_offsets.data(), input.count(), input.n_keys()),
                TypeParam::arrays(d_values.data(), nullptr, d_permutation.data() + GuardedArray<int>::kGuard, nullptr),
                workspace);
  EXPECT_THROW(workspace.check(), InputError);
  EXPECT_NO_THROW(workspace.check()) << "a fault is reported once";
  d_permutation.download(out.permutation.whole());
  this->stream_->synchronize("reading a test's output");
  const std::vector<int> expected = TypeParam::expected(input.offsets, input.values);
  for (int k = 0; k < input.n_keys(); ++k) {
    const bool faulty = k >= input.offsets[1] && k < input.offsets[2];
    ASSERT_EQ(out.permutation.values()[static_cast<std::size_t>(k)],
              faulty ? GuardedArray<int>::poison() : expected[static_cast<std::size_t>(k)]);
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

using WordSortCuda = SegmentSortCuda<Words>;

TEST_F(WordSortCuda, SortsInPlace) {
  auto input = make_ragged(poisson_lengths(4000, 90, 0.2, 9), std::array{SortPattern::random}, +Words::kMake);
  const auto d_offsets = on_device(input.offsets);
  const auto d_words = on_device(input.values);
  SortWorkspace workspace(cuda(), limits_for(input, 1024));
  sort_segments(cuda(), Segments::ragged(d_offsets.data(), input.count(), input.n_keys()),
                WordSort{d_words.data(), d_words.data(), nullptr}, workspace);
  std::vector<PackedWord> sorted(input.values.size());
  d_words.download(sorted);
  workspace.check();
  for (std::size_t s = 0; s < input.patterns.size(); ++s)
    std::sort(input.values.begin() + input.offsets[s], input.values.begin() + input.offsets[s + 1]);
  EXPECT_EQ(sorted, input.values);
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
          pack_word(random() % 7, static_cast<std::uint32_t>(k - input.offsets[static_cast<std::size_t>(s)]));
  auto out = sort(input, kMaxRegisterLength);
  for (std::size_t s = 0; s < kSegments; ++s)
    std::sort(input.values.begin() + input.offsets[s], input.values.begin() + input.offsets[s + 1]);
  EXPECT_TRUE(same_bytes<PackedWord>(out.sorted.values(), input.values));
}

}  // namespace
}  // namespace dropmd
