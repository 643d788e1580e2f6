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

static __global__ void gather_atoms_kernel(DeviceStateView from, const std::uint32_t* order, const std::uint32_t* place,
                                           DeviceStateView to) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= from.n_atoms) return;
  const std::uint32_t old = place[order[k]];
  to.position[k] = from.position[old];
  to.velocity[k] = from.velocity[old];
  to.mass[k] = from.mass[old];
  to.charge[k] = from.charge[old];
  to.species[k] = from.species[old];
  to.number[k] = order[k];
}

/// Sorts a state; its memory is allocated once.
class SpatialSort {
 public:
  SpatialSort(const Stream& stream, std::uint32_t n_atoms)
      : sorted_(stream, n_atoms),
        d_key_(stream),
        d_sorted_key_(stream),
        d_number_(stream),
        d_order_(stream),
        d_place_(stream),
        d_scratch_(stream) {
    d_key_.resize(n_atoms);
    d_sorted_key_.resize(n_atoms);
    d_number_.resize(n_atoms);
    d_order_.resize(n_atoms);
    d_place_.resize(n_atoms);
    std::size_t bytes = 0;
    sort({stream}, nullptr, bytes, n_atoms);
    d_scratch_.resize(bytes);
  }

  void operator()(const Cuda& cuda, const CurveGrid& grid, DeviceState& state) {
    const DeviceStateView atoms = state.view();
    const std::uint32_t blocks = (atoms.n_atoms + kThreads - 1) / kThreads;
    curve_keys_kernel<<<blocks, kThreads, 0, cuda.get()>>>(atoms, grid, d_key_.data(), d_number_.data(),
                                                           d_place_.data());
    DROPMD_CUDA_LAUNCHED("computing the spatial order");
    std::size_t bytes = d_scratch_.size();
    sort(cuda, d_scratch_.data(), bytes, atoms.n_atoms);
    gather_atoms_kernel<<<blocks, kThreads, 0, cuda.get()>>>(atoms, d_order_.data(), d_place_.data(), sorted_.view());
    DROPMD_CUDA_LAUNCHED("ordering the atoms");
    state.copy_from(cuda, sorted_);
  }

 private:
  static constexpr std::uint32_t kThreads = 256;

  void sort(const Cuda& cuda, void* scratch, std::size_t& bytes, std::uint32_t n_atoms) const {
    DROPMD_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, d_key_.data(), d_sorted_key_.data(), d_number_.data(),
                                                d_order_.data(), n_atoms, 0, kCurveBits, cuda.get()),
                "sorting the atoms");
  }

  DeviceState sorted_;
  DeviceBuffer<std::uint64_t> d_key_, d_sorted_key_;
  DeviceBuffer<std::uint32_t> d_number_, d_order_, d_place_;
  DeviceBuffer<unsigned char> d_scratch_;
};

}  // namespace dropmd
