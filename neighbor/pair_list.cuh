#pragma once

#include <cstdint>

#include "core/vec3.h"
#include "device/buffer.cuh"
#include "device/cuda.cuh"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/pair_list_view.cuh"
#include "neighbor/search_memory.cuh"

namespace dropmd {

/// What a list must hold. Lengths.
struct PairListReach {
  double cutoff;
  double skin;           ///< the list serves until an atom has moved by half of it
  double near_distance;  ///< up to which atoms count as near
};

/// The pair list of a GPU and its memory. Building neither waits nor allocates, so it may be captured in a graph: where
/// there is no room the list becomes `full` and must not be used; grow() then makes room. What was captured before
/// grow() is void.
class PairList {
 public:
  static constexpr bool kUsesTiles = true;  ///< by those who compute its pairs

  /// n_atoms > 0. anchor: a point near most of the atoms. Throws InputError for more atoms than kMostListAtoms.
  PairList(const Stream& stream, std::uint32_t n_atoms, const PairListReach& reach, const Vec3<double>& anchor);

  PairListView view() const;
  SearchWatch watch() const { return {memory_.reference(), memory_.state(), view().max_move2}; }

  std::uint32_t n_partial_energies() const { return n_tiles_ * kEnergyShares; }

  /// For lists built from now on.
  void set_anchor(const Vec3<double>& anchor) { anchor_ = anchor; }

  /// Enqueues a build of the list if it is stale: for the positions, of which it also makes new tiles with new frames.
  template <class Real>
  void build_if_stale(const Cuda& cuda, const AtomTilesView<Real>& tiles) const {
    build(cuda, tiles, false);
  }
  /// Builds the list at once, and tiles, for the positions; makes room as needed; waits.
  template <class Real>
  void build_now(const Cuda& cuda, const AtomTilesView<Real>& tiles) {
    build_at_once(cuda, tiles, false);
  }

  /// Remembers for which positions the list was built; restore() builds it anew for these, the atoms being in the same
  /// order, and tiles of the positions that they have now; waits.
  void save(const Cuda& cuda) { memory_.save(cuda); }
  template <class Real>
  void restore(const Cuda& cuda, const AtomTilesView<Real>& tiles) {
    memory_.take_back(cuda);
    build_at_once(cuda, tiles, true);
  }

  /// Starts a copy of the state to the host, in stream order.
  void start_reading() const { memory_.start_reading(); }
  /// The state of the last start_reading(), after a wait.
  const PairListState& what_was_read() const { return memory_.what_was_read(); }
  std::uint32_t times_grown() const { return memory_.times_grown(); }
  /// Makes room for what the last build needed, and marks the list as stale; waits. True if there was too little.
  bool grow(const Cuda& cuda);

 private:
  template <class Real>
  void build(const Cuda& cuda, const AtomTilesView<Real>& tiles, bool keep_reference) const;
  template <class Real>
  void build_at_once(const Cuda& cuda, const AtomTilesView<Real>& tiles, bool keep_reference);
  void make_room(const Cuda& cuda, std::uint32_t units, std::uint32_t batches);

  std::uint32_t n_atoms_, n_tiles_, unit_clusters_;
  PairListReach reach_;
  Vec3<double> anchor_;
  SearchMemory<PairListState> memory_;
  DeviceBuffer<ListBox> d_cluster_box_, d_tile_box_, d_group_box_;
  DeviceBuffer<TileUnits> d_tile_units_;
  DeviceBuffer<ListUnit> d_unit_;
  DeviceBuffer<ListNeighbor> d_neighbor_;
  DeviceBuffer<ListRange> d_range_;
  DeviceBuffer<std::uint16_t> d_entry_;
  std::uint32_t max_batches_ = 0;
};

extern template void PairList::build_at_once(const Cuda&, const AtomTilesView<float>&, bool);
extern template void PairList::build_at_once(const Cuda&, const AtomTilesView<double>&, bool);
extern template void PairList::build(const Cuda&, const AtomTilesView<float>&, bool) const;
extern template void PairList::build(const Cuda&, const AtomTilesView<double>&, bool) const;

}  // namespace dropmd
