#pragma once

#include <cmath>
#include <cstdint>

#include "core/macros.h"
#include "core/vec3.h"

namespace dropmd {

/// Integer coordinates of a cell: floor(position/edge), saturated at ±2³⁰ so that they are valid for any position.
using CellIndex = Vec3<std::int32_t>;

inline constexpr double kLargestCellIndex = 1073741823.0;  // 2³⁰ − 1: differences fit 32 bits
/// Up to this value a CellGrid's indices are floor(position/edge); larger ones number only occupied cells.
inline constexpr std::int32_t kLargestPlainIndex = 536870912;  // 2²⁹

/// Returns floor(x · edge_inv), saturated.
DROPMD_HOST_DEVICE inline std::int32_t cell_coordinate(double x, double edge_inv) {
  const double c = floor(x * edge_inv);
  // Written so that NaN, too, gives a legal cell.
  if (!(c > -kLargestCellIndex)) return static_cast<std::int32_t>(-kLargestCellIndex);
  if (c > kLargestCellIndex) return static_cast<std::int32_t>(kLargestCellIndex);
  return static_cast<std::int32_t>(c);
}

/// Returns the index of the cell that holds x.
DROPMD_HOST_DEVICE inline CellIndex cell_index(const Vec3<double>& x, double edge_inv) {
  return {cell_coordinate(x.x, edge_inv), cell_coordinate(x.y, edge_inv), cell_coordinate(x.z, edge_inv)};
}

/// Returns a well-mixed 32-bit hash of a cell index (multiply and xor-shift, as in MurmurHash3's finaliser).
DROPMD_HOST_DEVICE inline std::uint32_t cell_hash(const CellIndex& c) {
  std::uint32_t h = static_cast<std::uint32_t>(c.x) * 0x9E3779B1U;
  h = (h ^ (h >> 15U) ^ static_cast<std::uint32_t>(c.y)) * 0x85EBCA77U;
  h = (h ^ (h >> 13U) ^ static_cast<std::uint32_t>(c.z)) * 0xC2B2AE3DU;
  return h ^ (h >> 16U);
}

/// Returns the bits of a 21-bit number, spread to every third bit.
DROPMD_HOST_DEVICE inline std::uint64_t spread_bits(std::uint32_t value) {
  std::uint64_t x = value & 0x1FFFFFU;
  x = (x | (x << 32U)) & 0x001F00000000FFFFULL;
  x = (x | (x << 16U)) & 0x001F0000FF0000FFULL;
  x = (x | (x << 8U)) & 0x100F00F00F00F00FULL;
  x = (x | (x << 4U)) & 0x10C30C30C30C30C3ULL;
  return (x | (x << 2U)) & 0x1249249249249249ULL;
}

/// Position of a cell on the Morton curve, for coordinates of up to 32 bits relative to the lowest occupied ones.
struct MortonKey {
  std::uint64_t high = 0;  ///< bits 21..31 of each coordinate, interleaved
  std::uint64_t low = 0;   ///< bits 0..20 of each coordinate, interleaved

  friend DROPMD_HOST_DEVICE bool operator==(const MortonKey&, const MortonKey&) = default;
};

/// Returns the key of a cell.
DROPMD_HOST_DEVICE inline MortonKey morton_key(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return {spread_bits(x >> 21U) | (spread_bits(y >> 21U) << 1U) | (spread_bits(z >> 21U) << 2U),
          spread_bits(x) | (spread_bits(y) << 1U) | (spread_bits(z) << 2U)};
}

}  // namespace dropmd
