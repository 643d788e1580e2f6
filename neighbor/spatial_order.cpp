#include "neighbor/spatial_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace dropmd {

namespace {

constexpr unsigned kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

/// One stable counting pass over digit `shift` of the key part.
void counting_pass(std::span<const MortonKey> keys, std::uint64_t MortonKey::*part, unsigned shift,
                   std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& scratch) {
  std::array<std::uint32_t, kDigits> place{};
  const auto digit = [&](std::uint32_t atom) { return (keys[atom].*part >> shift) & (kDigits - 1); };
  for (const std::uint32_t atom : order) ++place[digit(atom)];
  std::exclusive_scan(place.begin(), place.end(), place.begin(), 0U);
  for (const std::uint32_t atom : order) scratch[place[digit(atom)]++] = atom;
  order.swap(scratch);
}

}  // namespace

std::vector<std::uint32_t> spatial_order(std::span<const CellIndex> cells) {
  std::vector<std::uint32_t> order(cells.size());
  std::iota(order.begin(), order.end(), 0U);
  if (cells.empty()) return order;

  CellIndex low = cells[0];
  for (const CellIndex& c : cells) low = {std::min(low.x, c.x), std::min(low.y, c.y), std::min(low.z, c.z)};

  std::vector<MortonKey> keys(cells.size());
  MortonKey used{};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto above = [](std::int32_t c, std::int32_t lowest) {
      return static_cast<std::uint32_t>(c) - static_cast<std::uint32_t>(lowest);
    };
    keys[i] = morton_key(above(cells[i].x, low.x), above(cells[i].y, low.y), above(cells[i].z, low.z));
    used.high |= keys[i].high;
    used.low |= keys[i].low;
  }

  std::vector<std::uint32_t> scratch(cells.size());
  for (const auto part : {&MortonKey::low, &MortonKey::high}) {
    const auto bits = static_cast<unsigned>(std::bit_width(used.*part));
    for (unsigned shift = 0; shift < bits; shift += kDigitBits) counting_pass(keys, part, shift, order, scratch);
  }
  return order;
}

}  // namespace dropmd
