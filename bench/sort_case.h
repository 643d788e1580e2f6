#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sort/segments.h"

/// The cases of `dropmd bench sort`: number and lengths of segments, the same on every platform.
namespace dropmd {

enum class LengthLaw : std::uint8_t { uniform, poisson };

/// Returns the word used in tables and files.
std::string_view word_of(LengthLaw law);

struct SortBenchCase {
  LengthLaw law = LengthLaw::uniform;
  /// Uniform: the length of every segment; poisson: the mean over non-empty segments.
  int mean_length = 0;
  double empty_fraction = 0;  ///< fraction of the segments that are empty, chosen at random
  int segments = 0;
};

/// Number of keys of a case by default: 64 MiB of them, more than an L2 cache holds.
inline constexpr int kSortBenchKeys = 1 << 24;

/// Ragged mixes: this fraction of the segments is empty, as for cells of which many have no neighbours.
inline constexpr double kSortBenchEmptyFraction = 0.5;

/// Limits of a case: the longest array that packed words allow, and a Poisson mean whose draws stay below that.
inline constexpr int kSortBenchMaxLength = 1 << 16;
inline constexpr int kSortBenchMaxMean = 1 << 15;
inline constexpr std::int64_t kSortBenchMaxKeys = 500'000'000;

/// Returns lengths of 2..1024, denser where lengths of neighbour lists are common and near lengths at which library
/// sorts change their kernel: every length up to 20.
std::span<const int> default_sort_lengths();

/// Returns the Poisson means of the ragged mixes.
std::span<const int> default_sort_means();

/// Returns numbers of segments at kSortCountsLength: from those hidden by the latency of a launch to those that fill a
/// GPU many times.
std::span<const int> default_sort_counts();
inline constexpr int kSortCountsLength = 90;

/// Returns segments of one law and mean with about n_keys keys in total; at least one segment.
SortBenchCase sort_case_of_keys(LengthLaw law, int mean_length, std::int64_t n_keys);

/// Returns a case with that many segments.
SortBenchCase sort_case_of_segments(LengthLaw law, int mean_length, int segments);

/// Returns the number of keys of a case: exact if uniform, else the expectation.
double expected_keys(const SortBenchCase& shape);

/// Returns whether the case has any key: a few random segments may all be empty.
bool draws_keys(const SortBenchCase& shape);

/// The segments of a case in host memory; move-only, since the view refers to it.
class SortBenchSegments {
 public:
  explicit SortBenchSegments(const SortBenchCase& shape);
  SortBenchSegments(SortBenchSegments&&) noexcept = default;
  SortBenchSegments& operator=(SortBenchSegments&&) noexcept = default;
  SortBenchSegments(const SortBenchSegments&) = delete;
  SortBenchSegments& operator=(const SortBenchSegments&) = delete;
  ~SortBenchSegments() = default;

  const Segments& view() const { return view_; }
  std::span<const int> offsets() const { return offsets_; }  ///< [segments + 1]; empty if uniform
  int longest() const { return longest_; }

 private:
  std::vector<int> offsets_;
  Segments view_;
  int longest_ = 0;
};

}  // namespace dropmd
