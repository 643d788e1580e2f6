#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "neighbor/cells/sorted_cells.h"

namespace dropmd {

/// The atoms of an i cell (*rows*, by their order along the axis) that meet a pack of the j cell: [far, near) of which
/// none is near, [near, end) of which some may be; the end is that of the i cell, or of the pack's own atoms.
struct SortedRows {
  std::uint32_t far = 0;
  std::uint32_t near = 0;
};

/// Packs of a j cell, consecutive along the axis from its low end.
struct SortedRun {
  std::uint32_t cell = 0;  ///< j; of a cell with itself: i
  std::uint32_t axis = 0;
  std::uint32_t first_pack = 0;
  std::uint32_t n_packs = 0;
  std::size_t rows = 0;  ///< of the first pack in the block's `rows`
  std::size_t slot = 0;  ///< of the first pack's forces, counted from the block's first
};

/// A work item: an i cell and some of its runs. Its forces on i have the slots before those of its runs, in packs of
/// the cell's own order.
struct SortedItem {
  std::uint32_t cell = 0;
  std::uint32_t first_run = 0;
  std::uint32_t n_runs = 0;
  std::size_t slot = 0;
  std::uint64_t candidate_pairs = 0;  ///< pairs of atoms that the projections do not rule out
  std::uint64_t lanes = 0;            ///< of all packs and rows: `candidate_pairs` and those that idle
};

/// The items of some consecutive cells.
struct SortedBlock {
  std::vector<SortedItem> items;
  std::vector<SortedRun> runs;
  std::vector<SortedRows> rows;
  std::size_t n_slots = 0;
  std::size_t first_slot = 0;  ///< slots of the blocks before

  void clear();
};

/// Forces on atoms of one cell that lie in consecutive slots.
struct SortedPlace {
  static constexpr std::uint32_t kOwnOrder = kCellAxes;

  std::size_t slot = 0;
  std::uint32_t axis = kOwnOrder;  ///< whose order the atoms have
  std::uint32_t first_pack = 0;
  std::uint32_t n_packs = 0;
};

/// Which pairs of distances the projections do not rule out, in packs of a SIMD width (pseudo-Verlet list: P. Gonnet,
/// Mol. Simul. 39, 721, 2013): for each pack of a cell's sorted atoms the rows of the cell before it that its first
/// atom may reach. Each pair of atoms nearer than `reach` is in it once, of a pack with itself from the side of the
/// lower place. Positions decide alone, threads do not.
class SortedList {
 public:
  struct Reach {
    double reach = 0;
    double near = 0;         ///< pairs nearer than this are among the near rows
    double exact_frame = 0;  ///< cells whose offsets exceed this in the frame of the i cell have near rows only
  };

  /// The grid's edge is at least `reach`, and a little more for rounding.
  /// kWidth: atoms of a pack, a power of two up to 16.
  template <std::uint32_t kWidth>
  void build(Cpu cpu, const CellGrid& grid, std::span<const CellFrame> frames, const SortedCells& sorted,
             const Reach& reach);

  std::span<const SortedBlock> blocks() const { return blocks_; }
  std::size_t n_slots() const { return n_slots_; }
  /// Where forces on the atoms of a cell are, in a fixed order.
  std::span<const SortedPlace> places(std::uint32_t cell) const {
    return {places_.data() + first_place_[cell], first_place_[cell + 1] - first_place_[cell]};
  }
  /// Of all items.
  std::uint64_t candidate_pairs() const { return candidate_pairs_; }

  std::uint64_t bytes() const;

 private:
  void find_places(const CellGrid& grid, std::uint32_t width);

  std::vector<SortedBlock> blocks_;
  std::vector<std::size_t> first_place_;  ///< [n_cells + 1]
  std::vector<SortedPlace> places_;
  std::size_t n_slots_ = 0;
  std::uint64_t candidate_pairs_ = 0;
};

}  // namespace dropmd
