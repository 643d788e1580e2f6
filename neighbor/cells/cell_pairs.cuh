#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "device/buffer.cuh"
#include "device/cuda.cuh"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/cells/cell_pairs_view.cuh"
#include "neighbor/search_memory.cuh"
#include "sort/segment_sort.cuh"

namespace dropmd {

/// The parameters of cells; all lengths are in the run's unit.
struct CellPairsParameters {
  double cutoff;
  /// The cells are valid until an atom has moved by half of it; 0: they are rebuilt in every step.
  double skin;
  double edge;  ///< edge of the cells; sorted: at least cutoff + skin
  bool sorted;
  double full = 100;  ///< number of atoms of a cell in a dense droplet, which affects only speed
};

/// The cells of the atoms on a GPU and their memory. Building neither waits nor allocates, so it may be captured in a
/// graph: if the capacity is too small, the cells become `full` and must not be used; reallocate() then reallocates.
/// Graphs that were captured before reallocate() are invalid.
class CellPairs {
 public:
  static constexpr bool kUsesTiles = false;  ///< whether pair kernels use the tiles
  static constexpr bool kInParts = false;    ///< whether each of several GPUs builds only a part of them

  /// n_atoms > 0. anchor: a point near most of the atoms. Throws InputError if the edge is too short.
  CellPairs(const Stream& stream, std::uint32_t n_atoms, const CellPairsParameters& parameters,
            const Vec3<double>& anchor);

  /// Estimates the device memory in bytes. It is exact except for CUB's scratch and for the number of cells, which is
  /// that of a droplet (estimated_cells()): a gas needs more. position: [n_atoms]; only the fullest sorted cell is
  /// computed from it. Throws InputError if the edge is too short.
  static std::uint64_t estimated_bytes(std::span<const Vec3<double>> position, const CellPairsParameters& parameters);

  /// Estimates the number of occupied cells of a round droplet. parameters.full: see there.
  static std::uint32_t estimated_cells(std::uint32_t n_atoms, const CellPairsParameters& parameters);

  CellPairsView view() const;
  DisplacementCheck displacement_check() const { return {memory_.reference(), memory_.state(), view().max_move2}; }
  std::uint32_t n_partial_energies() const { return energy_blocks_; }
  /// The same on a device with this number of multiprocessors.
  static std::uint32_t n_partial_energies(std::uint32_t multiprocessors);

  /// Sets the anchor of cells that are built from now on.
  void set_anchor(const Vec3<double>& anchor) { anchor_ = anchor; }

  /// Enqueues a build for the positions if the cells are stale. Library calls (CUB) run in any case and then reproduce
  /// the present cells.
  template <class Real>
  void build_if_stale(const Cuda& cuda, const AtomTilesView<Real>& tiles) {
    build(cuda, tiles.position, false);
  }
  /// Builds the cells at once, with the capacity that they need; waits for the device.
  template <class Real>
  void build_now(const Cuda& cuda, const AtomTilesView<Real>& tiles) {
    build_at_once(cuda, tiles.position, false);
  }
  /// Saves the positions for which the cells were built. restore() rebuilds the cells for them, with the atoms in the
  /// same order; waits for the device.
  void save(const Cuda& cuda) { memory_.save(cuda); }
  void set_saved(std::span<const Vec3<double>> positions) { memory_.set_saved(positions); }
  template <class Real>
  void restore(const Cuda& cuda, const AtomTilesView<Real>& tiles) {
    memory_.take_back(cuda);
    build_at_once(cuda, tiles.position, true);
  }

  /// Returns the capacity for cells after a build that needed `cells`: slightly more, since droplets change slowly.
  static std::uint32_t capacity_for_cells(std::uint32_t cells) { return cells + cells / 8 + 64; }
  /// Returns the capacity of a cell, in atoms, after the fullest cell held `atoms_of_cell`: slightly more, since
  /// droplets change slowly.
  static std::uint32_t capacity_for(std::uint32_t atoms_of_cell) {
    return (atoms_of_cell + atoms_of_cell / 8 + kCellGroupAtoms - 1) / kCellGroupAtoms * kCellGroupAtoms;
  }

  void start_reading() const { memory_.start_reading(); }
  const CellPairsState& what_was_read() const { return memory_.what_was_read(); }
  /// Number of pairs that a pair kernel computes for these cells, each counted once.
  std::uint64_t candidate_pairs() const { return what_was_read().n_pairs; }
  std::uint32_t times_reallocated() const { return memory_.times_reallocated(); }
  /// Reallocates for what the last build needed and marks the cells as stale; waits for the device. Returns whether the
  /// capacity was too small. Throws InputError if a cell holds too many atoms to be sorted.
  bool reallocate(const Cuda& cuda);

 private:
  void build(const Cuda& cuda, const Vec3<double>* d_position, bool keep_reference);
  void build_at_once(const Cuda& cuda, const Vec3<double>* d_position, bool keep_reference);
  /// Sort the keys; find the ends of equal keys. With scratch = null they only set `bytes` to the scratch size that
  /// they need.
  void sort_keys(const Cuda& cuda, void* scratch, std::size_t& bytes) const;
  void find_cells(const Cuda& cuda, void* scratch, std::size_t& bytes) const;
  void allocate(const Cuda& cuda, std::uint32_t cells, std::uint32_t atoms_of_cell);
  /// Numbers of elements of the arrays whose size depends on the number of cells.
  struct CellArrays;

  std::uint32_t n_atoms_;
  CellPairsParameters parameters_;
  Vec3<double> anchor_;
  std::uint32_t energy_blocks_;
  std::uint32_t n_offsets_ = 0, max_cells_ = 0, max_atoms_ = 0;
  SearchMemory<CellPairsState> memory_;
  DeviceBuffer<CellOffset> d_offset_;
  DeviceBuffer<std::uint32_t> d_key_, d_identity_, d_sorted_key_, d_storage_index_, d_first_;
  DeviceBuffer<CellSpan> d_neighbor_;
  DeviceBuffer<PackedWord> d_word_;
  DeviceBuffer<int> d_segment_;
  DeviceBuffer<std::uint16_t> d_end_;
  DeviceBuffer<unsigned char> d_scratch_;
  std::unique_ptr<SortWorkspace> workspace_;
};

}  // namespace dropmd
