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

/// Consecutive i atoms of the spatial order, one a SIMD lane: places [begin, begin + count).
struct Chunk {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
  std::uint32_t cell = kNoCell;  ///< of all its atoms, where the plan cuts chunks by cell
};

/// What tells one CPU method from another: the cells' edge, the chunks, and which cells a chunk meets.
template <class Real>
class ChunkPlan {
 public:
  /// A thread's memory between chunks: the cells within reach of the cell it worked on last.
  struct Scratch {
    std::uint32_t cell = kNoCell;
    std::vector<std::uint32_t> reachable;
    std::vector<std::uint32_t> met;
  };

  virtual ~ChunkPlan() = default;

  virtual double edge() const = 0;
  /// Prepares for these positions. width: lanes of a chunk.
  virtual void build(const CellGrid& grid, const LocalAtoms<Real>& atoms, std::uint32_t width) = 0;
  /// Numbers of the cells that the chunk meets, in ascending or otherwise canonical order. Thread-safe.
  virtual std::span<const std::uint32_t> cells_met(const Chunk& chunk, Scratch& scratch) const = 0;

  std::span<const Chunk> chunks() const { return chunks_; }

 protected:
  /// Cuts [begin, end) into chunks. cell: of these atoms, or kNoCell.
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
