#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "sort/element.h"

/// Seeded arrays for the tests of sorting, with patterns that some sort could get wrong, and the results of
/// std::stable_sort.
namespace dropmd {

enum class SortPattern {
  random,
  sorted,
  reversed,
  equal,
  two_values,
  organ_pipe,    ///< rises to the middle, then falls: every value appears twice
  signed_zeros,  ///< -0 and +0 mixed, with some other values
  denormals,     ///< of either sign, with zeros
  extremes,      ///< smallest normals, largest finite values, tiny differences
  infinities,    ///< of either sign, between ordinary values and the largest finite ones
  nans,          ///< quiet and signalling, of either sign, and infinities; it comes last, as some tests omit it
};

inline constexpr SortPattern kAllPatterns[] = {
    SortPattern::random,     SortPattern::sorted,     SortPattern::reversed,     SortPattern::equal,
    SortPattern::two_values, SortPattern::organ_pipe, SortPattern::signed_zeros, SortPattern::denormals,
    SortPattern::extremes,   SortPattern::infinities, SortPattern::nans};

inline const char* name_of(SortPattern pattern) {
  constexpr const char* kNames[] = {"random",       "sorted",    "reversed", "equal",      "two_values", "organ_pipe",
                                    "signed_zeros", "denormals", "extremes", "infinities", "nans"};
  return kNames[static_cast<int>(pattern)];
}
inline void PrintTo(SortPattern pattern, std::ostream* out) { *out << name_of(pattern); }

/// Uniform in [0, 1), 24 bits; the same on every platform, as std::uniform_real_distribution is not.
inline double unit_uniform(std::mt19937& random) { return static_cast<double>(random() >> 8) * 0x1p-24; }

namespace sort_data_detail {

template <std::size_t N>
float one_of(const float (&values)[N], std::mt19937& random) {
  return values[random() % N];
}

inline float pattern_value(SortPattern pattern, std::mt19937& random) {
  using Limits = std::numeric_limits<float>;
  constexpr float kMax = Limits::max();
  constexpr float kTiny = Limits::denorm_min();
  constexpr float kNormal = Limits::min();
  constexpr float kInfinity = Limits::infinity();
  const auto ordinary = static_cast<float>(200 * unit_uniform(random) - 100);
  switch (pattern) {
    case SortPattern::two_values:
      return one_of({-1.5F, 2.25F}, random);
    case SortPattern::signed_zeros:
      return one_of({-0.0F, 0.0F, -0.0F, 0.0F, kTiny, -kTiny, ordinary}, random);
    case SortPattern::denormals: {
      const float denormal = kTiny * static_cast<float>(random() % 1000);  // exact; sometimes 0
      return (random() & 1U) != 0 ? -denormal : denormal;
    }
    case SortPattern::extremes:
      return one_of({kMax, -kMax, kNormal, -kNormal, std::nextafter(kMax, 0.0F), -std::nextafter(kMax, 0.0F), kTiny,
                     -kTiny, 1.0F, std::nextafter(1.0F, 2.0F), ordinary},
                    random);
    case SortPattern::infinities:
      return one_of({kInfinity, -kInfinity, kMax, -kMax, ordinary, ordinary}, random);
    case SortPattern::nans:  // write_nans adds the NaNs
      return one_of({kInfinity, -kInfinity, ordinary, ordinary, ordinary}, random);
    default:
      return ordinary;
  }
}

/// Overwrites about every third value with a NaN: the first and the last bit patterns of signalling and quiet ones of
/// either sign, and random ones. It writes bits, since a float that is passed on may become quiet.
inline void write_nans(std::vector<float>& values, std::mt19937& random) {
  constexpr std::uint32_t kNans[] = {0x7F800001U, 0x7FBFFFFFU, 0x7FC00000U, 0x7FFFFFFFU,
                                     0xFF800001U, 0xFFBFFFFFU, 0xFFC00000U, 0xFFFFFFFFU};
  for (float& x : values) {
    if (random() % 3 != 0) continue;
    const auto drawn = static_cast<std::uint32_t>(random());
    const std::uint32_t bits = (drawn & 1U) != 0 ? kNans[(drawn >> 1) % std::size(kNans)] : drawn | 0x7F800001U;
    std::memcpy(&x, &bits, sizeof x);
  }
}

/// Sorted, reversed, equal and organ_pipe arrange the drawn values; the other patterns leave them as they are.
template <class T>
void arrange(SortPattern pattern, std::vector<T>& values) {
  const auto n = static_cast<std::ptrdiff_t>(values.size());
  switch (pattern) {
    case SortPattern::sorted:
      std::sort(values.begin(), values.end());
      break;
    case SortPattern::reversed:
      std::sort(values.rbegin(), values.rend());
      break;
    case SortPattern::equal:
      if (n > 0) std::fill(values.begin(), values.end(), values[0]);
      break;
    case SortPattern::organ_pipe:
      std::sort(values.begin(), values.end());
      for (std::ptrdiff_t i = (n + 1) / 2; i < n; ++i)
        values[static_cast<std::size_t>(i)] = values[static_cast<std::size_t>(n - 1 - i)];
      break;
    default:
      break;
  }
}

}  // namespace sort_data_detail

/// [n] reals.
inline std::vector<float> make_reals(SortPattern pattern, std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(n);
  for (float& x : values) x = sort_data_detail::pattern_value(pattern, random);
  sort_data_detail::arrange(pattern, values);
  if (pattern == SortPattern::nans) sort_data_detail::write_nans(values, random);
  return values;
}

/// [n] unsigned integers over all 32 bits. The patterns that only reals have become extremes, with 0 and 2^32 - 1 among
/// them and many duplicates.
inline std::vector<std::uint32_t> make_integers(SortPattern pattern, std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> values(n);
  for (std::uint32_t& x : values) {
    x = static_cast<std::uint32_t>(random());
    if (pattern == SortPattern::two_values) x = (x & 1U) != 0 ? 7U : 0x80000000U;
    if (pattern >= SortPattern::signed_zeros) {
      constexpr std::uint32_t kExtremes[] = {0U, 1U, 0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFEU, 0xFFFFFFFFU};
      x = kExtremes[x % std::size(kExtremes)];
    }
  }
  sort_data_detail::arrange(pattern, values);
  return values;
}

/// [n] packed words: 16-bit codes in the pattern above, the index below; n <= kMaxPackedLength.
inline std::vector<PackedWord> make_words(SortPattern pattern, std::size_t n, std::uint32_t seed) {
  std::vector<PackedWord> words = make_integers(pattern, n, seed);
  for (std::size_t i = 0; i < n; ++i) words[i] = pack_word(code_of(words[i]), static_cast<std::uint32_t>(i));
  return words;
}

/// A Poisson variate of the given mean (<= 500): the number of factors until the product of uniforms falls below
/// exp(-mean) (D. E. Knuth, The Art of Computer Programming 2, 3.4.1).
inline int poisson(double mean, std::mt19937& random) {
  const double limit = std::exp(-mean);
  int n = 0;
  for (double product = 1 - unit_uniform(random); product > limit; product *= 1 - unit_uniform(random)) ++n;
  return n;
}

/// [count] lengths, each 0 with the given probability and a Poisson variate otherwise.
inline std::vector<int> poisson_lengths(std::size_t count, double mean, double empty_fraction, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int> lengths(count);
  for (int& length : lengths) length = unit_uniform(random) < empty_fraction ? 0 : poisson(mean, random);
  return lengths;
}

/// CSR offsets [lengths.size() + 1] of segments of these lengths.
inline std::vector<int> make_ragged_offsets(std::span<const int> lengths) {
  std::vector<int> offsets(lengths.size() + 1, 0);
  std::inclusive_scan(lengths.begin(), lengths.end(), offsets.begin() + 1);
  return offsets;
}

/// Every length up to the longest.
inline std::vector<int> every_length_to(int longest) {
  std::vector<int> lengths(static_cast<std::size_t>(longest) + 1);
  std::iota(lengths.begin(), lengths.end(), 0);
  return lengths;
}

/// Every length up to 130, and those around the next powers of two, up to 1024.
inline std::vector<int> usual_lengths() {
  std::vector<int> lengths = every_length_to(130);
  lengths.insert(lengths.end(), {255, 256, 257, 511, 512, 513, 1000, 1023, 1024});
  return lengths;
}

/// Consecutive segments and their contents.
template <class T>
struct RaggedArrays {
  std::vector<int> offsets{0};
  std::vector<T> values;
  std::vector<SortPattern> patterns;

  int count() const { return static_cast<int>(patterns.size()); }
  int n_keys() const { return static_cast<int>(values.size()); }
  std::string describe(int s) const {
    const auto at = static_cast<std::size_t>(s);
    return "segment " + std::to_string(s) + " of length " + std::to_string(offsets[at + 1] - offsets[at]) + ", " +
           name_of(patterns[at]);
  }

  void add(SortPattern pattern, const std::vector<T>& array) {
    values.insert(values.end(), array.begin(), array.end());
    offsets.push_back(n_keys());
    patterns.push_back(pattern);
  }
};

/// Every length in every pattern; `make` is one of the three functions above.
template <class T>
RaggedArrays<T> make_ragged(std::span<const int> lengths, std::span<const SortPattern> patterns,
                            std::vector<T> (*make)(SortPattern, std::size_t, std::uint32_t), std::uint32_t seed = 1) {
  RaggedArrays<T> arrays;
  for (const SortPattern pattern : patterns)
    for (const int length : lengths) arrays.add(pattern, make(pattern, static_cast<std::size_t>(length), seed++));
  return arrays;
}

/// An output [n] between two guards, poisoned everywhere: what nobody writes stays poison.
template <class T>
class GuardedArray {
 public:
  static constexpr std::size_t kGuard = 64;  ///< elements on either side

  explicit GuardedArray(std::size_t n) : whole_(n + 2 * kGuard, poison()) {}

  /// The array with its guards, to be copied to the device, written from element kGuard on, and copied back.
  std::vector<T>& whole() { return whole_; }
  std::span<T> values() { return std::span<T>(whole_).subspan(kGuard, whole_.size() - 2 * kGuard); }

  /// Every byte is 0xA5; values of the tests equal it only by chance.
  static T poison() {
    T value;
    std::memset(&value, 0xA5, sizeof(T));
    return value;
  }
  bool guards_intact() const {
    const auto poisoned = [](const T& value) {
      const T expected = poison();
      return std::memcmp(&value, &expected, sizeof(T)) == 0;
    };
    return std::all_of(whole_.begin(), whole_.begin() + kGuard, poisoned) &&
           std::all_of(whole_.end() - kGuard, whole_.end(), poisoned);
  }

 private:
  std::vector<T> whole_;
};

/// The order of reals that RealSort documents: <, with NaN after everything else.
inline bool real_less(float a, float b) { return a < b || (!std::isnan(a) && std::isnan(b)); }

/// Positions in the whole array [n_keys] that std::stable_sort gives each segment.
template <class T, class Less>
std::vector<int> stable_permutation(std::span<const int> offsets, const std::vector<T>& values, Less less) {
  std::vector<int> permutation(values.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(permutation.begin() + offsets[s], permutation.begin() + offsets[s + 1], [&](int a, int b) {
      return less(values[static_cast<std::size_t>(a)], values[static_cast<std::size_t>(b)]);
    });
  return permutation;
}

}  // namespace dropmd
