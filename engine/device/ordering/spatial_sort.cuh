#pragma once

#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <limits>

#include "device/cub_scratch.h"
#include "engine/device/device_state.cuh"
#include "neighbor/hilbert.h"

/// The canonical spatial order on the device: atoms sorted by the position of their cell on the Hilbert curve, atoms of
/// one cell by host index, whatever their previous order.
namespace dropmd {

/// The cells of the curve, relative to the anchor; those beyond 2²⁰ cells count as border cells. The curve passes
/// through the cells near the anchor in eight parts, between which it goes out to cells at any distance. Atoms beyond a
/// certain distance therefore follow after all others, so that hardly any tile has atoms of both kinds.
struct CurveGrid {
  Vec3<double> anchor;
  double edge_inv;
  double far = std::numeric_limits<double>::infinity();  ///< that distance, along an axis

  DROPMD_HOST_DEVICE std::uint64_t key(const Vec3<double>& x) const {
    constexpr std::int32_t kHalf = 1 << 20;
    constexpr std::uint64_t kFarKey = 1ULL << 63U;
    const Vec3<double> d = x - anchor;
    const bool is_far = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))) > far;
    const CellIndex c = cell_index(d, edge_inv);
    const auto coordinate = [](std::int32_t i) {
      return static_cast<std::uint32_t>((i < -kHalf ? -kHalf : i >= kHalf ? kHalf - 1 : i) + kHalf);
    };
    return hilbert_key(coordinate(c.x), coordinate(c.y), coordinate(c.z)) | (is_far ? kFarKey : 0);
  }
};

/// Number of bits of the keys: 63 along the Hilbert curve, and one for atoms that are far away.
constexpr int kCurveBits = 64;

/// keys: [n_atoms] by storage index; storage_index: [n_atoms] by host index.
static __global__ void curve_keys_kernel(DeviceStateView atoms, CurveGrid grid, std::uint64_t* key,
                                         std::uint32_t* host_index, std::uint32_t* storage_index) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= atoms.n_atoms) return;
  const std::uint32_t i = atoms.host_index[k];
  key[i] = grid.key(atoms.position[k]);
  host_index[k] = k;  // in ascending order, as the sort is stable
  storage_index[i] = k;
}

/// Copies values from their old to their new order. from, to: [n_atoms].
template <class T>
__global__ void gather_kernel(const T* from, const std::uint32_t* order, const std::uint32_t* storage_index, T* to,
                              std::uint32_t n_atoms) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n_atoms) to[k] = from[storage_index[order[k]]];
}

/// Sorts a state. It works in borrowed memory, since a sort is rare and needs much memory per atom.
class SpatialSort {
 public:
  /// Bytes per atom of the memory that it works in: keys, sorted keys and indices, and later values in transit; the
  /// order; storage indices.
  static constexpr std::size_t kBytesPerAtom = sizeof(Vec3<double>) + 2 * sizeof(std::uint32_t);

  SpatialSort(const Stream& stream, std::uint32_t n_atoms) : d_scratch_(stream) {
    std::size_t bytes = 0;
    Work none{};
    none.n_atoms = n_atoms;
    sort({stream}, nullptr, bytes, none);
    d_scratch_.resize(bytes);
  }

  /// Device memory of its own in bytes: a bound on CUB's scratch. The library sorts between two buffers in the borrowed
  /// memory.
  static std::uint64_t bytes(std::uint64_t n_atoms) { return sort_scratch_bytes(n_atoms); }

  /// d_work: [kBytesPerAtom·n_atoms] bytes, aligned like a double.
  void operator()(const Cuda& cuda, const CurveGrid& grid, DeviceState& state, void* d_work) const {
    const DeviceStateView atoms = state.view();
    Work work(d_work, atoms.n_atoms);
    curve_keys_kernel<<<blocks(atoms.n_atoms), kThreads, 0, cuda.get()>>>(
        atoms, grid, work.key.Current(), work.host_index.Current(), work.storage_index);
    DROPMD_CUDA_LAUNCHED("computing the spatial order");
    std::size_t bytes = d_scratch_.size();
    sort(cuda, d_scratch_.data(), bytes, work);
    if (work.host_index.Current() != work.order) copy(cuda, work.order, work.host_index.Current(), atoms.n_atoms);
    for_each_field<IsOnDevice>([&]<class Field>(Field) { reorder(cuda, work, Field::of(atoms)); });
    copy(cuda, atoms.host_index, work.order, atoms.n_atoms);
  }

 private:
  static constexpr std::uint32_t kThreads = 256;

  static std::uint32_t blocks(std::uint32_t n_atoms) { return (n_atoms + kThreads - 1) / kThreads; }

  /// The layout of the memory; [n_atoms] each. The library alternates between two buffers and therefore needs hardly
  /// any memory of its own.
  struct Work {
    std::uint32_t n_atoms = 0;
    /// Values in transit, after keys and indices have been sorted: the same memory.
    void* through = nullptr;
    std::uint32_t *order = nullptr, *storage_index = nullptr;
    cub::DoubleBuffer<std::uint64_t> key;
    cub::DoubleBuffer<std::uint32_t> host_index;  ///< `order` is one of its two buffers

    Work() = default;
    Work(void* memory, std::uint32_t n) : n_atoms(n), through(memory) {
      auto* const keys = static_cast<std::uint64_t*>(memory);
      auto* const host_indices = reinterpret_cast<std::uint32_t*>(keys + 2 * std::size_t{n});
      order = reinterpret_cast<std::uint32_t*>(static_cast<Vec3<double>*>(memory) + n);
      storage_index = order + n;
      key = {keys, keys + n};
      host_index = {order, host_indices};
    }
  };
  static_assert(sizeof(Vec3<double>) >= 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t));

  void sort(const Cuda& cuda, void* scratch, std::size_t& bytes, Work& work) const {
    DROPMD_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, work.key, work.host_index, work.n_atoms, 0, kCurveBits,
                                                cuda.get()),
                "sorting the atoms");
  }

  template <class T>
  void reorder(const Cuda& cuda, const Work& work, T* values) const {
    static_assert(sizeof(T) <= sizeof(Vec3<double>));
    T* const through = static_cast<T*>(work.through);
    gather_kernel<<<blocks(work.n_atoms), kThreads, 0, cuda.get()>>>(values, work.order, work.storage_index, through,
                                                                     work.n_atoms);
    DROPMD_CUDA_LAUNCHED("ordering the atoms");
    copy(cuda, values, through, work.n_atoms);
  }

  template <class T>
  void copy(const Cuda& cuda, T* to, const T* from, std::uint32_t n_atoms) const {
    DROPMD_CUDA(cudaMemcpyAsync(to, from, n_atoms * sizeof(T), cudaMemcpyDeviceToDevice, cuda.get()),
                "ordering the atoms");
  }

  DeviceBuffer<unsigned char> d_scratch_;
};

}  // namespace dropmd
