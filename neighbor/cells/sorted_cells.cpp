#include "neighbor/cells/sorted_cells.h"

#include <algorithm>
#include <limits>

#include "core/errors.h"
#include "core/parallel_for.h"
#include "core/vector_bytes.h"
#include "neighbor/position_grid.h"
#include "sort/segment_sort.h"

namespace dropmd {

namespace {

/// Returns the error of projections that are computed in fp32 from offsets of up to `extent` along each axis, compared
/// in fp32, and taken from positions that were rounded to fp64.
double projection_error(const CellFrame& frame) {
  if (!(frame.extent < 1e17)) return std::numeric_limits<double>::infinity();  // squarable() limits such offsets
  const double largest = std::max({std::abs(frame.centre.x), std::abs(frame.centre.y), std::abs(frame.centre.z)});
  return std::ldexp(3 * frame.extent, -21) + std::ldexp(3 * (largest + frame.extent), -50);
}

}  // namespace

void SortedCells::sort(Cpu cpu, const CellGrid& grid, std::span<const CellFrame> frames,
                       std::span<const Vec3<double>> position) {
  find_neighbors(cpu, grid);
  project(cpu, grid, frames, position);
  std::uint32_t largest = 0;
  for (const Cell& cell : grid.cells()) largest = std::max(largest, cell.end - cell.begin);
  largest > kMaxPackedLength ? sort_in_full(cpu) : sort_packed(cpu);
}

double SortedCells::error(std::uint32_t cell, std::uint32_t axis) const {
  return error_[cell] + double{quantum_[std::size_t{cell} * kCellAxes + axis]};
}

std::uint64_t SortedCells::bytes() const {
  return bytes_of_all(neighbor_, first_key_, along_, order_, quantum_, error_);
}

void SortedCells::find_neighbors(Cpu cpu, const CellGrid& grid) {
  const CellGridView view = grid.view();
  const auto require_room = [](std::int64_t n_keys) {
    if (n_keys > kMaxKeys)
      throw InputError("neighbor method 'sorted-cells' has no room for so many atoms (use pair-list or cells)");
  };
  require_room(std::int64_t{view.n_cells} * kCellAxes);
  neighbor_.resize(std::size_t{view.n_cells} * kCellAxes);
  parallel_for(cpu, view.n_cells, [&](std::size_t c) {
    for (std::size_t axis = 0; axis < kCellAxes; ++axis)
      neighbor_[c * kCellAxes + axis] = view.find(view.cells[c].index + kCellAxis[axis]);
  });

  std::vector<std::uint8_t> wanted(neighbor_.size(), 0);
  for (std::size_t s = 0; s < neighbor_.size(); ++s) {
    if (s % kCellAxes == kOwnAxis) wanted[s] = 1;
    if (neighbor_[s] == kNoCell) continue;
    wanted[s] = 1;
    wanted[std::size_t{neighbor_[s]} * kCellAxes + s % kCellAxes] = 1;
  }
  first_key_.resize(neighbor_.size() + 1);
  std::int64_t n_keys = 0;
  for (std::size_t s = 0; s < neighbor_.size(); ++s) {
    first_key_[s] = static_cast<int>(n_keys);
    const Cell& cell = view.cells[s / kCellAxes];
    if (wanted[s] != 0) n_keys += cell.end - cell.begin;
    require_room(n_keys);
  }
  first_key_.back() = static_cast<int>(n_keys);
}

void SortedCells::project(Cpu cpu, const CellGrid& grid, std::span<const CellFrame> frames,
                          std::span<const Vec3<double>> position) {
  along_.resize(static_cast<std::size_t>(first_key_.back()));
  order_.resize(along_.size());
  quantum_.assign(neighbor_.size(), 0);
  error_.resize(grid.cells().size());
  constexpr std::size_t kCellsAtOnce = 8;
  struct Offsets {
    std::vector<float> x, y, z;
  };
  parallel_for_with(
      cpu, grid.cells().size(), kCellsAtOnce, [] { return Offsets{}; },
      [&](Offsets& offsets, std::size_t c) {
        auto& [x, y, z] = offsets;
        const Cell& cell = grid.cells()[c];
        error_[c] = projection_error(frames[c]);
        const std::size_t count = cell.end - cell.begin;
        for (auto* component : {&x, &y, &z}) component->resize(count);
        for (std::size_t i = 0; i < count; ++i) {
          const Vec3<double> d = squarable(position[grid.order()[cell.begin + i]] - frames[c].centre);
          x[i] = static_cast<float>(d.x), y[i] = static_cast<float>(d.y), z[i] = static_cast<float>(d.z);
        }
        for (std::size_t axis = 0; axis < kCellAxes; ++axis) {
          const auto begin = static_cast<std::size_t>(first_key_[c * kCellAxes + axis]);
          const auto end = static_cast<std::size_t>(first_key_[c * kCellAxes + axis + 1]);
          const auto a_x = static_cast<float>(kCellAxis[axis].x), a_y = static_cast<float>(kCellAxis[axis].y),
                     a_z = static_cast<float>(kCellAxis[axis].z);
          for (std::size_t i = 0; begin + i < end; ++i) along_[begin + i] = a_x * x[i] + a_y * y[i] + a_z * z[i];
        }
      });
}

void SortedCells::sort_packed(Cpu cpu) {
  std::vector<Quantization> quantization(neighbor_.size());
  const auto n = static_cast<int>(neighbor_.size());
  sort_segments(cpu, Segments::ragged(first_key_.data(), n, first_key_.back()),
                PackedSort{.values = along_.data(), .sorted = order_.data(), .quantization = quantization.data()});
  parallel_for(cpu, neighbor_.size(), [&](std::size_t s) {
    quantum_[s] = quantization[s].quantum;
    const float lowest = quantization[s].lowest, quantum = quantization[s].quantum;
    for (auto i = static_cast<std::size_t>(first_key_[s]); i < static_cast<std::size_t>(first_key_[s + 1]); ++i) {
      along_[i] = lowest + static_cast<float>(code_of(order_[i])) * quantum;
      order_[i] = index_of(order_[i]);
    }
  });
}

void SortedCells::sort_in_full(Cpu cpu) {
  std::vector<int> permutation(along_.size());
  const auto n = static_cast<int>(neighbor_.size());
  sort_segments(cpu, Segments::ragged(first_key_.data(), n, first_key_.back()),
                RealSort{.values = along_.data(), .sorted = along_.data(), .permutation = permutation.data()});
  parallel_for(cpu, neighbor_.size(), [&](std::size_t s) {
    for (int i = first_key_[s]; i < first_key_[s + 1]; ++i)
      order_[static_cast<std::size_t>(i)] =
          static_cast<std::uint32_t>(permutation[static_cast<std::size_t>(i)] - first_key_[s]);
  });
}

}  // namespace dropmd
