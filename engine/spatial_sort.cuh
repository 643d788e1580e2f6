#pragma once

#include <cstdint>
#include <cub/device/device_radix_sort.cuh>

#include "engine/device_state.cuh"
#include "neighbor/hilbert.h"

/// The canonical spatial order on the device: atoms by the place of their cell on the Hilbert curve, atoms of one cell
/// by number, whatever order they were in.
namespace dropmd {

/// Cells count from the anchor; those beyond 2²⁰ cells share the border's.
struct CurveGrid {
  Vec3<double> anchor;
  double edge_inv;

  DROPMD_HOST_DEVICE std::uint64_t key(const Vec3<double>& x) const {
    constexpr std::int32_t kHalf = 1 << 20;
    const CellIndex c = cell_index(x - anchor, edge_inv);
    const auto place = [](std::int32_t i) {
      return static_cast<std::uint32_t>((i < -kHalf ? -kHalf : i >= kHalf ? kHalf - 1 : i) + kHalf);
    };
    return hilbert_key(place(c.x), place(c.y), place(c.z));
  }
};

constexpr int kCurveBits = 63;

/// keys, place: [n_atoms] by number.
static __global__ void curve_keys_kernel(DeviceStateView atoms, CurveGrid grid, std::uint64_t* key,
                                         std::uint32_t* number, std::uint32_t* place) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= atoms.n_atoms) return;
  const std::uint32_t i = atoms.number[k];
  key[i] = grid.key(atoms.position[k]);
  number[k] = k;  // all numbers, in order: the sort is stable
  place[i] = k;
}

/// from, to: [n_atoms], of the atoms in their old and their new order.
template <class T>
__global__ void gather_kernel(const T* from, const std::uint32_t* order, const std::uint32_t* place, T* to,
                              std::uint32_t n_atoms) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n_atoms) to[k] = from[place[order[k]]];
}

/// Sorts a state; its memory is allocated once.
class SpatialSort {
 public:
  SpatialSort(const Stream& stream, std::uint32_t n_atoms)
      : d_work_(stream), d_order_(stream), d_place_(stream), d_scratch_(stream) {
    d_work_.resize(n_atoms);
    d_order_.resize(n_atoms);
    d_place_.resize(n_atoms);
    std::size_t bytes = 0;
    sort({stream}, nullptr, bytes, n_atoms);
    d_scratch_.resize(bytes);
  }

  void operator()(const Cuda& cuda, const CurveGrid& grid, DeviceState& state) {
    const DeviceStateView atoms = state.view();
    curve_keys_kernel<<<blocks(atoms.n_atoms), kThreads, 0, cuda.get()>>>(atoms, grid, keys(), numbers(atoms.n_atoms),
                                                                          d_place_.data());
    DROPMD_CUDA_LAUNCHED("computing the spatial order");
    std::size_t bytes = d_scratch_.size();
    sort(cuda, d_scratch_.data(), bytes, atoms.n_atoms);
    reorder(cuda, atoms.position, atoms.n_atoms);
    reorder(cuda, atoms.velocity, atoms.n_atoms);
    reorder(cuda, atoms.mass, atoms.n_atoms);
    reorder(cuda, atoms.charge, atoms.n_atoms);
    reorder(cuda, atoms.species, atoms.n_atoms);
    copy(cuda, atoms.number, d_order_.data(), atoms.n_atoms);
  }

 private:
  static constexpr std::uint32_t kThreads = 256;

  static std::uint32_t blocks(std::uint32_t n_atoms) { return (n_atoms + kThreads - 1) / kThreads; }
  /// Before atoms are moved, the memory that they are moved through holds keys, sorted keys and numbers: [n_atoms]
  /// each.
  std::uint64_t* keys() const { return reinterpret_cast<std::uint64_t*>(d_work_.data()); }
  std::uint64_t* sorted_keys(std::uint32_t n_atoms) const { return keys() + n_atoms; }
  std::uint32_t* numbers(std::uint32_t n_atoms) const {
    return reinterpret_cast<std::uint32_t*>(sorted_keys(n_atoms) + n_atoms);
  }

  void sort(const Cuda& cuda, void* scratch, std::size_t& bytes, std::uint32_t n_atoms) const {
    DROPMD_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys(), sorted_keys(n_atoms), numbers(n_atoms),
                                                d_order_.data(), n_atoms, 0, kCurveBits, cuda.get()),
                "sorting the atoms");
  }

  template <class T>
  void reorder(const Cuda& cuda, T* values, std::uint32_t n_atoms) const {
    static_assert(sizeof(T) <= sizeof(Vec3<double>));
    T* const through = reinterpret_cast<T*>(d_work_.data());
    gather_kernel<<<blocks(n_atoms), kThreads, 0, cuda.get()>>>(values, d_order_.data(), d_place_.data(), through,
                                                                n_atoms);
    DROPMD_CUDA_LAUNCHED("ordering the atoms");
    copy(cuda, values, through, n_atoms);
  }

  template <class T>
  void copy(const Cuda& cuda, T* to, const T* from, std::uint32_t n_atoms) const {
    DROPMD_CUDA(cudaMemcpyAsync(to, from, n_atoms * sizeof(T), cudaMemcpyDeviceToDevice, cuda.get()),
                "ordering the atoms");
  }

  DeviceBuffer<Vec3<double>> d_work_;
  DeviceBuffer<std::uint32_t> d_order_, d_place_;
  DeviceBuffer<unsigned char> d_scratch_;
};

}  // namespace dropmd
