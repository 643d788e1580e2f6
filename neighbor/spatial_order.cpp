#include "neighbor/spatial_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "core/parallel_for.h"

namespace dropmd {

namespace {

constexpr unsigned kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

/// Consecutive parts of an array, one per thread; a short array is a single part.
struct Parts {
  std::size_t n, count;

  Parts(Cpu cpu, std::size_t n_elements) : n(n_elements) {
    constexpr std::size_t kLeast = 16384;
    count = std::clamp<std::size_t>(n / kLeast, 1, static_cast<std::size_t>(cpu.threads));
  }
  std::size_t begin(std::size_t part) const { return n * part / count; }

  /// Calls use(part, begin, end) for each part, each on its own thread.
  template <class Use>
  void for_each(const Use& use) const {
    parallel_for(Cpu{static_cast<int>(count)}, count, [&](std::size_t p) { use(p, begin(p), begin(p + 1)); });
  }
};

/// Performs one stable counting pass over the digit at bit `shift` of the key part: atoms with the same digit keep
/// their order, whatever the number of parts.
void counting_pass(const Parts& parts, std::span<const MortonKey> keys, std::uint64_t MortonKey::*part, unsigned shift,
                   std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& scratch) {
  std::vector<std::array<std::uint32_t, kDigits>> place(parts.count);
  const auto digit = [&](std::uint32_t atom) { return (keys[atom].*part >> shift) & (kDigits - 1); };
  parts.for_each([&](std::size_t p, std::size_t begin, std::size_t end) {
    place[p].fill(0);
    for (std::size_t k = begin; k < end; ++k) ++place[p][digit(order[k])];
  });
  std::uint32_t before = 0;
  for (std::size_t d = 0; d < kDigits; ++d)
    for (auto& of_part : place) before += std::exchange(of_part[d], before);
  parts.for_each([&](std::size_t p, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) scratch[place[p][digit(order[k])]++] = order[k];
  });
  order.swap(scratch);
}

}  // namespace

std::vector<std::uint32_t> spatial_order(std::span<const CellIndex> cells, Cpu cpu) {
  std::vector<std::uint32_t> order(cells.size());
  std::iota(order.begin(), order.end(), 0U);
  if (cells.empty()) return order;

  CellIndex low = cells[0];
  for (const CellIndex& c : cells) low = {std::min(low.x, c.x), std::min(low.y, c.y), std::min(low.z, c.z)};

  const Parts parts(cpu, cells.size());
  std::vector<MortonKey> keys(cells.size());
  std::vector<MortonKey> used_by(parts.count);
  parts.for_each([&](std::size_t p, std::size_t begin, std::size_t end) {
    const auto above = [](std::int32_t c, std::int32_t lowest) {
      return static_cast<std::uint32_t>(c) - static_cast<std::uint32_t>(lowest);
    };
    MortonKey used{};
    for (std::size_t i = begin; i < end; ++i) {
      keys[i] = morton_key(above(cells[i].x, low.x), above(cells[i].y, low.y), above(cells[i].z, low.z));
      used.high |= keys[i].high;
      used.low |= keys[i].low;
    }
    used_by[p] = used;
  });
  MortonKey used{};
  for (const MortonKey& u : used_by) used = {used.high | u.high, used.low | u.low};

  std::vector<std::uint32_t> scratch(cells.size());
  for (const auto part : {&MortonKey::low, &MortonKey::high}) {
    const auto bits = static_cast<unsigned>(std::bit_width(used.*part));
    for (unsigned shift = 0; shift < bits; shift += kDigitBits) counting_pass(parts, keys, part, shift, order, scratch);
  }
  return order;
}

}  // namespace dropmd
