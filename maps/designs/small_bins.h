#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "maps/map_model.h"
#include "maps/point_block.h"

/// The CPU's part of the design with small bins (docs/maps.md).
namespace dropmd {

/// Axis-aligned cubic bins, numbered with x fastest.
struct BinGrid {
  Vec3<double> origin{};
  double edge = 0;
  Vec3<std::int32_t> n{};

  std::size_t size() const {
    return static_cast<std::size_t>(n.x) * static_cast<std::size_t>(n.y) * static_cast<std::size_t>(n.z);
  }
};

/// Returns the bin that contains a position on an axis, relative to the axis' origin; the same on the CPU and on the
/// GPU.
DROPMD_HOST_DEVICE inline std::int32_t bin_of(double place, double edge) {
  return static_cast<std::int32_t>(std::floor(place / edge));
}

/// The positions of blocks of points along an axis: the low end of a block relative to the low face of its bin, the
/// smallest and largest over all blocks, and the length of a block.
struct BlockInBin {
  double least, most, extent;
};

/// Returns the offsets from the bin at a block's low corner to the bins that may contain atoms closer than `cutoff` to
/// one of its points: the neighbourhood of a block, a "supercircle" of bins.
std::vector<Vec3<std::int32_t>> neighbor_offsets(const std::array<BlockInBin, 3>& block, double edge, double cutoff);

/// How a map is divided into bins and blocks of points.
struct SmallBinsPlan {
  static constexpr std::int32_t kBlockEdge = 8;        ///< points
  static constexpr std::size_t kMostOffsets = 4096;    ///< in constant memory
  static constexpr double kMostBins = 1 << 24;         ///< in memory
  static constexpr int kMostCapacity = 768;            ///< four bins in 48 KiB of shared memory
  static constexpr std::size_t kMostSlots = 1U << 27;  ///< 2 GiB of atoms

  BinGrid bins;
  std::int32_t padding = 0;  ///< bins below the one at the grid's origin, along each axis
  PointBlocks blocks{};
  std::vector<Vec3<std::int32_t>> offsets;
};

/// Returns bins around a grid of points that contain every atom within the cutoff. The edge is doubled if there would
/// be too many offsets or bins.
SmallBinsPlan plan_small_bins(const MapGrid& grid, double cutoff, double edge = 4);

/// An atom in its bin: offset from the bin's low corner. Empty slots have charge 0.
struct alignas(16) BinAtom {
  float x, y, z, charge;

  friend bool operator==(const BinAtom&, const BinAtom&) = default;
};

/// Charges in bins of a fixed capacity.
struct BinnedCharges {
  int capacity = 0;
  std::size_t n_charges = 0;                    ///< in bins or left over; atoms outside all bins have no effect
  std::vector<BinAtom> slots;                   ///< [n_bins][capacity], occupied ones first
  std::vector<Vec3<double>> overflow_position;  ///< atoms without a slot, in the order of the input
  std::vector<double> overflow_charge;
  MapCharges overflow() const { return {overflow_position, overflow_charge}; }
};

/// Fills the bins. capacity: of a bin; nullopt: the smallest multiple of 8 (128 bytes) that holds 95% of the atoms, up
/// to 64. Throws InputError for more slots than kMostSlots.
BinnedCharges fill_bins(const BinGrid& bins, MapCharges charges, std::optional<int> capacity);

/// Adds scale times the GPU's results, block by block, to the points of a map: [n_blocks][8][8][8] to [n_points].
void join_blocks(Cpu cpu, const PointBlocks& blocks, const float* padded, double scale, std::span<double> potential);

}  // namespace dropmd
