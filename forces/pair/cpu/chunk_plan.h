#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "forces/pair/pair_model.h"
#include "neighbor/cells/cell_grid.h"
#include "neighbor/cells/local_atoms.h"

namespace dropmd {

/// Consecutive i atoms of the spatial order, one per SIMD lane: indices [begin, begin + count).
struct Chunk {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
  std::uint32_t cell = kNoCell;  ///< cell of all its atoms, if the plan cuts chunks by cell
};

/// What distinguishes the CPU methods: the edge of the cells, the chunks, and the cells that a chunk interacts with.
template <class Real>
class ChunkPlan {
 public:
  /// Memory of a thread between chunks: the cells within the cutoff of the last cell that it worked on.
  struct Scratch {
    std::uint32_t cell = kNoCell;
    std::vector<std::uint32_t> near_cells;
    std::vector<std::uint32_t> met;
  };

  virtual ~ChunkPlan() = default;

  /// Edge of the cells, length.
  virtual double edge() const = 0;
  /// Prepares the plan for these positions. width: lanes of a chunk.
  virtual void build(const CellGrid& grid, const LocalAtoms<Real>& atoms, std::uint32_t width) = 0;
  /// Returns the indices of the cells that the chunk interacts with, in an order that depends on the positions alone.
  /// Thread-safe.
  virtual std::span<const std::uint32_t> cells_met(const Chunk& chunk, Scratch& scratch) const = 0;

  /// All chunks, in the order in which their sums are added.
  std::span<const Chunk> chunks() const { return chunks_; }

 protected:
  /// Cuts [begin, end) into chunks. cell: cell of these atoms, or kNoCell.
  void append_chunks(std::uint32_t begin, std::uint32_t end, std::uint32_t width, std::uint32_t cell) {
    for (; begin < end; begin += width) chunks_.push_back({begin, std::min(width, end - begin), cell});
  }

  std::vector<Chunk> chunks_;
};

template <class Real>
std::unique_ptr<ChunkPlan<Real>> make_all_pairs_plan(const PairModel& model);
template <class Real>
std::unique_ptr<ChunkPlan<Real>> make_cells_plan(const PairModel& model, double edge);

}  // namespace dropmd
