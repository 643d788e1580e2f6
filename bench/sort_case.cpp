#include "bench/sort_case.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/philox.h"

namespace dropmd {

namespace {

/// Draws Poisson-distributed integers by inversion. The weights mean^k/k!, relative to that at the mean, need no
/// exponential, so that lengths do not depend on a mathematical library.
class PoissonLengths {
 public:
  explicit PoissonLengths(int mean) {
    constexpr double kNegligible = 1e-18;
    std::vector<double> below;  // weights of mean - 1, mean - 2, ...
    double weight = 1;
    for (int k = mean; k > 0; --k) {
      weight *= static_cast<double>(k) / mean;
      if (weight < kNegligible) break;
      below.push_back(weight);
    }
    first_ = mean - static_cast<int>(below.size());
    double sum = 0;
    std::reverse(below.begin(), below.end());
    for (const double w : below) cumulative_.push_back(sum += w);
    weight = 1;
    for (int k = mean + 1; weight >= kNegligible; ++k) {
      cumulative_.push_back(sum += weight);
      weight *= static_cast<double>(mean) / k;
    }
  }

  /// uniform: in (0, 1).
  int operator()(double uniform) const {
    const auto place = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, uniform * cumulative_.back());
    return first_ + static_cast<int>(place - cumulative_.begin());
  }

 private:
  int first_;
  std::vector<double> cumulative_;  ///< of first_, first_ + 1, ...; not normalised
};

/// The keys of the cases use other blocks (bench/sort_keys.h).
constexpr std::uint32_t kLengthsBlock = 0xFFFFFFFFU;

std::vector<int> poisson_offsets(const SortBenchCase& shape) {
  const PoissonLengths draw(shape.mean_length);
  const RandomKey key{.seed = 1, .purpose = RandomPurpose::generate};
  std::vector<int> offsets{0};
  offsets.reserve(static_cast<std::size_t>(shape.segments) + 1);
  std::int64_t end = 0;
  for (int s = 0; s < shape.segments; ++s) {
    const auto words = random_words(key, static_cast<std::uint64_t>(s), kLengthsBlock);
    if (uniform_open(words[0], words[1]) >= shape.empty_fraction) end += draw(uniform_open(words[2], words[3]));
    if (end > 2 * kSortBenchMaxKeys) throw std::invalid_argument("a case of the sort benchmark has too many keys");
    offsets.push_back(static_cast<int>(end));
  }
  return offsets;
}

}  // namespace

std::string_view word_of(LengthLaw law) { return law == LengthLaw::uniform ? "uniform" : "poisson"; }

std::span<const int> default_sort_lengths() {
  static constexpr auto kLengths =
      std::to_array<int>({2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,  16,  17,   18,  19,
                          20,  24,  30,  32,  40,  48,  56,  64,  72,  80,  90,  96,  100, 104, 112, 113,  120, 128,
                          129, 144, 150, 160, 192, 200, 224, 256, 257, 320, 384, 512, 640, 768, 896, 1000, 1024});
  return kLengths;
}

std::span<const int> default_sort_means() {
  static constexpr auto kMeans = std::to_array<int>({10, 30, 60, 90, 120});
  return kMeans;
}

std::span<const int> default_sort_counts() {
  static constexpr auto kCounts = std::to_array<int>({1000, 10'000, 100'000, 1'000'000});
  return kCounts;
}

SortBenchCase sort_case_of_segments(LengthLaw law, int mean_length, int segments) {
  return {law, mean_length, law == LengthLaw::poisson ? kSortBenchEmptyFraction : 0.0, segments};
}

SortBenchCase sort_case_of_keys(LengthLaw law, int mean_length, std::int64_t n_keys) {
  SortBenchCase shape = sort_case_of_segments(law, mean_length, 1);
  shape.segments = std::max(1, static_cast<int>(static_cast<double>(n_keys) / expected_keys(shape)));
  return shape;
}

double expected_keys(const SortBenchCase& shape) {
  return static_cast<double>(shape.segments) * shape.mean_length * (1 - shape.empty_fraction);
}

bool draws_keys(const SortBenchCase& shape) {
  constexpr int kEnough = 1000;  // of the rarest case, mean 1: all are empty with probability 0.68^1000
  SortBenchCase head = shape;
  head.segments = std::min(shape.segments, kEnough);
  return SortBenchSegments(head).view().n_keys > 0;
}

SortBenchSegments::SortBenchSegments(const SortBenchCase& shape) {
  if (shape.law == LengthLaw::uniform) {
    view_ = Segments::uniform(shape.segments, shape.mean_length);
    longest_ = shape.mean_length;
    return;
  }
  offsets_ = poisson_offsets(shape);
  view_ = Segments::ragged(offsets_.data(), shape.segments, offsets_.back());
  for (std::size_t s = 1; s < offsets_.size(); ++s) longest_ = std::max(longest_, offsets_[s] - offsets_[s - 1]);
}

}  // namespace dropmd
