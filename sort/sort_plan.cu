#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <stdexcept>

#include "sort/sort_plan.cuh"

namespace dropmd {

namespace {

struct SortPlanTuning {
  /// Per block; when molecules are expanded, also its number of base atoms.
  static constexpr int kThreads = 256;
};

using Tuning = SortPlanTuning;

unsigned blocks_for(int n) { return static_cast<unsigned>((n - 1) / Tuning::kThreads + 1); }

__device__ int thread_index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

/// Returns the first index in the ascending array [n] whose value is greater than x.
__device__ int upper_bound(const int* values, int n, int x) {
  int low = 0;
  int high = n;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (values[middle] > x)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Atoms that belong to no molecule have the key n_molecules.
struct KeyAtoms {
  const int* molecule_of_atom;
  int n_atoms;
  int n_molecules;
  int* key;
  int* index;

  __device__ void operator()(int atom) const {
    if (atom >= n_atoms) return;
    const int m = molecule_of_atom[atom];
    key[atom] = m >= 0 && m < n_molecules ? m : n_molecules;
    index[atom] = atom;
  }
};

__global__ void key_atoms_kernel(KeyAtoms step) { step(thread_index()); }

/// offsets[m]: number of atoms of the molecules before m.
struct MoleculeOffsets {
  const int* sorted_key;
  int n_atoms;
  int n_molecules;
  int* offsets;

  __device__ void operator()(int m) const {
    if (m <= n_molecules) offsets[m] = upper_bound(sorted_key, n_atoms, m - 1);
  }
};

__global__ void molecule_offsets_kernel(MoleculeOffsets step) { step(thread_index()); }

/// Sizes [n_bases + 1], the last of which is 0, so that their exclusive sum ends with the total.
struct BaseSizes {
  SortedBases bases;
  MoleculesView molecules;
  int* size;

  __device__ void operator()(int k) const {
    const int n = bases.segments.n_keys;
    if (k <= n) size[k] = k < n ? atoms_of_base(bases, molecules, k).size : 0;
  }
};

__global__ void base_sizes_kernel(BaseSizes step) { step(thread_index()); }

/// The base atoms of one block in shared memory.
struct BaseTile {
  /// Index of the first atom in the output; past the tile's end: of its end.
  int start[Tuning::kThreads + 1];
  MoleculeAtoms list[Tuning::kThreads];
};

/// Expands kThreads base atoms per block: each thread writes every kThreads-th atom of the output, so that writes are
/// coalesced and large molecules are shared by the block.
struct ExpandBases {
  SortedBases bases;
  MoleculesView molecules;
  const int* start;  ///< [n_bases + 1]
  AtomOrder order;

  __device__ void operator()(int tile_index, BaseTile& tile) const {
    const int n = bases.segments.n_keys;
    const int first = tile_index * Tuning::kThreads;
    const int thread = static_cast<int>(threadIdx.x);
    const int k = first + thread;
    tile.start[thread] = start[min(k, n)];
    if (thread == 0) tile.start[Tuning::kThreads] = start[min(first + Tuning::kThreads, n)];
    tile.list[thread] = k < n ? atoms_of_base(bases, molecules, k) : MoleculeAtoms{};
    __syncthreads();
    const int end = min(tile.start[Tuning::kThreads], order.capacity);
    if (tile.start[0] < 0) return;  // beyond the range of the offsets
    for (int place = tile.start[0] + thread; place < end; place += Tuning::kThreads) {
      // The last base that begins here or before: bases without atoms come before it.
      const int b = upper_bound(tile.start, Tuning::kThreads, place) - 1;
      order.atoms[place] = tile.list[b].atom(molecules.atoms, place - tile.start[b]);
    }
  }
};

__global__ void __launch_bounds__(Tuning::kThreads) expand_bases_kernel(const __grid_constant__ ExpandBases step) {
  __shared__ BaseTile tile;
  step(static_cast<int>(blockIdx.x), tile);
}

struct AtomOffsets {
  Segments segments;
  const int* start;
  int* offsets;

  __device__ void operator()(int s) const {
    if (s <= segments.count) offsets[s] = start[bases_before(segments, s)];
  }
};

__global__ void atom_offsets_kernel(AtomOffsets step) { step(thread_index()); }

int key_bits(int n_molecules) { return std::bit_width(static_cast<unsigned>(n_molecules)); }

}  // namespace

SortPlanWorkspace::SortPlanWorkspace(const Cuda& cuda, const SortPlanLimits& limits)
    : limits_(limits),
      d_keys_(cuda.stream),
      d_sorted_keys_(cuda.stream),
      d_indices_(cuda.stream),
      d_sizes_(cuda.stream),
      d_starts_(cuda.stream),
      d_cub_(cuda.stream) {
  if (limits.max_atoms < 0 || limits.max_molecules < 0 || limits.max_bases < 0)
    throw std::invalid_argument("SortPlanWorkspace: a negative limit");
  const auto atoms = static_cast<std::size_t>(limits.max_atoms);
  const auto bases = static_cast<std::size_t>(limits.max_bases);
  d_keys_.resize(atoms);
  d_sorted_keys_.resize(atoms);
  d_indices_.resize(atoms);
  d_sizes_.resize(bases + 1);
  d_starts_.resize(bases + 1);

  // Queries for 32 bits of key; calls with fewer bits need no more.
  std::size_t sort_bytes = 0;
  std::size_t scan_bytes = 0;
  const int* d_none = nullptr;
  int* d_out = nullptr;
  DROPMD_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, sort_bytes, d_none, d_out, d_none, d_out, limits.max_atoms, 0,
                                              32, cuda.get()),
              "sizing the sort of atoms by molecule");
  DROPMD_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, d_none, d_out,
                                            static_cast<std::int64_t>(limits.max_bases) + 1, cuda.get()),
              "sizing the scan of molecules");
  d_cub_.resize(std::max(sort_bytes, scan_bytes));
}

void group_by_molecule(const Cuda& cuda, const int* d_molecule_of_atom, int n_atoms, int n_molecules,
                       const MoleculeLists& lists, SortPlanWorkspace& workspace) {
  const SortPlanLimits& limits = workspace.limits();
  if (n_atoms < 0 || n_molecules < 0 || n_atoms > limits.max_atoms || n_molecules > limits.max_molecules)
    throw std::invalid_argument("group_by_molecule: more atoms or molecules than the workspace is made for");
  if (n_atoms > 0) {
    key_atoms_kernel<<<blocks_for(n_atoms), Tuning::kThreads, 0, cuda.get()>>>(
        {d_molecule_of_atom, n_atoms, n_molecules, workspace.d_keys_.data(), workspace.d_indices_.data()});
    DROPMD_CUDA_LAUNCHED("keying atoms by molecule");
    std::size_t bytes = workspace.d_cub_.size();
    DROPMD_CUDA(cub::DeviceRadixSort::SortPairs(
                    workspace.d_cub_.data(), bytes, static_cast<const int*>(workspace.d_keys_.data()),
                    workspace.d_sorted_keys_.data(), static_cast<const int*>(workspace.d_indices_.data()), lists.atoms,
                    n_atoms, 0, std::max(1, key_bits(n_molecules)), cuda.get()),
                "sorting atoms by molecule");
  }
  molecule_offsets_kernel<<<blocks_for(n_molecules + 1), Tuning::kThreads, 0, cuda.get()>>>(
      {workspace.d_sorted_keys_.data(), n_atoms, n_molecules, lists.offsets});
  DROPMD_CUDA_LAUNCHED("finding the first atom of each molecule");
}

void expand_molecules(const Cuda& cuda, const SortedBases& bases, const MoleculesView& molecules,
                      const AtomOrder& order, SortPlanWorkspace& workspace) {
  const int n = bases.segments.n_keys;
  if (n < 0 || bases.segments.count < 0 || n > workspace.limits().max_bases)
    throw std::invalid_argument("expand_molecules: more base atoms than the workspace is made for");
  int* d_start = workspace.d_starts_.data();
  base_sizes_kernel<<<blocks_for(n + 1), Tuning::kThreads, 0, cuda.get()>>>(
      {bases, molecules, workspace.d_sizes_.data()});
  DROPMD_CUDA_LAUNCHED("sizing molecules");
  std::size_t bytes = workspace.d_cub_.size();
  DROPMD_CUDA(
      cub::DeviceScan::ExclusiveSum(workspace.d_cub_.data(), bytes, static_cast<const int*>(workspace.d_sizes_.data()),
                                    d_start, static_cast<std::int64_t>(n) + 1, cuda.get()),
      "placing molecules");
  if (n > 0) {
    expand_bases_kernel<<<blocks_for(n), Tuning::kThreads, 0, cuda.get()>>>({bases, molecules, d_start, order});
    DROPMD_CUDA_LAUNCHED("expanding molecules");
  }
  atom_offsets_kernel<<<blocks_for(bases.segments.count + 1), Tuning::kThreads, 0, cuda.get()>>>(
      {bases.segments, d_start, order.offsets});
  DROPMD_CUDA_LAUNCHED("finding the atoms of each segment");
}

}  // namespace dropmd
