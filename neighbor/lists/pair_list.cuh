#pragma once

#include <cstdint>

#include "neighbor/lists/list_boxes.cuh"
#include "neighbor/lists/pair_list_view.cuh"

namespace dropmd {

/// The pair list of a GPU and its memory. Building neither waits nor allocates, so it may be captured in a graph: if
/// the capacity is too small, the list becomes `full` and must not be used; reallocate() then reallocates. Graphs that
/// were captured before reallocate() are invalid.
class PairList : public ListBoxes {
 public:
  static constexpr bool kUsesTiles = true;  ///< whether pair kernels use the tiles
  /// Spare capacity beyond an eighth of what was needed, in items and in batches.
  static constexpr std::uint32_t kSpare = 64;

  /// n_atoms > 0. anchor: a point near most of the atoms; work: for a run on several GPUs, where the constructor waits
  /// for the other peers. Throws InputError for more than kMostListAtoms atoms.
  PairList(const Stream& stream, std::uint32_t n_atoms, const PairListParameters& parameters,
           const Vec3<double>& anchor, const PeerWork& work = {});

  /// Estimates the device memory in bytes, besides kFixedBytes; the length of a list depends on the positions.
  /// any_excluded: whether pairs are excluded. The estimate is for liquids without a surface: atoms with at most 500
  /// neighbours, as in the benchmark droplet within 12 Å; with exclusions, water, whose atoms have 725.
  static std::uint64_t estimated_bytes(std::uint32_t n_atoms, bool several_species, bool any_excluded) {
    // Bytes per atom, each with an eighth of spare capacity (docs/experiments.md, "Memory of a run"): entries of the
    // lists with masks, and clusters near the tiles.
    const std::uint64_t entries = any_excluded ? 280 : 138, near_clusters = several_species ? 95 : 71;
    // An eighth more, since other liquids have other lists. It also covers items and ranges, 3 bytes per atom.
    const std::uint64_t lists = (entries + near_clusters) * 9 / 8 * n_atoms;
    return ListBoxes::bytes(n_atoms) + sizeof(TileItems) * std::uint64_t{tiles_of(n_atoms)} + lists;
  }
  /// Device memory for any number of atoms, in bytes: spare items, each with its clusters and ranges; spare batches,
  /// and those that are read ahead.
  static constexpr std::uint64_t kFixedBytes =
      kSpare * (sizeof(ListItem) + kMostItemClusters * sizeof(ListNeighbor) + kTileClusters * sizeof(ListRange)) +
      (kSpare + kReadAhead) * kBatch * sizeof(std::uint16_t);

  PairListView view() const;

  std::uint32_t n_partial_energies() const { return n_partial_energies(n_atoms_); }
  static std::uint32_t n_partial_energies(std::uint32_t n_atoms) { return tiles_of(n_atoms) * kEnergyBlocksPerTile; }

  /// Enqueues a build of the list for the positions, including new tiles with new frames, if the list is stale.
  template <class Real>
  void build_if_stale(const Cuda& cuda, const AtomTilesView<Real>& tiles) const {
    build(cuda, tiles, false);
  }
  /// Builds the list and the tiles for the positions at once, with the capacity that they need; waits for the device.
  template <class Real>
  void build_now(const Cuda& cuda, const AtomTilesView<Real>& tiles) {
    build_at_once(cuda, tiles, false);
  }
  /// Rebuilds the list for the positions of the last save(), with the atoms in the same order, and the tiles for their
  /// current positions; waits for the device.
  template <class Real>
  void restore(const Cuda& cuda, const AtomTilesView<Real>& tiles) {
    build_at_once(cuda, tiles, true);
  }

  /// Reallocates for what the last build needed and marks the list as stale; waits for the device. Returns whether the
  /// capacity was too small.
  bool reallocate(const Cuda& cuda);

 private:
  template <class Real>
  void build(const Cuda& cuda, const AtomTilesView<Real>& tiles, bool keep_reference) const;
  template <class Real>
  void build_at_once(const Cuda& cuda, const AtomTilesView<Real>& tiles, bool keep_reference) {
    ListBoxes::build_at_once(
        cuda, keep_reference, [&](bool keep) { build(cuda, tiles, keep); }, [&] { return reallocate(cuda); });
  }
  void allocate(const Cuda& cuda, std::uint32_t items, std::uint32_t batches);

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
