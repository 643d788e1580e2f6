#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sort/segments.h"

/// What `dropmd bench sort` sorts: how many segments of which lengths, the same on every platform.
namespace dropmd {

enum class LengthLaw : std::uint8_t { uniform, poisson };

/// The word of tables and files.
std::string_view word_of(LengthLaw law);

struct SortBenchCase {
  LengthLaw law = LengthLaw::uniform;
  int mean_length = 0;        ///< uniform: every segment's; poisson: the mean over segments that were not made empty
  double empty_fraction = 0;  ///< of the segments, by lot
  int segments = 0;
};

/// Keys of a case unless the user says otherwise: 64 MiB of them, more than an L2 cache holds.
inline constexpr int kSortBenchKeys = 1 << 24;

/// Ragged mixes: this part of the segments is empty, as for cells of which many see no neighbour.
inline constexpr double kSortBenchEmptyFraction = 0.5;

/// Limits of a case. The longest array that packed words allow; a Poisson mean whose draws stay below that.
inline constexpr int kSortBenchMaxLength = 1 << 16;
inline constexpr int kSortBenchMaxMean = 1 << 15;
inline constexpr std::int64_t kSortBenchMaxKeys = 500'000'000;

/// 2..1024, denser where lengths of neighbour lists lie, and around where library sorts change their kernel: every
/// length to 20.
std::span<const int> default_sort_lengths();

/// Poisson means of the ragged mixes.
std::span<const int> default_sort_means();

/// Numbers of segments at kSortCountsLength: from what hides in the latency of a launch to what fills a GPU many times.
std::span<const int> default_sort_counts();
inline constexpr int kSortCountsLength = 90;

/// Segments of one law and mean with about n_keys keys in all; at least one.
SortBenchCase sort_case_of_keys(LengthLaw law, int mean_length, std::int64_t n_keys);

/// That many segments.
SortBenchCase sort_case_of_segments(LengthLaw law, int mean_length, int segments);

/// About how many keys a case has: exact if uniform, else the expectation.
double expected_keys(const SortBenchCase& shape);

/// Whether the case has a key at all: a few random segments may all be empty.
bool draws_keys(const SortBenchCase& shape);

/// The segments of a case in host memory; move-only, since the view points into it.
class SortBenchSegments {
 public:
  explicit SortBenchSegments(const SortBenchCase& shape);
  SortBenchSegments(SortBenchSegments&&) noexcept = default;
  SortBenchSegments& operator=(SortBenchSegments&&) noexcept = default;
  SortBenchSegments(const SortBenchSegments&) = delete;
  SortBenchSegments& operator=(const SortBenchSegments&) = delete;
  ~SortBenchSegments() = default;

  const Segments& view() const { return view_; }
  std::span<const int> offsets() const { return offsets_; }  ///< [segments + 1]; none if uniform
  int longest() const { return longest_; }

 private:
  std::vector<int> offsets_;
  Segments view_;
  int longest_ = 0;
};

}  // namespace dropmd
