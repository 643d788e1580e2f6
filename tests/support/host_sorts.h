#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "sort/segment_sort.h"
#include "tests/support/sort_data.h"

/// The CPU's sorts for tests: outputs lie between guards, are poisoned before, and are compared with std::stable_sort.
namespace dropmd::host_sorts {

inline constexpr std::size_t kGuards = 64;

/// An output array between guard words, poisoned at the start.
template <class T>
class Guarded {
 public:
  explicit Guarded(std::size_t n) : bytes_((n + 2 * kGuards) * sizeof(T), kPoison), n_(n) {}

  T* data() { return reinterpret_cast<T*>(bytes_.data()) + kGuards; }
  std::vector<T> contents() {
    std::vector<T> copy(n_);
    if (n_ > 0) std::memcpy(copy.data(), data(), n_ * sizeof(T));
    return copy;
  }
  bool guards_are_whole() const {
    const auto poisoned = [](unsigned char byte) { return byte == kPoison; };
    const auto guard = static_cast<std::ptrdiff_t>(kGuards * sizeof(T));
    return std::all_of(bytes_.begin(), bytes_.begin() + guard, poisoned) &&
           std::all_of(bytes_.end() - guard, bytes_.end(), poisoned);
  }
  bool is_poisoned(std::size_t first, std::size_t last) const {
    return std::all_of(bytes_.begin() + static_cast<std::ptrdiff_t>((kGuards + first) * sizeof(T)),
                       bytes_.begin() + static_cast<std::ptrdiff_t>((kGuards + last) * sizeof(T)),
                       [](unsigned char byte) { return byte == kPoison; });
  }

 private:
  static constexpr unsigned char kPoison = 0xA5;
  std::vector<unsigned char> bytes_;
  std::size_t n_;
};

/// Sorted keys and permutation of a call.
template <class Key>
struct Outputs {
  explicit Outputs(std::size_t n) : sorted(n), permutation(n) {}
  Guarded<Key> sorted;
  Guarded<int> permutation;

  void expect_whole_guards() const {
    EXPECT_TRUE(sorted.guards_are_whole());
    EXPECT_TRUE(permutation.guards_are_whole());
  }
};

template <class T>
Segments segments_of(const RaggedArrays<T>& arrays) {
  return Segments::ragged(arrays.offsets.data(), arrays.count(), arrays.n_keys());
}

inline std::vector<int> all_lengths(std::initializer_list<int> longer) {
  std::vector<int> lengths(1025);
  std::iota(lengths.begin(), lengths.end(), 0);
  lengths.insert(lengths.end(), longer);
  return lengths;
}

/// The order that RealSort documents, stated without its own functions.
inline bool real_before(float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

inline std::uint32_t bits(float x) { return std::isnan(x) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(x); }

inline std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [](float x) { return bits(x); });
  return result;
}

/// The first segment in which two arrays differ, for a message; empty if they agree.
template <class T, class Key>
std::string first_difference(const RaggedArrays<T>& arrays, const std::vector<Key>& a, const std::vector<Key>& b) {
  for (int s = 0; s < arrays.count(); ++s)
    if (!std::equal(a.begin() + arrays.offsets[static_cast<std::size_t>(s)],
                    a.begin() + arrays.offsets[static_cast<std::size_t>(s) + 1],
                    b.begin() + arrays.offsets[static_cast<std::size_t>(s)]))
      return arrays.describe(s);
  return {};
}

/// Compares reals in all patterns with std::stable_sort.
inline void expect_reals_sorted(const RaggedArrays<float>& arrays, int threads) {
  Outputs<float> out(arrays.values.size());
  sort_segments(Cpu{threads}, segments_of(arrays),
                RealSort{arrays.values.data(), out.sorted.data(), out.permutation.data()});
  const auto permutation = stable_permutation(arrays.offsets, arrays.values, real_before);
  std::vector<std::uint32_t> sorted(permutation.size());
  std::transform(permutation.begin(), permutation.end(), sorted.begin(),
                 [&](int at) { return bits(arrays.values[static_cast<std::size_t>(at)]); });
  EXPECT_EQ(first_difference(arrays, out.permutation.contents(), permutation), "");
  EXPECT_EQ(first_difference(arrays, bits(out.sorted.contents()), sorted), "");
  out.expect_whole_guards();
}

/// The codes that PackedSort documents, and their quantization.
struct Codes {
  std::vector<std::uint32_t> code;
  std::vector<Quantization> quantization;
};

inline Codes codes_of(const RaggedArrays<float>& arrays) {
  Codes codes;
  for (std::size_t s = 0; s + 1 < arrays.offsets.size(); ++s) {
    FiniteRange range;
    const auto segment = std::span(arrays.values)
                             .subspan(static_cast<std::size_t>(arrays.offsets[s]),
                                      static_cast<std::size_t>(arrays.offsets[s + 1] - arrays.offsets[s]));
    for (const float x : segment) range.add(x);
    const Quantizer quantize(range);
    for (const float x : segment) codes.code.push_back(quantize(x));
    codes.quantization.push_back(quantization_of(range));
  }
  return codes;
}

inline void expect_packed_sorted(const RaggedArrays<float>& arrays, int threads) {
  Outputs<PackedWord> out(arrays.values.size());
  Guarded<Quantization> quantization(static_cast<std::size_t>(arrays.count()));
  sort_segments(Cpu{threads}, segments_of(arrays),
                PackedSort{arrays.values.data(), out.sorted.data(), out.permutation.data(), quantization.data()});
  const Codes codes = codes_of(arrays);
  const auto permutation = stable_permutation(arrays.offsets, codes.code, std::less<>());
  std::vector<PackedWord> sorted(permutation.size());
  for (std::size_t s = 0; s + 1 < arrays.offsets.size(); ++s)
    for (int k = arrays.offsets[s]; k < arrays.offsets[s + 1]; ++k) {
      const int at = permutation[static_cast<std::size_t>(k)];
      sorted[static_cast<std::size_t>(k)] =
          pack_word(codes.code[static_cast<std::size_t>(at)], static_cast<std::uint32_t>(at - arrays.offsets[s]));
    }
  EXPECT_EQ(first_difference(arrays, out.permutation.contents(), permutation), "");
  EXPECT_EQ(first_difference(arrays, out.sorted.contents(), sorted), "");
  EXPECT_EQ(quantization.contents(), codes.quantization);
  out.expect_whole_guards();
  EXPECT_TRUE(quantization.guards_are_whole());
}

inline void expect_words_sorted(const RaggedArrays<PackedWord>& arrays, int threads) {
  Outputs<PackedWord> out(arrays.values.size());
  sort_segments(Cpu{threads}, segments_of(arrays),
                WordSort{arrays.values.data(), out.sorted.data(), out.permutation.data()});
  std::vector<PackedWord> sorted = arrays.values;
  std::vector<int> permutation(sorted.size());
  for (std::size_t s = 0; s + 1 < arrays.offsets.size(); ++s) {
    std::stable_sort(sorted.begin() + arrays.offsets[s], sorted.begin() + arrays.offsets[s + 1]);
    for (auto k = static_cast<std::size_t>(arrays.offsets[s]); k < static_cast<std::size_t>(arrays.offsets[s + 1]); ++k)
      permutation[k] = arrays.offsets[s] + static_cast<int>(index_of(sorted[k]));
  }
  EXPECT_EQ(first_difference(arrays, out.sorted.contents(), sorted), "");
  EXPECT_EQ(first_difference(arrays, out.permutation.contents(), permutation), "");
  out.expect_whole_guards();
}

}  // namespace dropmd::host_sorts
