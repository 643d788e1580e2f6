#include "neighbor/lists/pair_list.cuh"

#include <algorithm>

#include "device/device_info.h"
#include "device/shared_memory.cuh"
#include "neighbor/lists/pair_list_fill.cuh"
#include "neighbor/lists/pair_list_kernels.cuh"

namespace dropmd {

namespace {

/// Small droplets have several items per tile, so that all multiprocessors have work, but no more items than these hold
/// at a time. The constants are the number of clusters near a tile of such a droplet, the number of blocks that a
/// multiprocessor holds, and the smallest item that pays off (measured: docs/experiments.md).
constexpr std::uint32_t kClustersNearTile = 150, kBlocksPerSm = 4, kFewestItemClusters = 16;
/// Largest number of clusters of an item with several species, which small droplets divide by their items per tile.
/// Slots then take more shared memory: a multiprocessor holds four blocks with up to 208 clusters per item. The number
/// was measured in water alone, where it is as fast as any other (docs/experiments.md, "Rigid water on the GPU").
constexpr std::uint32_t kClustersOfSeveralSpecies = 190;

/// Shared memory of a block per slot, including forces in double precision, and besides the slots.
constexpr std::size_t kSlotBytes = 64, kOtherBytes = 8192;
constexpr std::size_t kDeclaredBytes = 1024;  ///< the most that a kernel declares

/// Returns the capacity of an item.
std::uint32_t item_clusters_for(std::uint32_t n_tiles, bool several_species, int device) {
  const auto blocks = kBlocksPerSm * static_cast<std::uint32_t>(require_device(device).multiprocessors);
  const std::uint32_t items_of_tile = blocks * 9 / 10 / n_tiles;
  const std::uint32_t near_tile = several_species ? kClustersOfSeveralSpecies : kClustersNearTile;
  const std::uint32_t most = several_species ? kClustersOfSeveralSpecies : kMostItemClusters;
  const std::uint32_t even = items_of_tile > 1 ? near_tile / items_of_tile : most;
  const auto fitting =
      static_cast<std::uint32_t>((most_shared_bytes(device) - kOtherBytes) / kSlotBytes / kClusterAtoms);
  return std::min(std::clamp(even, kFewestItemClusters, kMostItemClusters), fitting) / 4 * 4;
}

}  // namespace

PairList::PairList(const Stream& stream, std::uint32_t n_atoms, const PairListParameters& parameters,
                   const Vec3<double>& anchor, const PeerWork& work)
    : ListBoxes(stream, n_atoms, kMostListAtoms, parameters, anchor, work),
      item_clusters_(item_clusters_for(n_tiles_, parameters.several_species, stream.device())),
      d_tile_items_(stream),
      d_item_(stream),
      d_neighbor_(stream),
      d_range_(stream),
      d_entry_(stream) {
  d_tile_items_.resize(n_tiles_);
  allocate({stream}, 1, 1);  // the first build determines the capacity
  DROPMD_CUDA(cudaFuncSetAttribute(list_fill_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(most_shared_bytes(stream.device()) - kDeclaredBytes)),
              "preparing the pair list");
  stream.synchronize("preparing the pair list");
}

void PairList::allocate(const Cuda& cuda, std::uint32_t items, std::uint32_t batches) {
  // Nothing of a list that is to be rebuilt is kept: two lists must never be in memory at the same time.
  d_item_.give_back();
  d_neighbor_.give_back();
  d_range_.give_back();
  d_entry_.give_back();
  cuda.stream.synchronize("freeing the memory of the pair list");
  max_batches_ = batches;
  d_item_.fit(items);
  d_neighbor_.fit(std::size_t{items} * item_clusters_);
  d_range_.fit(std::size_t{items} * kTileClusters);
  d_entry_.fit((std::size_t{batches} + kReadAhead) * kBatch);
  // A block loads the beginning of its item before it knows whether the item exists, and a warp loads the batch behind
  // its last one, which avoids a wait. The excess is not used, but it should not be uninitialised.
  d_item_.zero();
  d_neighbor_.zero();
  d_range_.zero();
  d_entry_.zero();
}

PairListView PairList::view() const {
  PairListView view{};
  static_cast<ListBoxesView&>(view) = boxes_view();
  view.tile_items = d_tile_items_.data();
  view.item = d_item_.data();
  view.neighbor = d_neighbor_.data();
  view.range = d_range_.data();
  view.entry = d_entry_.data();
  view.item_clusters = item_clusters_;
  view.max_items = static_cast<std::uint32_t>(d_item_.size());
  view.max_batches = max_batches_;
  return view;
}

template <class Real>
void PairList::build(const Cuda& cuda, const AtomTilesView<Real>& tiles, bool keep_reference) const {
  build_boxes(cuda, tiles, true, keep_reference);
  const PairListView list = view();
  const char* const doing = "building the pair list";
  launch_early(cuda, list_items_kernel<Real>, {n_tiles_, 32 * kSearchWarps}, doing, list, tiles, anchor_);
  launch_early(cuda, list_fill_kernel,
               {list.max_items, 32 * kFillWarps, fill_shared_bytes(list.slots(), tiles.excluded.any())}, doing, list,
               tiles.excluded, anchor_);
  join_parts(cuda);
}

bool PairList::reallocate(const Cuda& cuda) {
  return reallocate_list(cuda, static_cast<std::uint32_t>(d_item_.size()), max_batches_, kSpare,
                         [&](std::uint32_t items, std::uint32_t batches) { allocate(cuda, items, batches); });
}

template void PairList::build(const Cuda&, const AtomTilesView<float>&, bool) const;
template void PairList::build(const Cuda&, const AtomTilesView<double>&, bool) const;

}  // namespace dropmd
