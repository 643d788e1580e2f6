#pragma once

#include <cstdint>

#include "device/launch.cuh"
#include "neighbor/cells/cell_pairs_view.cuh"

/// The kernels that build cells, between which a library sorts. Each does nothing unless the cells are stale, so that
/// all can be in a graph of steps. All orders follow from the order of the atoms.
namespace dropmd {

/// Threads per block of the kernels below.
inline constexpr std::uint32_t kCellThreads = 128;

/// Copies the reference positions and computes the keys of the atoms' cells; one thread per atom.
static __global__ void __launch_bounds__(kCellThreads)
    cell_keys_kernel(const __grid_constant__ CellPairsView cells, const Vec3<double>* position, bool keep_reference) {
  wait_for_kernel_before();
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) cells.state->filling = 0;
  if (i >= cells.n_atoms || !cells.state->stale()) return;
  const Vec3<double> x = keep_reference ? cells.reference[i] : position[i];
  cells.reference[i] = x;
  cells.key[i] = CellLattice::key(cells.lattice.cell(x), {0, 0, 0});
  cells.identity[i] = i;
}

/// A predicate: whether a cell begins with this atom in cell order.
struct BeginsCell {
  const std::uint32_t* sorted_key;

  __device__ bool operator()(std::uint32_t k) const { return k == 0 || sorted_key[k] != sorted_key[k - 1]; }
};

/// Prepares the state after the library has counted the cells.
static __global__ void cell_count_kernel(const __grid_constant__ CellPairsView cells) {
  wait_for_kernel_before();
  CellPairsState& state = *cells.state;
  if (!state.stale()) return;
  cells.first[state.n_cells] = cells.n_atoms;
  state.full = state.n_cells > cells.max_cells ? 1 : 0;
  state.filling = 1 - state.full;
  state.built_at = state.stale_at;
  state.n_lanes = state.n_pairs = 0;
  state.longest = 0;
}

/// Returns the index of the first key that is not smaller, among n keys in ascending order.
template <class Key>
__device__ inline std::uint32_t lower_bound(const Key* keys, std::uint32_t n, Key key) {
  std::uint32_t first = 0;
  while (n > 0) {
    const std::uint32_t half = n / 2;
    if (keys[first + half] < key) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}

/// Encodes projections of a cell's atoms in 16 bits.
struct CellProjection {
  double half, codes_per_length;

  __device__ explicit CellProjection(double edge) {
    constexpr double kHalfDiagonal = 0.8660254037844387;  // √3/2
    half = kHalfDiagonal * edge;
    codes_per_length = kLargestCode / (2 * half);
  }
  /// Returns the code, rounded down; 0 for NaN.
  __device__ double code(double projection) const {
    return fmin(fmax(floor((projection + half) * codes_per_length), 0.0), kLargestCode);
  }
  /// Codes above this value are larger than the projection whatever the rounding: one code for the floor, one for sums.
  __device__ double bound(double projection) const { return floor((projection + half) * codes_per_length) + 2; }
};

__device__ inline Vec3<double> from_own_centre(const CellLattice& lattice, const Vec3<double>& x) {
  return x - lattice.centre(lattice.cell(x));
}

/// Finds the neighbours of each cell; with sorted cells it also writes words and where they begin. One block per cell.
static __global__ void __launch_bounds__(kCellThreads)
    cell_neighbors_kernel(const __grid_constant__ CellPairsView cells) {
  wait_for_kernel_before();
  CellPairsState& state = *cells.state;
  const std::uint32_t cell = blockIdx.x;
  if (state.filling == 0) return;
  if (cell >= state.n_cells) {
    if (cells.sorted && threadIdx.x < kCellAxes)
      cells.segment[kCellAxes * cell + threadIdx.x + 1] = kCellAxes * cells.n_atoms;
    return;
  }
  const std::uint32_t first = cells.first[cell], count = cells.first[cell + 1] - first;
  const Vec3<double> home = cells.lattice.cell(cells.reference[cells.storage_index[first]]);
  unsigned long long pairs = 0;
  for (std::uint32_t o = threadIdx.x; o < cells.n_offsets; o += blockDim.x) {
    const std::uint32_t key = CellLattice::key(home, cells.offset[o].cells);
    const std::uint32_t begin = lower_bound(cells.sorted_key, cells.n_atoms, key);
    const std::uint32_t end = begin + lower_bound(cells.sorted_key + begin, cells.n_atoms - begin, key + 1);
    cells.neighbor[std::size_t{cell} * cells.n_offsets + o] = {begin, end - begin};
    const unsigned long long n = count;
    pairs += o == 0 ? n * (n - 1) / 2 : cells.sorted ? 0 : n * (end - begin);
  }
  if (pairs != 0) {
    atomicAdd(reinterpret_cast<unsigned long long*>(&state.n_lanes), pairs);
    atomicAdd(reinterpret_cast<unsigned long long*>(&state.n_pairs), pairs);
  }
  if (threadIdx.x == 0) {
    atomicMax(&state.longest, count);
    if (count > cells.max_atoms) state.full = 1;
  }
  if (!cells.sorted) return;
  if (cell == 0 && threadIdx.x == 0) cells.segment[0] = 0;
  if (threadIdx.x < kCellAxes)
    cells.segment[kCellAxes * cell + threadIdx.x + 1] = static_cast<int>(kCellAxes * first + (threadIdx.x + 1) * count);
  const CellProjection projection(cells.lattice.edge);
  for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
    const Vec3<double> d = from_own_centre(cells.lattice, cells.reference[cells.storage_index[first + i]]);
    for (std::uint32_t o = 1; o < cells.n_offsets; ++o) {
      const auto code = static_cast<std::uint32_t>(projection.code(dot(d, cells.offset[o].axis)));
      cells.word[cells.first_word(o, first, count) + i] = pack_word(code, i & 0xFFFFU);
    }
  }
}

/// With sorted cells, finds how many of each neighbour's words are within the list cutoff of each sub-cluster. One
/// block per cell; one lane per atom of the sub-cluster and offset.
static __global__ void __launch_bounds__(kCellThreads) cell_ends_kernel(const __grid_constant__ CellPairsView cells) {
  wait_for_kernel_before();
  CellPairsState& state = *cells.state;
  const std::uint32_t cell = blockIdx.x, lane = threadIdx.x % 32;
  if (state.filling == 0 || state.full != 0 || cell >= state.n_cells) return;
  const std::uint32_t first = cells.first[cell], count = cells.first[cell + 1] - first;
  const std::uint32_t n_sub_clusters = (count + kSubClusterAtoms - 1) / kSubClusterAtoms;
  const CellProjection projection(cells.lattice.edge);
  unsigned long long in_lanes = 0, bound = 0;
  for (std::uint32_t q = threadIdx.x / 32; q < n_sub_clusters; q += blockDim.x / 32) {
    const std::uint32_t i = kSubClusterAtoms * q + lane % kSubClusterAtoms;
    const std::uint32_t n_here = min(kSubClusterAtoms, count - kSubClusterAtoms * q);
    const Vec3<double> d =
        from_own_centre(cells.lattice, cells.reference[cells.storage_index[first + min(i, count - 1)]]);
    std::uint16_t* const ends =
        cells.end + (std::size_t{CellPairsView::first_sub_cluster(cell, first)} + q) * cells.n_offsets;
    for (std::uint32_t from = 1; from < cells.n_offsets; from += 32 / kSubClusterAtoms) {
      const std::uint32_t o = from + lane / kSubClusterAtoms;
      std::uint32_t mine = 0;
      if (o < cells.n_offsets && i < count) {
        const CellOffset& to = cells.offset[o];
        const CellSpan other = cells.neighbor[std::size_t{cell} * cells.n_offsets + o];
        const double most = projection.bound(cells.list_cutoff + dot(d, to.axis) - cells.lattice.edge * to.distance);
        const PackedWord* const words = cells.word + cells.first_word(o, other.first, other.count);
        if (!(most < kLargestCode))
          mine = other.count;
        else if (most >= 0)
          mine = lower_bound(words, other.count, pack_word(static_cast<std::uint32_t>(most) + 1, 0));
      }
      bound += mine;
      std::uint32_t all = max(mine, __shfl_xor_sync(0xFFFFFFFFU, mine, 1));
      all = max(all, __shfl_xor_sync(0xFFFFFFFFU, all, 2));
      if (o < cells.n_offsets && lane % kSubClusterAtoms == 0) {
        ends[o] = static_cast<std::uint16_t>(all);
        in_lanes += all * n_here;
      }
    }
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    in_lanes += __shfl_xor_sync(0xFFFFFFFFU, in_lanes, mask);
    bound += __shfl_xor_sync(0xFFFFFFFFU, bound, mask);
  }
  if (lane != 0) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&state.n_lanes), in_lanes);
  atomicAdd(reinterpret_cast<unsigned long long*>(&state.n_pairs), bound);
}

}  // namespace dropmd
