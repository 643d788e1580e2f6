#pragma once

#include <algorithm>
#include <cstdint>

#include "device/buffer.cuh"
#include "device/cuda.cuh"
#include "forces/pair/cuda/all_pairs/tile_shape.h"
#include "neighbor/excluded_atoms.cuh"

/// Which pairs of an i-tile and a j-tile have exclusions: only these look them up.
namespace dropmd {

/// A table of bits.
struct ExcludedTilesView {
  /// j-tiles that are this many apart share a bit, which costs time, but limits the memory to 4 bytes per atom.
  static constexpr std::uint32_t kMostColumns = 4096;

  std::uint32_t* bits = nullptr;  ///< [n_i_tiles][words], one bit for each j-tile; null: there are no exclusions
  std::uint32_t words = 0;

  /// Number of words of an i-tile.
  static constexpr std::uint32_t words_for(std::uint32_t n_atoms) {
    const std::uint32_t n_j_tiles = i_tiles_of(n_atoms) * kJTilesPerITile;
    return ((n_j_tiles < kMostColumns ? n_j_tiles : kMostColumns) + 31) / 32;
  }

#if defined(__CUDACC__)
  __device__ bool has(std::uint32_t i_tile, std::uint32_t j_tile) const {
    return bits != nullptr && (*word(i_tile, j_tile) >> j_tile % 32 & 1U) != 0;
  }
  __device__ std::uint32_t* word(std::uint32_t i_tile, std::uint32_t j_tile) const {
    return bits + std::size_t{i_tile} * words + j_tile % kMostColumns / 32;
  }
#endif
};

/// The device memory of the table.
class ExcludedTiles {
 public:
  explicit ExcludedTiles(const Stream& stream) : d_bits_(stream), d_storage_index_(stream) {}

  /// Device memory in bytes, with exclusions.
  static std::uint64_t bytes(std::uint32_t n_atoms) {
    return sizeof(std::uint32_t) *
           (std::uint64_t{i_tiles_of(n_atoms)} * ExcludedTilesView::words_for(n_atoms) + n_atoms);
  }

  /// Fills the table for the present order of the atoms. The first call allocates; it does nothing without exclusions.
  void find(const Cuda& cuda, const ExcludedAtomsView& excluded);

  ExcludedTilesView view() const {
    if (d_bits_.size() == 0) return {};
    return {d_bits_.data(), words_};
  }

 private:
  DeviceBuffer<std::uint32_t> d_bits_, d_storage_index_;
  std::uint32_t words_ = 0;
};

}  // namespace dropmd
