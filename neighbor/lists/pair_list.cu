#include "neighbor/lists/pair_list.cuh"

#include <algorithm>

#include "device/device_info.h"
#include "device/shared_memory.cuh"
#include "neighbor/lists/pair_list_fill.cuh"
#include "neighbor/lists/pair_list_kernels.cuh"

namespace dropmd {

namespace {

/// Small droplets have several units a tile, since all multiprocessors should have some, and no more than they hold at
/// a time: clusters near a tile of a droplet so small, blocks that a multiprocessor holds, and units that pay
/// (measured: docs/experiments.md).
constexpr std::uint32_t kClustersNearTile = 150, kBlocksPerSm = 4, kFewestUnitClusters = 16;

/// Shared memory that a slot may take of a block, forces in double precision included, and what is beside the slots.
constexpr std::size_t kSlotBytes = 64, kOtherBytes = 8192;
constexpr std::size_t kDeclaredBytes = 1024;  ///< that kernels declare, at most

std::uint32_t unit_clusters_for(std::uint32_t n_tiles, int device) {
  const auto blocks = kBlocksPerSm * static_cast<std::uint32_t>(require_device(device).multiprocessors);
  const std::uint32_t units_of_tile = blocks * 9 / 10 / n_tiles;
  const std::uint32_t even = units_of_tile > 1 ? kClustersNearTile / units_of_tile : kMostUnitClusters;
  const auto fitting =
      static_cast<std::uint32_t>((most_shared_bytes(device) - kOtherBytes) / kSlotBytes / kClusterAtoms);
  return std::min(std::clamp(even, kFewestUnitClusters, kMostUnitClusters), fitting) / 4 * 4;
}

}  // namespace

PairList::PairList(const Stream& stream, std::uint32_t n_atoms, const PairListReach& reach, const Vec3<double>& anchor)
    : ListBoxes(stream, n_atoms, kMostListAtoms, reach, anchor),
      unit_clusters_(unit_clusters_for(n_tiles_, stream.device())),
      d_tile_units_(stream),
      d_unit_(stream),
      d_neighbor_(stream),
      d_range_(stream),
      d_entry_(stream) {
  d_tile_units_.resize(n_tiles_);
  make_room({stream}, 1, 1);  // the first build says how much it needs
  DROPMD_CUDA(cudaFuncSetAttribute(list_fill_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(most_shared_bytes(stream.device()) - kDeclaredBytes)),
              "preparing the pair list");
  stream.synchronize("preparing the pair list");
}

void PairList::make_room(const Cuda& cuda, std::uint32_t units, std::uint32_t batches) {
  // Nothing of a list that is to be built anew is kept: two must never be in memory at a time.
  d_unit_.give_back();
  d_neighbor_.give_back();
  d_range_.give_back();
  d_entry_.give_back();
  cuda.stream.synchronize("giving back the room of the pair list");
  max_batches_ = batches;
  d_unit_.fit(units);
  d_neighbor_.fit(std::size_t{units} * unit_clusters_);
  d_range_.fit(std::size_t{units} * kTileClusters);
  d_entry_.fit((std::size_t{batches} + kReadAhead) * kBatch);
  // A block fetches what its unit begins with before it knows whether there is such a unit, and a warp some batches
  // behind its last: that saves it a wait. What it reads in vain is not used, but should not be uninitialised.
  d_unit_.zero();
  d_neighbor_.zero();
  d_range_.zero();
  d_entry_.zero();
}

PairListView PairList::view() const {
  PairListView view{};
  static_cast<ListBoxesView&>(view) = boxes_view();
  view.tile_units = d_tile_units_.data();
  view.unit = d_unit_.data();
  view.neighbor = d_neighbor_.data();
  view.range = d_range_.data();
  view.entry = d_entry_.data();
  view.unit_clusters = unit_clusters_;
  view.max_units = static_cast<std::uint32_t>(d_unit_.size());
  view.max_batches = max_batches_;
  return view;
}

template <class Real>
void PairList::build(const Cuda& cuda, const AtomTilesView<Real>& tiles, bool keep_reference) const {
  build_boxes(cuda, tiles, true, keep_reference);
  const PairListView list = view();
  const char* const doing = "building the pair list";
  launch_early(cuda, list_units_kernel<Real>, {n_tiles_, 32 * kSearchWarps}, doing, list, tiles);
  launch_early(cuda, list_fill_kernel, {list.max_units, 32 * kFillWarps, fill_shared_bytes(list.slots())}, doing, list,
               anchor_);
}

bool PairList::grow(const Cuda& cuda) {
  constexpr std::uint32_t kSpare = 64;
  return grow_list(cuda, static_cast<std::uint32_t>(d_unit_.size()), max_batches_, kSpare,
                   [&](std::uint32_t units, std::uint32_t batches) { make_room(cuda, units, batches); });
}

template void PairList::build(const Cuda&, const AtomTilesView<float>&, bool) const;
template void PairList::build(const Cuda&, const AtomTilesView<double>&, bool) const;

}  // namespace dropmd
