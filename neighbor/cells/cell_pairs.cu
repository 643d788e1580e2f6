#include "neighbor/cells/cell_pairs.cuh"

#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cmath>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <numbers>
#include <string>
#include <vector>

#include "core/errors.h"
#include "device/cub_scratch.h"
#include "device/device_info.h"
#include "neighbor/cells/cell_grid.h"
#include "neighbor/cells/cell_offsets.h"
#include "neighbor/cells/cell_pairs_kernels.cuh"

namespace dropmd {

namespace {

/// A shorter edge would give a cell too many neighbours.
constexpr std::size_t kMostOffsets = 1000;
/// Blocks per multiprocessor that sum energies.
constexpr int kEnergyBlocks = 4;

std::uint32_t blocks_for(std::uint32_t threads) { return (threads + kCellThreads - 1) / kCellThreads; }

/// Returns the number of atoms in the fullest cell.
std::uint32_t fullest_cell(std::span<const Vec3<double>> position, double edge) {
  const CellGrid grid(position, central_anchor(position, 1.0), edge);
  std::uint32_t fullest = 0;
  for (const Cell& cell : grid.cells()) fullest = std::max(fullest, cell.end - cell.begin);
  return fullest;
}

/// Returns the cell itself and one of each pair of opposite offsets within parameters.
std::vector<CellOffset> offsets_for(const CellPairsParameters& parameters) {
  const auto all = offsets_within(parameters.edge, parameters.cutoff + parameters.skin, kMostOffsets);
  if (!all)
    throw InputError("cells for the neighbor search are too small (use an edge of at least a fifth of the cutoff)");
  std::vector<CellOffset> half{{}};
  for (const CellIndex& c : *all) {
    const bool positive = c.x > 0 || (c.x == 0 && (c.y > 0 || (c.y == 0 && c.z > 0)));
    const Vec3<double> to{static_cast<double>(c.x), static_cast<double>(c.y), static_cast<double>(c.z)};
    if (positive) half.push_back({c, (1 / norm(to)) * to, norm(to)});
  }
  return half;
}

}  // namespace

struct CellPairs::CellArrays {
  std::size_t neighbors, segments, ends;
  SortLimits sort;

  CellArrays(std::uint32_t n_atoms, std::uint32_t n_offsets, std::uint32_t cells, std::uint32_t atoms_of_cell)
      : neighbors(std::size_t{cells} * n_offsets),
        segments(std::size_t{kCellAxes} * cells + 1),
        ends((std::size_t{n_atoms} / kSubClusterAtoms + cells + 1) * n_offsets),
        sort{.max_segments = of_axes(cells),
             .max_keys = of_axes(n_atoms),
             .max_length = static_cast<int>(atoms_of_cell)} {}

 private:
  /// Estimates are also made for more atoms than cells can hold.
  static int of_axes(std::uint64_t n) { return static_cast<int>(std::min<std::uint64_t>(kCellAxes * n, kMaxKeys)); }
};

std::uint32_t CellPairs::n_partial_energies(std::uint32_t multiprocessors) {
  return static_cast<std::uint32_t>(kEnergyBlocks) * multiprocessors;
}

std::uint32_t CellPairs::estimated_cells(std::uint32_t n_atoms, const CellPairsParameters& parameters) {
  // Atoms per cubed contact distance: in the fcc crystal that `full` describes, and in a liquid near its boiling point,
  // the thinnest that droplets consist of (0.7 σ⁻³).
  constexpr double kCrystal = 1.414, kLiquid = 1.0;
  // Cells chosen by rule hold about ten atoms. Light atoms, whose contact distance is much shorter than the distance
  // between molecules, make `full` too large, so a cell is assumed to hold no more atoms than this.
  constexpr double kMostAtomsOfCell = 8;
  const double of_cell = parameters.full * kLiquid / kCrystal, volume = n_atoms / of_cell;
  // The mean number of cells that a ball with this volume (in cells) touches: the volume of the ball swept by a cell.
  const double r = std::cbrt(0.75 * volume / std::numbers::pi);
  const double touched = volume + 3 * std::numbers::pi * r * r + 6 * r + 1;
  return static_cast<std::uint32_t>(
      std::min<double>(n_atoms, std::ceil(std::max(touched, n_atoms / kMostAtomsOfCell))));
}

std::uint64_t CellPairs::estimated_bytes(std::span<const Vec3<double>> position,
                                         const CellPairsParameters& parameters) {
  const auto n_atoms = static_cast<std::uint32_t>(position.size());
  const auto n_offsets = static_cast<std::uint32_t>(offsets_for(parameters).size());
  constexpr std::uint64_t kKeys = 5;  // key, identity, sorted key, storage index, first atom of a cell
  // The selection of the cells' first atoms needs less scratch than the sort.
  const std::uint64_t of_atoms = SearchMemory<CellPairsState>::bytes(n_atoms) + sizeof(CellOffset) * n_offsets +
                                 sizeof(std::uint32_t) * (kKeys * n_atoms + 1) +
                                 copying_sort_scratch_bytes(n_atoms, 2 * sizeof(std::uint32_t));
  // All size classes are counted, whatever the length of the fullest cell: they take nine bytes per atom.
  const CellArrays arrays(n_atoms, n_offsets, capacity_for_cells(estimated_cells(n_atoms, parameters)),
                          kMostSortedCellAtoms);
  const std::uint64_t of_cells = sizeof(CellSpan) * arrays.neighbors;
  if (!parameters.sorted) return of_atoms + of_cells;
  const std::uint64_t n_words = std::uint64_t{kCellAxes} * n_atoms;
  // Only cells with too many atoms for the registers of a warp need memory for CUB. No droplet is twice as dense as a
  // dense one; if the limit is in question, the fullest of the present cells decides.
  const bool any_large = 2 * parameters.full > kMaxRegisterLength &&
                         capacity_for(fullest_cell(position, parameters.edge)) > kMaxRegisterLength;
  return of_atoms + of_cells + sizeof(PackedWord) * n_words + sizeof(int) * arrays.segments +
         sizeof(std::uint16_t) * arrays.ends + SortWorkspace::list_bytes(arrays.sort) +
         (any_large ? SortWorkspace::large_key_bytes(n_words) : 0);
}

CellPairs::CellPairs(const Stream& stream, std::uint32_t n_atoms, const CellPairsParameters& parameters,
                     const Vec3<double>& anchor)
    : n_atoms_(n_atoms),
      parameters_(parameters),
      anchor_(anchor),
      energy_blocks_(n_partial_energies(static_cast<std::uint32_t>(require_device(stream.device()).multiprocessors))),
      memory_(stream, n_atoms),
      d_offset_(stream),
      d_key_(stream),
      d_identity_(stream),
      d_sorted_key_(stream),
      d_storage_index_(stream),
      d_first_(stream),
      d_neighbor_(stream),
      d_word_(stream),
      d_segment_(stream),
      d_end_(stream),
      d_scratch_(stream) {
  if (n_atoms > kMaxKeys / kCellAxes)
    throw InputError("cells on a GPU hold at most " + std::to_string(kMaxKeys / kCellAxes) +
                     " atoms (use --backend cpu)");
  const std::vector<CellOffset> offsets = offsets_for(parameters);
  n_offsets_ = static_cast<std::uint32_t>(offsets.size());
  if (parameters.sorted && n_offsets_ != kCellAxes + 1)
    throw InputError("sorted cells need an edge of at least cutoff plus skin, and of less than twice as much");
  d_offset_.upload(offsets);
  for (DeviceBuffer<std::uint32_t>* const buffer : {&d_key_, &d_identity_, &d_sorted_key_, &d_storage_index_})
    buffer->resize(n_atoms_);
  d_first_.resize(std::size_t{n_atoms_} + 1);
  if (parameters_.sorted) d_word_.resize(std::size_t{kCellAxes} * n_atoms_);
  std::size_t to_sort = 0, to_find = 0;
  sort_keys({stream}, nullptr, to_sort);
  find_cells({stream}, nullptr, to_find);
  d_scratch_.resize(std::max(to_sort, to_find));
  allocate({stream}, 1, kCellGroupAtoms);  // the first build determines the capacity
  stream.synchronize("preparing the cells");
}

void CellPairs::allocate(const Cuda& cuda, std::uint32_t cells, std::uint32_t atoms_of_cell) {
  max_cells_ = cells;
  max_atoms_ = atoms_of_cell;
  // Exactly as much as capacity_for_cells() says, which includes some spare already.
  const CellArrays arrays(n_atoms_, n_offsets_, cells, atoms_of_cell);
  d_neighbor_.fit(arrays.neighbors);
  if (!parameters_.sorted) return;
  d_segment_.fit(arrays.segments);
  DROPMD_CUDA(cudaMemsetAsync(d_segment_.data(), 0, d_segment_.size() * sizeof(int), cuda.get()), "emptying the words");
  d_end_.fit(arrays.ends);
  workspace_.reset();  // two workspaces must never be in memory at the same time
  workspace_ = std::make_unique<SortWorkspace>(cuda, arrays.sort);
}

CellPairsView CellPairs::view() const {
  CellPairsView view{};
  view.reference = memory_.reference();
  view.offset = d_offset_.data();
  view.key = d_key_.data();
  view.identity = d_identity_.data();
  view.sorted_key = d_sorted_key_.data();
  view.storage_index = d_storage_index_.data();
  view.first = d_first_.data();
  view.neighbor = d_neighbor_.data();
  view.word = d_word_.data();
  view.segment = d_segment_.data();
  view.end = d_end_.data();
  view.state = memory_.state();
  view.lattice = {anchor_, parameters_.edge, 1 / parameters_.edge};
  view.list_cutoff = parameters_.cutoff + parameters_.skin;
  view.max_move2 = parameters_.skin > 0 ? 0.25 * parameters_.skin * parameters_.skin : -1;
  view.n_atoms = n_atoms_;
  view.n_offsets = n_offsets_;
  view.max_cells = max_cells_;
  view.max_atoms = max_atoms_;
  view.full_atoms = static_cast<std::uint32_t>(std::clamp(parameters_.full, 1.0, 1e6));
  view.sorted = parameters_.sorted;
  return view;
}

void CellPairs::sort_keys(const Cuda& cuda, void* scratch, std::size_t& bytes) const {
  DROPMD_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, d_key_.data(), d_sorted_key_.data(), d_identity_.data(),
                                              d_storage_index_.data(), n_atoms_, 0, 3 * kCellKeyBits, cuda.get()),
              "sorting atoms into cells");
}

void CellPairs::find_cells(const Cuda& cuda, void* scratch, std::size_t& bytes) const {
  DROPMD_CUDA(cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<std::uint32_t>(0), d_first_.data(),
                                    &memory_.state()->n_cells, n_atoms_, BeginsCell{d_sorted_key_.data()}, cuda.get()),
              "finding the cells");
}

void CellPairs::build(const Cuda& cuda, const Vec3<double>* d_position, bool keep_reference) {
  const CellPairsView cells = view();
  const char* const doing = "making the cells";
  launch_early(cuda, cell_keys_kernel, {blocks_for(n_atoms_), kCellThreads}, doing, cells, d_position, keep_reference);
  std::size_t bytes = d_scratch_.size();
  sort_keys(cuda, d_scratch_.data(), bytes);
  find_cells(cuda, d_scratch_.data(), bytes);
  launch_early(cuda, cell_count_kernel, {1, 1}, doing, cells);
  launch_early(cuda, cell_neighbors_kernel, {max_cells_, kCellThreads}, doing, cells);
  if (!parameters_.sorted) return;
  sort_segments(
      cuda,
      Segments::ragged(cells.segment, static_cast<int>(kCellAxes * max_cells_), static_cast<int>(kCellAxes * n_atoms_)),
      WordSort{cells.word, cells.word, nullptr}, *workspace_);
  launch_early(cuda, cell_ends_kernel, {max_cells_, kCellThreads}, doing, cells);
}

void CellPairs::build_at_once(const Cuda& cuda, const Vec3<double>* d_position, bool keep_reference) {
  memory_.build_at_once(
      cuda, keep_reference, [&](bool keep) { build(cuda, d_position, keep); }, [&] { return reallocate(cuda); });
}

bool CellPairs::reallocate(const Cuda& cuda) {
  const CellPairsState state = what_was_read();
  if (state.full == 0) return false;
  if (parameters_.sorted && state.longest > kMostSortedCellAtoms)
    throw InputError("a cell of the neighbor search holds " + std::to_string(state.longest) +
                     " atoms, more than can be sorted (use --neighbor pair-list)");
  constexpr std::uint32_t kMostGroups = 65535;  // limit of a grid's y dimension
  if (state.longest / kCellGroupAtoms >= kMostGroups)
    throw InputError("a cell of the neighbor search holds " + std::to_string(state.longest) +
                     " atoms, which is too many (use --neighbor pair-list)");
  // Slightly more than was needed: droplets change slowly.
  const std::uint32_t cells = state.n_cells > max_cells_ ? capacity_for_cells(state.n_cells) : max_cells_;
  const std::uint32_t atoms = state.longest > max_atoms_ ? capacity_for(state.longest) : max_atoms_;
  allocate(cuda, cells, parameters_.sorted ? std::min(atoms, kMostSortedCellAtoms) : atoms);
  memory_.mark_reallocated();
  cuda.stream.synchronize("reallocating the cells");
  return true;
}

}  // namespace dropmd
