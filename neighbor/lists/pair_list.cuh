#pragma once

#include <cstdint>

#include "neighbor/lists/list_boxes.cuh"
#include "neighbor/lists/pair_list_view.cuh"

namespace dropmd {

/// The pair list of a GPU and its memory. Building neither waits nor allocates, so it may be captured in a graph: where
/// there is no room the list becomes `full` and must not be used; grow() then makes room. What was captured before
/// grow() is void.
class PairList : public ListBoxes {
 public:
  static constexpr bool kUsesTiles = true;  ///< by those who compute its pairs

  /// n_atoms > 0. anchor: a point near most of the atoms. Throws InputError for more atoms than kMostListAtoms.
  PairList(const Stream& stream, std::uint32_t n_atoms, const PairListReach& reach, const Vec3<double>& anchor);

  /// Without the entries and what is near each tile, whose length the positions say.
  static std::uint64_t bytes(std::uint32_t n_atoms) {
    return ListBoxes::bytes(n_atoms) + sizeof(TileItems) * std::uint64_t{tiles_of(n_atoms)};
  }

  PairListView view() const;

  std::uint32_t n_partial_energies() const { return n_tiles_ * kEnergyBlocksPerTile; }

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
  /// Builds the list again for the positions of the last save(), the atoms being in the same order, and tiles of the
  /// positions that they have now; waits.
  template <class Real>
  void restore(const Cuda& cuda, const AtomTilesView<Real>& tiles) {
    build_at_once(cuda, tiles, true);
  }

  /// Makes room for what the last build needed, and marks the list as stale; waits. True if there was too little.
  bool grow(const Cuda& cuda);

 private:
  template <class Real>
  void build(const Cuda& cuda, const AtomTilesView<Real>& tiles, bool keep_reference) const;
  template <class Real>
  void build_at_once(const Cuda& cuda, const AtomTilesView<Real>& tiles, bool keep_reference) {
    ListBoxes::build_at_once(
        cuda, keep_reference, [&](bool keep) { build(cuda, tiles, keep); }, [&] { return grow(cuda); });
  }
  void make_room(const Cuda& cuda, std::uint32_t items, std::uint32_t batches);

  std::uint32_t item_clusters_;
  DeviceBuffer<TileItems> d_tile_items_;
  DeviceBuffer<ListItem> d_item_;
  DeviceBuffer<ListNeighbor> d_neighbor_;
  DeviceBuffer<ListRange> d_range_;
  DeviceBuffer<std::uint16_t> d_entry_;
  std::uint32_t max_batches_ = 0;
};

extern template void PairList::build(const Cuda&, const AtomTilesView<float>&, bool) const;
extern template void PairList::build(const Cuda&, const AtomTilesView<double>&, bool) const;

}  // namespace dropmd
