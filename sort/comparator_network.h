#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/macros.h"

/// Sorting networks for a fixed number of keys in registers: every index is a compile-time constant.
namespace dropmd {

/// Puts the smaller of two keys at `low`.
struct Comparator {
  std::uint8_t low;
  std::uint8_t high;
};

namespace network_detail {

/// Generates Batcher's odd-even merge sort for any n (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M).
/// With a null `out` it only counts the comparators.
constexpr std::size_t batcher(int n, Comparator* out) {
  std::size_t count = 0;
  int top = 1;
  while (top < n) top *= 2;
  for (int p = top / 2; p > 0; p /= 2) {
    int r = 0;
    int d = p;
    for (int q = top / 2;; q /= 2) {
      for (int i = 0; i + d < n; ++i) {
        if ((i & p) != r) continue;
        if (out != nullptr) out[count] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i + d)};
        ++count;
      }
      if (q == p) break;
      d = q - p;
      r = p;
    }
  }
  return count;
}

}  // namespace network_detail

/// Sorts N keys.
template <int N>
struct BatcherNetwork {
  static constexpr auto kComparators = [] {
    std::array<Comparator, network_detail::batcher(N, nullptr)> list{};
    network_detail::batcher(N, list.data());
    return list;
  }();
};

/// Sorts N keys that form a bitonic sequence, including cyclic shifts; N is odd. Found by exhaustive search over the
/// zero-one sequences (n² of them): 3 comparators for 3 keys, 8 for 5, 12 for 7. For even N see merge_bitonic.
template <int N>
struct OddBitonicNetwork;
template <>
struct OddBitonicNetwork<1> {
  static constexpr std::array<Comparator, 0> kComparators{};
};
template <>
struct OddBitonicNetwork<3> {
  static constexpr std::array<Comparator, 3> kComparators{{{0, 2}, {1, 2}, {0, 1}}};
};
template <>
struct OddBitonicNetwork<5> {
  static constexpr std::array<Comparator, 8> kComparators{
      {{0, 2}, {1, 4}, {0, 1}, {2, 4}, {2, 3}, {3, 4}, {1, 2}, {0, 1}}};
};
template <>
struct OddBitonicNetwork<7> {
  static constexpr std::array<Comparator, 12> kComparators{
      {{1, 3}, {0, 4}, {5, 6}, {3, 6}, {2, 5}, {0, 1}, {4, 5}, {1, 3}, {0, 2}, {3, 4}, {1, 2}, {5, 6}}};
};

/// Puts the smaller key in a and the larger in b.
template <class Key>
DROPMD_HOST_DEVICE inline void compare_exchange(Key& a, Key& b) {
  const bool ordered = a < b;
  const Key low = ordered ? a : b;
  b = ordered ? b : a;
  a = low;
}

/// Two instructions on the device: minimum and maximum.
DROPMD_HOST_DEVICE inline void compare_exchange(std::uint32_t& a, std::uint32_t& b) {
#if defined(__CUDA_ARCH__)
  const std::uint32_t low = ::min(a, b);
  b = ::max(a, b);
#else
  const std::uint32_t low = a < b ? a : b;
  b = a < b ? b : a;
#endif
  a = low;
}

/// Applies a network to key[First .. ].
template <class Network, int First, class Key, std::size_t... I>
DROPMD_HOST_DEVICE inline void apply_network([[maybe_unused]] Key* key, std::index_sequence<I...>) {
  (compare_exchange(key[First + Network::kComparators[I].low], key[First + Network::kComparators[I].high]), ...);
}

/// Sorts key[0 .. N).
template <int N, class Key>
DROPMD_HOST_DEVICE inline void sort_registers(Key (&key)[N]) {
  apply_network<BatcherNetwork<N>, 0>(key, std::make_index_sequence<BatcherNetwork<N>::kComparators.size()>{});
}

template <int First, class Key, int... I>
DROPMD_HOST_DEVICE inline void half_clean(Key* key, std::integer_sequence<int, I...>) {
  (compare_exchange(key[First + I], key[First + I + static_cast<int>(sizeof...(I))]), ...);
}

/// Sorts a bitonic sequence of N keys from key[First]: one pass of comparators splits it into a lower and an upper half
/// that are bitonic again (K. E. Batcher, 1968), until an odd number is left; N = 2^n times 1, 3, 5 or 7.
template <int N, int First = 0, class Key>
DROPMD_HOST_DEVICE inline void merge_bitonic(Key* key) {
  if constexpr (N % 2 == 0) {
    half_clean<First>(key, std::make_integer_sequence<int, N / 2>{});
    merge_bitonic<N / 2, First>(key);
    merge_bitonic<N / 2, First + N / 2>(key);
  } else {
    using Network = OddBitonicNetwork<N>;
    apply_network<Network, First>(key, std::make_index_sequence<Network::kComparators.size()>{});
  }
}

}  // namespace dropmd
