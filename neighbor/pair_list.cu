#include "neighbor/pair_list.cuh"

#include <algorithm>
#include <string>

#include "core/errors.h"
#include "device/device_info.h"
#include "device/shared_memory.cuh"
#include "neighbor/pair_list_fill.cuh"
#include "neighbor/pair_list_kernels.cuh"

namespace dropmd {

namespace {

constexpr std::uint32_t kThreads = 32 * kBoxWarps;
/// Small droplets have several units a tile, since all multiprocessors should have some, and no more than they hold at
/// a time: clusters near a tile of a droplet so small, blocks that a multiprocessor holds, and units that pay
/// (measured: docs/performance.md).
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

std::uint32_t blocks_of_warps(std::uint32_t warps) { return (warps * 32 + kThreads - 1) / kThreads; }

}  // namespace

PairList::PairList(const Stream& stream, std::uint32_t n_atoms, const PairListReach& reach, const Vec3<double>& anchor)
    : n_atoms_(n_atoms),
      n_tiles_(tiles_of(n_atoms)),
      unit_clusters_(unit_clusters_for(n_tiles_, stream.device())),
      reach_(reach),
      anchor_(anchor),
      memory_(stream, n_atoms),
      d_cluster_box_(stream),
      d_tile_box_(stream),
      d_group_box_(stream),
      d_tile_units_(stream),
      d_unit_(stream),
      d_neighbor_(stream),
      d_range_(stream),
      d_entry_(stream) {
  if (n_atoms > kMostListAtoms)
    throw InputError("a GPU's pair list holds at most " + std::to_string(kMostListAtoms) +
                     " atoms (use --backend cpu)");
  d_cluster_box_.resize(std::size_t{n_tiles_} * kTileClusters);
  d_tile_box_.resize(n_tiles_);
  d_group_box_.resize(groups_of(n_tiles_));
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
  view.reference = memory_.reference();
  view.cluster_box = d_cluster_box_.data();
  view.tile_box = d_tile_box_.data();
  view.group_box = d_group_box_.data();
  view.tile_units = d_tile_units_.data();
  view.unit = d_unit_.data();
  view.neighbor = d_neighbor_.data();
  view.range = d_range_.data();
  view.entry = d_entry_.data();
  view.state = memory_.state();
  view.n_atoms = n_atoms_;
  view.unit_clusters = unit_clusters_;
  view.max_units = static_cast<std::uint32_t>(d_unit_.size());
  view.max_batches = max_batches_;
  view.max_move2 = 0.25 * reach_.skin * reach_.skin;
  view.reach = static_cast<float>(reach_.cutoff + reach_.skin);
  view.near_reach = static_cast<float>(reach_.near_distance + reach_.skin);
  return view;
}

template <class Real>
void PairList::build(const Cuda& cuda, const AtomTilesView<Real>& tiles, bool keep_reference) const {
  const PairListView list = view();
  const std::uint32_t tile_blocks = blocks_of_warps(n_tiles_);
  const char* const doing = "building the pair list";
  launch_early(cuda, list_boxes_kernel<Real>, {tile_blocks, kThreads}, doing, list, tiles, anchor_, memory_.reference(),
               keep_reference);
  launch_early(cuda, list_groups_kernel, {blocks_of_warps(groups_of(n_tiles_)), kThreads}, doing, list);
  launch_early(cuda, list_units_kernel<Real>, {n_tiles_, 32 * kSearchWarps}, doing, list, tiles);
  launch_early(cuda, list_fill_kernel, {list.max_units, 32 * kFillWarps, fill_shared_bytes(list.slots())}, doing, list,
               anchor_);
}

template <class Real>
void PairList::build_at_once(const Cuda& cuda, const AtomTilesView<Real>& tiles, bool keep_reference) {
  memory_.build_at_once(
      cuda, keep_reference, [&](bool keep) { build(cuda, tiles, keep); }, [&] { return grow(cuda); });
}

bool PairList::grow(const Cuda& cuda) {
  const PairListState state = what_was_read();
  if (state.full == 0) return false;
  if (state.n_units <= d_unit_.size() && state.n_batches <= max_batches_)
    throw DeviceError("the pair list is too long to be counted (use --neighbor all-pairs, or a shorter cutoff)");
  // A little more than was needed: droplets change slowly.
  const auto roomy = [](std::uint32_t needed, std::size_t now) {
    return needed > now ? needed + needed / 8 + 64 : static_cast<std::uint32_t>(now);
  };
  make_room(cuda, roomy(state.n_units, d_unit_.size()), roomy(state.n_batches, max_batches_));
  memory_.mark_grown();
  cuda.stream.synchronize("making room for the pair list");
  return true;
}

template void PairList::build_at_once(const Cuda&, const AtomTilesView<float>&, bool);
template void PairList::build_at_once(const Cuda&, const AtomTilesView<double>&, bool);
template void PairList::build(const Cuda&, const AtomTilesView<float>&, bool) const;
template void PairList::build(const Cuda&, const AtomTilesView<double>&, bool) const;

}  // namespace dropmd
