#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "bench/sort.h"
#include "bench/sort_keys.h"
#include "core/errors.h"
#include "device/device_info.h"

/// The cases, keys and checks of `dropmd bench sort`.
namespace dropmd {
namespace {

using testing::HasSubstr;

TEST(SortBenchCases, UniformOnesHaveTheKeysAskedFor) {
  for (const int length : default_sort_lengths()) {
    const SortBenchCase shape = sort_case_of_keys(LengthLaw::uniform, length, kSortBenchKeys);
    const SortBenchSegments segments(shape);
    EXPECT_LE(segments.view().n_keys, kSortBenchKeys);
    EXPECT_GT(segments.view().n_keys, kSortBenchKeys - length);
    EXPECT_EQ(segments.longest(), length);
  }
  EXPECT_EQ(sort_case_of_keys(LengthLaw::uniform, 90, 10).segments, 1);
}

TEST(SortBenchCases, RaggedOnesArePoissonHalfEmpty) {
  for (const int mean : {1, 10, 120, 5000}) {
    const SortBenchCase shape = sort_case_of_segments(LengthLaw::poisson, mean, 40'000);
    const SortBenchSegments segments(shape);
    double n = 0, sum = 0, squares = 0;
    for (int s = 0; s < shape.segments; ++s) {
      const double length = segments.view()[s].length();
      if (mean > 1 && length == 0) continue;  // Poisson numbers of mean 10 and more are never 0 here
      n += 1;
      sum += length;
      squares += length * length;
    }
    const double found = sum / n, variance = squares / n - found * found;
    if (mean == 1) {
      EXPECT_NEAR(found, 0.5, 5 * std::sqrt(0.75 / n));
      continue;
    }
    EXPECT_NEAR(n, 20'000, 5 * std::sqrt(10'000.0));
    EXPECT_NEAR(found, mean, 5 * std::sqrt(mean / n));
    EXPECT_NEAR(variance, mean, 5 * mean * std::sqrt(2.1 / n));
  }
}

TEST(SortBenchCases, RaggedOnesAreTheSameEverywhere) {
  const SortBenchSegments segments(sort_case_of_segments(LengthLaw::poisson, 30, 12));
  const auto offsets = segments.offsets();
  EXPECT_EQ((std::vector<int>{offsets.begin(), offsets.end()}),
            (std::vector<int>{0, 20, 42, 70, 89, 89, 126, 126, 151, 179, 216, 216, 244}));
}

TEST(SortBenchCases, AFewRandomSegmentsMayHaveNoKey) {
  EXPECT_FALSE(draws_keys(sort_case_of_segments(LengthLaw::poisson, 1, 1)));
  EXPECT_TRUE(draws_keys(sort_case_of_segments(LengthLaw::uniform, 1, 1)));
  for (const int mean : {1, 30})
    for (const int segments : {1, 2, 5, 40, 1'000'000}) {
      const SortBenchCase shape = sort_case_of_segments(LengthLaw::poisson, mean, segments);
      EXPECT_EQ(draws_keys(shape), SortBenchSegments(shape).view().n_keys > 0) << mean << ' ' << segments;
    }
}

TEST(SortBenchKeys, AreRandomAboveTheirIndices) {
  const Segments segments = Segments::uniform(100, 90);
  const auto words = sort_bench_keys({2}, segments, 0);
  EXPECT_EQ(words, sort_bench_keys({1}, segments, 0));
  EXPECT_NE(words, sort_bench_keys({1}, segments, 1));
  std::set<std::uint32_t> codes;
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(index_of(words[i]), i % 90);
    codes.insert(code_of(words[i]));
  }
  // 9000 draws from 65,536: 65,536 (1 - exp(-9000/65536)) = 8410 distinct ones, with a standard deviation of 22.
  EXPECT_NEAR(static_cast<double>(codes.size()), 8410, 110);
}

TEST(SortBenchKeys, AWrongKeyIsAnErrorWithItsPlace) {
  const Segments segments = Segments::uniform(10, 9);
  const auto expected = stably_sorted({1}, segments, sort_bench_keys({1}, segments, 0));
  for (auto begin = expected.begin(); begin != expected.end(); begin += 9)
    EXPECT_TRUE(std::is_sorted(begin, begin + 9));
  EXPECT_NO_THROW(require_same_words(segments, expected, expected, "bitonic"));
  auto found = expected;
  std::swap(found[31], found[32]);
  try {
    require_same_words(segments, expected, found, "bitonic");
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::out_of_tolerance);
    EXPECT_THAT(error.what(), HasSubstr("bitonic is wrong: segment 3 of 9 keys has 0x"));
    EXPECT_THAT(error.what(), HasSubstr(" at place 4 instead of 0x"));
  }
  found = expected;
  found.pop_back();
  EXPECT_THROW(require_same_words(segments, expected, found, "bitonic"), Error);
}

std::vector<SortBenchCase> small_cases() {
  return {sort_case_of_keys(LengthLaw::uniform, 1, 1000), sort_case_of_keys(LengthLaw::uniform, 90, 20'000),
          sort_case_of_keys(LengthLaw::uniform, 1024, 20'000), sort_case_of_keys(LengthLaw::poisson, 30, 20'000)};
}

TEST(SortBench, TimesTheCpu) {
  std::size_t n_shown = 0;
  const auto rows = bench_sort({.backend = Backend::cpu, .threads = 2}, small_cases(),
                               [&](const SortBenchRow& row) { n_shown += row.time_us > 0 ? 1 : 0; });
  EXPECT_EQ(rows.size(), 8U);
  EXPECT_EQ(n_shown, rows.size());
  const auto only = bench_sort({.backend = Backend::cpu, .methods = {"std-sort"}}, small_cases(), [](const auto&) {});
  EXPECT_EQ(only.size(), 4U);
}

TEST(SortBench, StopsBeforeACase) {
  int n_asked = 0;
  const auto rows = bench_sort({.backend = Backend::cpu, .stop = [&] { return ++n_asked > 2; }}, small_cases(),
                               [](const SortBenchRow&) {});
  EXPECT_EQ(rows.size(), 4U);
}

TEST(SortBench, RefusesMethodsThatNeedAGpuWithoutOne) {
  EXPECT_THROW(bench_sort({.device = 1 << 20, .methods = {"rank-1", "copy"}}, small_cases(), [](const auto&) {}),
               DeviceError);
}

TEST(SortBench, TimesEveryMethodOfTheGpu) {
  if (const DeviceReport report = query_devices(); report.devices.empty()) GTEST_SKIP() << report.reason;
  const auto rows = bench_sort({.backend = Backend::cuda, .threads = 2}, small_cases(), [](const SortBenchRow&) {});
  const auto methods = sort_bench_methods(Backend::cuda);
  ASSERT_EQ(rows.size(), methods.size() * small_cases().size()) << "every method takes lengths up to 1024";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const SortBenchRow& row = rows[r];
    EXPECT_EQ(row.method, methods[r % methods.size()]);
    EXPECT_GT(row.time_us, 0) << row.method;
    EXPECT_EQ(row.sorts, row.method != "copy");
    EXPECT_EQ(row.graph_node_us.has_value(), row.method == "dropmd") << row.method;
    EXPECT_TRUE(row.fraction_of_copy && row.speedup_over_cub) << row.method;
  }
}

}  // namespace
}  // namespace dropmd
