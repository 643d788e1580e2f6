#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "neighbor/cells/sorted_cells.h"

namespace dropmd {

/// The atoms of an i-cell (*rows*, in the order along the axis) that interact with a pack of the j-cell: none of [far,
/// near) is near, some of [near, end) may be; the end is that of the i-cell, or of the pack's own atoms.
struct SortedRows {
  std::uint32_t far = 0;
  std::uint32_t near = 0;
};

/// Packs of a j-cell, consecutive along the axis from its low end.
struct SortedRun {
  std::uint32_t cell = 0;  ///< the j-cell; for pairs within a cell: the i-cell
  std::uint32_t axis = 0;
  std::uint32_t first_pack = 0;
  std::uint32_t n_packs = 0;
  std::size_t rows = 0;  ///< index of the first pack in the block's `rows`
  std::size_t slot = 0;  ///< slot of the first pack's forces, relative to the block's first slot
};

/// A work item: an i-cell and some of its runs. Its forces on i atoms are stored before those of its runs, in packs of
/// the cell's own order.
struct SortedItem {
  std::uint32_t cell = 0;
  std::uint32_t first_run = 0;
  std::uint32_t n_runs = 0;
  std::size_t slot = 0;
  std::uint64_t candidate_pairs = 0;  ///< pairs of atoms that the projections do not rule out
  std::uint64_t lanes = 0;            ///< lanes of all packs and rows: `candidate_pairs` and idle lanes
};

/// The items of some consecutive cells.
struct SortedBlock {
  std::vector<SortedItem> items;
  std::vector<SortedRun> runs;
  std::vector<SortedRows> rows;
  std::size_t n_slots = 0;
  std::size_t first_slot = 0;  ///< number of slots of all previous blocks

  void clear();
};

/// Forces on atoms of one cell in consecutive slots.
struct SortedRange {
  static constexpr std::uint32_t kOwnOrder = kCellAxes;

  std::size_t slot = 0;
  std::uint32_t axis = kOwnOrder;  ///< the axis whose order the atoms have
  std::uint32_t first_pack = 0;
  std::uint32_t n_packs = 0;
};

/// The pairs of atoms whose distances the projections do not rule out, in packs of a SIMD width (pseudo-Verlet list: P.
/// Gonnet, Mol. Simul. 39, 721, 2013): for each pack of a cell's sorted atoms the rows of the previous cell along the
/// axis that may be within the list cutoff of the pack's first atom. Each pair of atoms closer than the list cutoff
/// occurs once; pairs within a pack belong to the atom that comes first. The list depends on the positions alone, not
/// on threads.
class SortedList {
 public:
  struct Parameters {
    double list_cutoff = 0;  ///< length
    double near = 0;         ///< pairs closer than this are among the near rows
    /// Cells whose offsets exceed this in the frame of the i-cell have only near rows.
    double exact_frame = 0;
  };

  /// The grid's edge must exceed the list cutoff slightly, to allow for rounding. kWidth: atoms of a pack, a power of
  /// two up to 16.
  template <std::uint32_t kWidth>
  void build(Cpu cpu, const CellGrid& grid, std::span<const CellFrame> frames, const SortedCells& sorted,
             const Parameters& parameters);

  std::span<const SortedBlock> blocks() const { return blocks_; }
  std::size_t n_slots() const { return n_slots_; }
  /// Returns the ranges with the forces on the atoms of a cell, in a fixed order.
  std::span<const SortedRange> ranges(std::uint32_t cell) const {
    return {ranges_.data() + first_range_[cell], first_range_[cell + 1] - first_range_[cell]};
  }
  /// The sum over all items.
  std::uint64_t candidate_pairs() const { return candidate_pairs_; }

  std::uint64_t bytes() const;

 private:
  void find_ranges(const CellGrid& grid, std::uint32_t width);

  std::vector<SortedBlock> blocks_;
  std::vector<std::size_t> first_range_;  ///< [n_cells + 1]
  std::vector<SortedRange> ranges_;
  std::size_t n_slots_ = 0;
  std::uint64_t candidate_pairs_ = 0;
};

}  // namespace dropmd
