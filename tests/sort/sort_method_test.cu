#include "sort/sort_method.cuh"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "device/buffer.cuh"
#include "device/device_info.h"
#include "device/graph.cuh"
#include "tests/support/sort_data.h"

namespace dropmd {
namespace {

constexpr const char* kMethodNames[] = {"dropmd",
                                        "dropmd-offsets",
                                        "rank-1",
                                        "rank-n",
                                        "rank-lg-n",
                                        "cub-segmented-sort",
                                        "cub-segmented-radix-sort",
                                        "cub-warp-merge-sort",
                                        "cub-block-radix-sort",
                                        "bitonic",
                                        "odd-even-merge",
                                        "register-bitonic",
                                        "copy"};

/// The input of the methods, and the result of std::stable_sort.
struct SortedArrays {
  RaggedArrays<PackedWord> arrays;
  std::vector<PackedWord> sorted;

  explicit SortedArrays(RaggedArrays<PackedWord> unsorted) : arrays(std::move(unsorted)), sorted(arrays.values) {
    for (int s = 0; s < arrays.count(); ++s)
      std::stable_sort(sorted.begin() + arrays.offsets[s], sorted.begin() + arrays.offsets[s + 1]);
  }
};

/// Sets the first word of each segment to the largest word, with which the kernels pad.
void add_largest_words(RaggedArrays<PackedWord>& arrays) {
  for (int s = 0; s < arrays.count(); ++s)
    if (arrays.offsets[s] < arrays.offsets[s + 1]) arrays.values[arrays.offsets[s]] = ~PackedWord{0};
}

class SortMethods : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const DeviceReport report = query_devices();
    if (report.devices.empty()) GTEST_SKIP() << report.reason;
    stream_.emplace(0);
  }

  Cuda cuda() const { return {*stream_}; }

  std::unique_ptr<SortMethod> make(const SortLimits& limits) const {
    for (auto& method : sort_methods(cuda(), limits))
      if (method->name() == GetParam()) return std::move(method);
    throw std::logic_error(std::string("no method ") + GetParam());
  }

  /// Runs work directly or as a graph.
  template <class Work>
  void run(bool as_graph, Work&& work) const {
    if (!as_graph) return work();
    const Graph graph(cuda(), work);
    graph.launch(cuda());
    stream_->synchronize("running a graph");
  }

  /// Sorts the arrays with a capacity for exactly them.
  void expect_sorted(const SortedArrays& input, int longest, bool uniform, bool as_graph = false) const {
    const RaggedArrays<PackedWord>& arrays = input.arrays;
    const auto method = make({arrays.count(), arrays.n_keys(), longest});
    DeviceBuffer<int> d_offsets(*stream_);
    DeviceBuffer<PackedWord> d_in(*stream_), d_out(*stream_);
    GuardedArray<PackedWord> out(arrays.values.size());
    d_offsets.upload(arrays.offsets);
    d_in.upload(arrays.values);
    d_out.upload(out.whole());
    const Segments segments = uniform ? Segments::uniform(arrays.count(), longest)
                                      : Segments::ragged(d_offsets.data(), arrays.count(), arrays.n_keys());
    ASSERT_TRUE(method->takes(segments, longest));
    run(as_graph, [&] { method->run(cuda(), segments, d_in.data(), d_out.data() + out.kGuard); });
    std::vector<PackedWord> in_afterwards(arrays.values.size());
    d_in.download(in_afterwards);
    d_out.download(out.whole());
    stream_->synchronize("fetching a test's output");
    EXPECT_EQ(in_afterwards, arrays.values);
    EXPECT_TRUE(out.guards_intact());

    const std::vector<PackedWord>& expected = method->sorts() ? input.sorted : arrays.values;
    for (int s = 0; s < arrays.count(); ++s)
      ASSERT_TRUE(std::equal(out.values().begin() + arrays.offsets[s], out.values().begin() + arrays.offsets[s + 1],
                             expected.begin() + arrays.offsets[s]))
          << arrays.describe(s) << ", longest " << longest;
  }
  void expect_sorted(const RaggedArrays<PackedWord>& arrays, int longest, bool uniform, bool as_graph = false) const {
    expect_sorted(SortedArrays(arrays), longest, uniform, as_graph);
  }

  std::optional<Stream> stream_;
};

TEST_P(SortMethods, SortEveryLengthOfEveryPattern) {
  // The standard library sorts these once, for all methods.
  static const SortedArrays kArrays(
      make_ragged<PackedWord>(every_length_to(kMaxRegisterLength), kAllPatterns, make_words));
  expect_sorted(kArrays, kMaxRegisterLength, false);
}

TEST_P(SortMethods, SortEveryLengthOfEveryPatternWithTheLargestWord) {
  static const SortedArrays kArrays = [] {
    auto arrays = make_ragged<PackedWord>(every_length_to(kMaxRegisterLength), kAllPatterns, make_words);
    add_largest_words(arrays);
    return SortedArrays(std::move(arrays));
  }();
  expect_sorted(kArrays, kMaxRegisterLength, false);
}

TEST_P(SortMethods, SortRaggedSegmentsWithinEveryLongestLength) {
  for (const int longest : {8, 16, 32, 64, 96, 128, 192, 256, 512}) {
    std::vector<int> lengths = usual_lengths();
    std::erase_if(lengths, [&](int length) { return length > longest; });
    auto arrays = make_ragged<PackedWord>(lengths, kAllPatterns, make_words);
    expect_sorted(arrays, longest, false);
    add_largest_words(arrays);
    expect_sorted(arrays, longest, false);
  }
}

TEST_P(SortMethods, SortUniformSegments) {
  for (const int length :
       {1, 2, 3, 8, 9, 16, 17, 31, 32, 33, 64, 65, 90, 96, 97, 128, 129, 192, 193, 256, 257, 512, 513, 1000, 1024}) {
    const std::vector<int> lengths(53, length);
    expect_sorted(make_ragged<PackedWord>(lengths, std::span(kAllPatterns, 1), make_words), length, true);
  }
}

TEST_P(SortMethods, SortHundredThousandSegmentsHalfOfThemEmpty) {
  const std::vector<int> lengths = poisson_lengths(100'000, 30, 0.5, 29);
  const int longest = *std::max_element(lengths.begin(), lengths.end());
  expect_sorted(make_ragged<PackedWord>(lengths, std::span(kAllPatterns, 1), make_words), longest, false);
}

TEST_P(SortMethods, RunInAGraph) {
  const std::vector<int> lengths = poisson_lengths(1000, 90, 0.1, 31);
  const int longest = *std::max_element(lengths.begin(), lengths.end());
  if (!make({1, 1, 1})->capturable()) GTEST_SKIP() << GetParam() << " cannot be captured";
  expect_sorted(make_ragged<PackedWord>(lengths, std::span(kAllPatterns, 1), make_words), longest, false, true);
}

TEST_P(SortMethods, TakeWhatTheyWereMadeFor) {
  const auto method = make({10, 10 * 1024, 1024});
  EXPECT_TRUE(method->takes(Segments::uniform(10, 1024), 1024));
  EXPECT_TRUE(method->takes(Segments::uniform(1, 0), 0));
  if (method->name() != "copy") {
    EXPECT_FALSE(method->takes(Segments::uniform(11, 8), 8));
    EXPECT_FALSE(method->takes(Segments::uniform(10, 1025), 1025));
  }
  EXPECT_EQ(method->sorts(), method->name() != "copy");
  EXPECT_EQ(method->capturable(), method->name() != "cub-segmented-sort");
}

INSTANTIATE_TEST_SUITE_P(All, SortMethods, testing::ValuesIn(kMethodNames),
                         [](const testing::TestParamInfo<const char*>& method) {
                           std::string name = method.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// A new method has to be added to the list above.
TEST(SortMethodList, IsTestedWhole) {
  const DeviceReport report = query_devices();
  if (report.devices.empty()) GTEST_SKIP() << report.reason;
  const Stream stream(0);
  std::vector<std::string> names;
  for (const auto& method : sort_methods({stream}, {1, 1, 1})) names.push_back(method->name());
  EXPECT_EQ(names, std::vector<std::string>(std::begin(kMethodNames), std::end(kMethodNames)));
}

}  // namespace
}  // namespace dropmd
