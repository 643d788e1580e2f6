#include "neighbor/cells/sorted_list.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "core/parallel_for.h"
#include "core/vector_bytes.h"

namespace dropmd {

namespace {

/// Cells per block; a droplet of some thousand atoms has about ten blocks.
constexpr std::uint32_t kCellsPerBlock = 4;
/// Number of lanes after which an item ends, so that cells with many atoms are divided into several items; but not
/// before each of its i atoms has interacted with kPacksPerItem packs: adding an atom's forces in fp64 must not cost
/// more than its pairs.
constexpr std::uint64_t kLanesPerItem = std::uint64_t{1} << 18U;
constexpr std::uint64_t kPacksPerItem = 64;

std::uint32_t packs_of(std::uint64_t atoms, std::uint32_t width) {
  return static_cast<std::uint32_t>((atoms + width - 1) / width);
}

/// Iterates over the packs of a sorted j-cell and finds the rows of a sorted i-cell within the limits: along[j] −
/// along[i] below the limit. Both arrays ascend, so the first such row only advances.
template <std::uint32_t kWidth>
class RowFinder {
 public:
  RowFinder(std::span<const float> rows, std::span<const float> packs, float far_limit, float near_limit)
      : rows_(rows), packs_(packs), far_limit_(far_limit), near_limit_(near_limit) {}

  /// Returns the first rows, before `end`, within the far and the near limit of the atoms from `first` on.
  SortedRows find(std::uint32_t first, std::uint32_t end) {
    while (found_.far < end && rows_[found_.far] <= packs_[first] - far_limit_) ++found_.far;
    found_.near = std::max(found_.near, found_.far);
    while (found_.near < end && rows_[found_.near] <= packs_[first] - near_limit_) ++found_.near;
    return found_;
  }

  /// Returns how many pairs of the rows [far, end) with the pack that begins at `first` are beyond the limit: the rows
  /// were found for the pack's first atom, and its later atoms are farther along the axis.
  std::uint64_t beyond(std::uint32_t first, std::uint32_t end) const {
    std::array<float, kWidth> limit;
    limit.fill(std::numeric_limits<float>::lowest());
    const std::size_t count = std::min<std::size_t>(kWidth, packs_.size() - first);
    for (std::size_t lane = 0; lane < count; ++lane) limit[lane] = packs_[first + lane] - far_limit_;
    const float last = limit[count - 1];
    std::array<std::uint32_t, kWidth> lanes{};
    for (std::uint32_t i = found_.far; i < end && rows_[i] <= last; ++i)
      for (std::size_t lane = 0; lane < kWidth; ++lane) lanes[lane] += rows_[i] <= limit[lane] ? 1U : 0U;
    return std::accumulate(lanes.begin(), lanes.end(), std::uint64_t{0});
  }

 private:
  std::span<const float> rows_, packs_;
  float far_limit_, near_limit_;
  SortedRows found_;
};

/// Writes the runs of one cell after another into a block.
template <std::uint32_t kWidth>
class BlockWriter {
 public:
  BlockWriter(SortedBlock& block, const CellGrid& grid, std::span<const CellFrame> frames, const SortedCells& sorted,
              const SortedList::Parameters& parameters)
      : block_(block), grid_(grid), frames_(frames), sorted_(sorted), parameters_(parameters) {}

  void add_cell(std::uint32_t cell) {
    cell_ = cell;
    const std::uint64_t atoms = grid_.cells()[cell].end - grid_.cells()[cell].begin;
    most_lanes_ = std::max(kLanesPerItem, kPacksPerItem * kWidth * atoms);
    begin_item();
    add_own();
    for (std::uint32_t axis = 0; axis < kCellAxes; ++axis)
      if (sorted_.neighbor(cell, axis) != kNoCell) add_neighbor(axis);
  }

 private:
  void begin_item() {
    const Cell& cell = grid_.cells()[cell_];
    block_.items.push_back(
        {.cell = cell_, .first_run = static_cast<std::uint32_t>(block_.runs.size()), .slot = block_.n_slots});
    block_.n_slots += packs_of(cell.end - cell.begin, kWidth);
  }

  void begin_run(std::uint32_t cell, std::uint32_t axis, std::uint32_t first_pack) {
    block_.runs.push_back({cell, axis, first_pack, 0, block_.rows.size(), block_.n_slots});
    ++block_.items.back().n_runs;
  }

  /// Adds a pack that interacts with the rows [far, end).
  void add_pack(const SortedRows& rows, std::uint32_t end, std::uint64_t candidate_pairs) {
    if (block_.items.back().lanes >= most_lanes_) {
      const SortedRun last = block_.runs.back();
      begin_item();
      begin_run(last.cell, last.axis, last.first_pack + last.n_packs);
    }
    block_.rows.push_back(rows);
    ++block_.runs.back().n_packs;
    ++block_.n_slots;
    block_.items.back().lanes += std::uint64_t{kWidth} * (end - rows.far);
    block_.items.back().candidate_pairs += candidate_pairs;
  }

  /// Computes limits of differences along an axis. extent: largest offset in the i-cell's frame; error: of the
  /// differences.
  RowFinder<kWidth> row_finder(std::uint32_t cell, std::uint32_t axis, double extent, double apart,
                               double error) const {
    const auto limit = [&](double distance) {
      return static_cast<float>(distance * cell_axis_length(axis) * (1 + 1e-6) + error - apart);
    };
    const double near = extent > parameters_.exact_frame ? parameters_.list_cutoff : parameters_.near;
    return {sorted_.along(cell_, axis), sorted_.along(cell, axis), limit(parameters_.list_cutoff), limit(near)};
  }

  void add_own() {
    constexpr std::uint32_t kAxis = SortedCells::kOwnAxis;
    const auto n = static_cast<std::uint32_t>(sorted_.along(cell_, kAxis).size());
    auto finder = row_finder(cell_, kAxis, frames_[cell_].extent, 0, 2 * sorted_.error(cell_, kAxis));
    begin_run(cell_, kAxis, 0);
    for (std::uint32_t first = 0; first < n; first += kWidth) {
      const std::uint64_t count = std::min(kWidth, n - first);
      const SortedRows rows = finder.find(first, first);
      add_pack(rows, first + static_cast<std::uint32_t>(count) - 1,
               count * (first - rows.far) + count * (count - 1) / 2 - finder.beyond(first, first));
    }
  }

  void add_neighbor(std::uint32_t axis) {
    const std::uint32_t other = sorted_.neighbor(cell_, axis);
    const auto n = static_cast<std::uint32_t>(sorted_.along(cell_, axis).size());
    const auto n_other = static_cast<std::uint32_t>(sorted_.along(other, axis).size());
    const CellIndex& a = kCellAxis[axis];
    const Vec3<double> shift = frames_[other].centre - frames_[cell_].centre;
    const double apart = a.x * shift.x + a.y * shift.y + a.z * shift.z;
    const double extent =
        std::max(frames_[cell_].extent,
                 frames_[other].extent + std::max({std::abs(shift.x), std::abs(shift.y), std::abs(shift.z)}));
    const double error = sorted_.error(cell_, axis) + sorted_.error(other, axis) + std::ldexp(std::abs(apart), -21);
    auto finder = row_finder(other, axis, extent, apart, error);
    for (std::uint32_t first = 0; first < n_other; first += kWidth) {
      const SortedRows rows = finder.find(first, n);
      if (rows.far == n) return;
      if (first == 0) begin_run(other, axis, 0);
      const std::uint64_t count = std::min(kWidth, n_other - first);
      add_pack(rows, n, count * (n - rows.far) - finder.beyond(first, n));
    }
  }

  SortedBlock& block_;
  const CellGrid& grid_;
  std::span<const CellFrame> frames_;
  const SortedCells& sorted_;
  SortedList::Parameters parameters_;
  std::uint32_t cell_ = 0;
  std::uint64_t most_lanes_ = 0;
};

}  // namespace

void SortedBlock::clear() {
  items.clear();
  runs.clear();
  rows.clear();
  n_slots = 0;
}

template <std::uint32_t kWidth>
void SortedList::build(Cpu cpu, const CellGrid& grid, std::span<const CellFrame> frames, const SortedCells& sorted,
                       const Parameters& parameters) {
  const auto n_cells = static_cast<std::uint32_t>(grid.cells().size());
  blocks_.resize((n_cells + kCellsPerBlock - 1) / kCellsPerBlock);
  parallel_for(cpu, blocks_.size(), [&](std::size_t b) {
    SortedBlock& block = blocks_[b];
    block.clear();
    BlockWriter<kWidth> writer(block, grid, frames, sorted, parameters);
    const auto first = static_cast<std::uint32_t>(b) * kCellsPerBlock;
    for (std::uint32_t c = first; c < std::min(first + kCellsPerBlock, n_cells); ++c) writer.add_cell(c);
  });
  n_slots_ = 0;
  candidate_pairs_ = 0;
  for (SortedBlock& block : blocks_) {
    block.first_slot = n_slots_;
    n_slots_ += block.n_slots;
    for (const SortedItem& item : block.items) candidate_pairs_ += item.candidate_pairs;
  }
  find_ranges(grid, kWidth);
}

std::uint64_t SortedList::bytes() const {
  std::uint64_t bytes = bytes_of_all(blocks_, first_range_, ranges_);
  for (const SortedBlock& block : blocks_) bytes += bytes_of_all(block.items, block.runs, block.rows);
  return bytes;
}

void SortedList::find_ranges(const CellGrid& grid, std::uint32_t width) {
  const std::size_t n_cells = grid.cells().size();
  // Calls use(cell, range) for all ranges, in order.
  const auto for_each_range = [&](const auto& use) {
    for (const SortedBlock& block : blocks_)
      for (const SortedItem& item : block.items) {
        const Cell& cell = grid.cells()[item.cell];
        use(item.cell, SortedRange{block.first_slot + item.slot, SortedRange::kOwnOrder, 0,
                                   packs_of(cell.end - cell.begin, width)});
        for (std::uint32_t r = 0; r < item.n_runs; ++r) {
          const SortedRun& run = block.runs[item.first_run + r];
          use(run.cell, SortedRange{block.first_slot + run.slot, run.axis, run.first_pack, run.n_packs});
        }
      }
  };
  first_range_.assign(n_cells + 1, 0);
  for_each_range([&](std::uint32_t cell, const SortedRange&) { ++first_range_[cell + 1]; });
  for (std::size_t c = 0; c < n_cells; ++c) first_range_[c + 1] += first_range_[c];
  ranges_.resize(first_range_.back());
  std::vector<std::size_t> next(first_range_.begin(), first_range_.end() - 1);
  for_each_range([&](std::uint32_t cell, const SortedRange& range) { ranges_[next[cell]++] = range; });
}

template void SortedList::build<1>(Cpu, const CellGrid&, std::span<const CellFrame>, const SortedCells&,
                                   const Parameters&);
template void SortedList::build<2>(Cpu, const CellGrid&, std::span<const CellFrame>, const SortedCells&,
                                   const Parameters&);
template void SortedList::build<4>(Cpu, const CellGrid&, std::span<const CellFrame>, const SortedCells&,
                                   const Parameters&);
template void SortedList::build<8>(Cpu, const CellGrid&, std::span<const CellFrame>, const SortedCells&,
                                   const Parameters&);
template void SortedList::build<16>(Cpu, const CellGrid&, std::span<const CellFrame>, const SortedCells&,
                                    const Parameters&);

}  // namespace dropmd
