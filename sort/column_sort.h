#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "sort/comparator_network.h"

/// Sorts several short arrays at once on the CPU, one array per SIMD lane: element i of all arrays forms one vector, a
/// column. Comparators then need no shuffles or branches, and one network serves all lanes.
namespace dropmd {

/// Number of columns that are sorted in registers; the number of columns of a batch is a multiple of it.
inline constexpr int kColumnBlock = 8;

/// A 256-bit vector of keys (AVX2; other instruction sets split it, or leave part of their registers unused). AVX2
/// compares only signed 64-bit integers, so unsigned ones are stored with their upper bit inverted.
template <class Key>
struct Column {
  using Lane = std::conditional_t<sizeof(Key) == 8, std::int64_t, std::uint32_t>;
  using Lanes [[gnu::vector_size(32)]] = Lane;
  static constexpr int kLanes = static_cast<int>(32 / sizeof(Lane));
  static constexpr Lane kFlip = std::is_signed_v<Lane> ? static_cast<Lane>(std::uint64_t{1} << 63) : Lane{0};

  Lanes lanes;

  friend void compare_exchange(Column& a, Column& b) {
    const Lanes x = a.lanes;
    const Lanes y = b.lanes;
    a.lanes = x < y ? x : y;
    b.lanes = x < y ? y : x;
  }
};

namespace column_detail {

/// Calls operate(Column (&)[kColumnBlock]) with each block in registers.
template <class Key, class Operate>
inline void for_each_block(Column<Key>* column, int n, const Operate& operate) {
  for (int first = 0; first < n; first += kColumnBlock) {
    Column<Key> block[kColumnBlock];
    for (int i = 0; i < kColumnBlock; ++i) block[i] = column[first + i];
    operate(block);
    for (int i = 0; i < kColumnBlock; ++i) column[first + i] = block[i];
  }
}

/// Compares column i of each lower half with its mirror image in the upper half: two ascending runs become one bitonic
/// sequence per half. Columns past n count as larger than everything.
template <class Key>
inline void split_mirrored(Column<Key>* column, int n, int run) {
  for (int first = 0; first + run < n; first += 2 * run) {
    const int last = first + 2 * run - 1;
    for (int i = std::max(0, last - n + 1); i < run; ++i) compare_exchange(column[first + i], column[last - i]);
  }
}

/// Compares columns `distance` apart.
template <class Key>
inline void split(Column<Key>* column, int n, int distance) {
  for (int first = 0; first + distance < n; first += 2 * distance) {
    const int last = std::min(first + distance, n - distance);
    for (int i = first; i < last; ++i) compare_exchange(column[i], column[i + distance]);
  }
}

/// Compares columns 2·distance apart, then `distance` apart, with one load and store for both.
template <class Key>
inline void split_twice(Column<Key>* column, int n, int distance) {
  int first = 0;
  for (; first + 4 * distance <= n; first += 4 * distance) {
    for (int i = first; i < first + distance; ++i) {
      Column<Key> a = column[i], b = column[i + distance], c = column[i + 2 * distance], d = column[i + 3 * distance];
      compare_exchange(a, c);
      compare_exchange(b, d);
      compare_exchange(a, b);
      compare_exchange(c, d);
      column[i] = a, column[i + distance] = b, column[i + 2 * distance] = c, column[i + 3 * distance] = d;
    }
  }
  split(column + first, n - first, 2 * distance);
  split(column + first, n - first, distance);
}

/// Exchanges the elements at (i, l + Step) and (i + Step, l), for i and l without the bit Step.
template <int Step, class Key, int... L>
inline void transpose_step(Column<Key>& a, Column<Key>& b, std::integer_sequence<int, L...>) {
  constexpr int kLanes = Column<Key>::kLanes;
  const auto x = a.lanes;
  const auto y = b.lanes;
  a.lanes = __builtin_shufflevector(x, y, ((L & Step) == 0 ? L : kLanes + L - Step)...);
  b.lanes = __builtin_shufflevector(x, y, ((L & Step) == 0 ? L + Step : kLanes + L)...);
}

template <int Step = 1, class Key>
inline void transpose(Column<Key>* square) {
  constexpr int kLanes = Column<Key>::kLanes;
  if constexpr (Step < kLanes) {
    for (int i = 0; i < kLanes; ++i)
      if ((i & Step) == 0) transpose_step<Step>(square[i], square[i + Step], std::make_integer_sequence<int, kLanes>{});
    transpose<2 * Step>(square);
  }
}

}  // namespace column_detail

/// Transposes rows [kLanes][n] to column [n], and back. n: a multiple of kColumnBlock.
template <class Key>
inline void rows_to_columns(const Key* rows, int n, Column<Key>* column) {
  constexpr int kLanes = Column<Key>::kLanes;
  for (int first = 0; first < n; first += kLanes) {
    Column<Key> square[kLanes];
    for (int l = 0; l < kLanes; ++l) {
      std::memcpy(&square[l].lanes, rows + l * n + first, sizeof square[l].lanes);
      square[l].lanes ^= Column<Key>::kFlip;
    }
    column_detail::transpose(square);
    for (int i = 0; i < kLanes; ++i) column[first + i] = square[i];
  }
}
template <class Key>
inline void columns_to_rows(const Column<Key>* column, int n, Key* rows) {
  constexpr int kLanes = Column<Key>::kLanes;
  for (int first = 0; first < n; first += kLanes) {
    Column<Key> square[kLanes];
    for (int i = 0; i < kLanes; ++i) square[i] = column[first + i];
    column_detail::transpose(square);
    for (int l = 0; l < kLanes; ++l) {
      square[l].lanes ^= Column<Key>::kFlip;
      std::memcpy(rows + l * n + first, &square[l].lanes, sizeof square[l].lanes);
    }
  }
}

/// Sorts each lane of column[0 .. n), with n a multiple of kColumnBlock: Batcher's network in registers, then bitonic
/// merges of runs (comparator_network.h), whose last steps are in registers again. A network whose comparators all put
/// the smaller key first remains a sorting network without the comparators that reach past n.
template <class Key>
inline void sort_columns(Column<Key>* column, int n) {
  column_detail::for_each_block(column, n, [](auto& block) { sort_registers(block); });
  for (int run = kColumnBlock; run < n; run *= 2) {
    column_detail::split_mirrored(column, n, run);
    int distance = run / 2;
    for (; distance >= 2 * kColumnBlock; distance /= 4) column_detail::split_twice(column, n, distance / 2);
    if (distance == kColumnBlock) column_detail::split(column, n, distance);
    column_detail::for_each_block(column, n, [](auto& block) { merge_bitonic<kColumnBlock>(block); });
  }
}

}  // namespace dropmd
