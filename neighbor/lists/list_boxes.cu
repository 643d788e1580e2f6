#include "neighbor/lists/list_boxes.cuh"

#include <cstddef>
#include <string>

#include "core/errors.h"
#include "device/launch.cuh"
#include "neighbor/lists/list_search.cuh"

namespace dropmd {

namespace {

constexpr int kWarps = 4;  // of a block that computes boxes
constexpr std::uint32_t kThreads = 32 * kWarps;

std::uint32_t blocks_of_warps(std::uint32_t warps) { return (warps * 32 + kThreads - 1) / kThreads; }

/// Computes boxes and, if requested, frames and tiles; one warp per tile. reference: [n_atoms], is overwritten by the
/// positions unless it is to be kept.
template <class Real>
__global__ void __launch_bounds__(32 * kWarps)
    list_boxes_kernel(const __grid_constant__ ListBoxesView list, const __grid_constant__ AtomTilesView<Real> tiles,
                      Vec3<double> anchor, Vec3<double>* reference, bool fill_tiles, bool keep_reference) {
  wait_for_kernel_before();
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const bool stale = list.state->stale_at != list.state->built_at;
  if (blockIdx.x == 0 && threadIdx.x == 0) list.state->filling = stale ? 1 : 0;
  if (tile >= tiles.n_tiles() || !stale) return;
  Vec3<double> x[2], from[2];
  load_tile(tiles.position, tiles.n_atoms, tile, lane, x);
  load_tile(keep_reference ? reference : tiles.position, tiles.n_atoms, tile, lane, from);
  if (fill_tiles) fill_tile_in_frame(tiles, tile, lane, frame_tile(tiles, tile, lane, from), x);
  ListBox whole = empty_box();
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const std::uint32_t index = tile * kTileAtoms + 32 * k + lane;
    ListBox box = empty_box();
    if (index < tiles.n_atoms) {
      reference[index] = from[k];
      box = box_of_point(from[k] - anchor);
    }
    join_boxes(box, 1, kClusterAtoms);
    if (lane % kClusterAtoms == 0) list.cluster_box[tile * kTileClusters + (32 * k + lane) / kClusterAtoms] = box;
    whole = {{fminf(whole.low.x, box.low.x), fminf(whole.low.y, box.low.y), fminf(whole.low.z, box.low.z)},
             {fmaxf(whole.high.x, box.high.x), fmaxf(whole.high.y, box.high.y), fmaxf(whole.high.z, box.high.z)}};
  }
  join_boxes(whole, kClusterAtoms, 32);
  if (lane == 0) list.tile_box[tile] = whole;
}

/// Joins the boxes of groups of tiles, one warp per group, resets the state, and fixes the parts of the GPUs.
__global__ void __launch_bounds__(32 * kWarps) list_groups_kernel(const __grid_constant__ ListBoxesView list) {
  wait_for_kernel_before();
  if (list.state->filling == 0) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    PairListState& state = *list.state;
    state.n_items = state.n_rows = 0;
    state.n_pairs = 0;
    state.full = 0;
    state.built_at = state.stale_at;
  }
  if (blockIdx.x == 0 && list.bounds != nullptr && threadIdx.x <= list.share.size)
    list.bounds[threadIdx.x] = list.next_bounds[threadIdx.x];
  const std::uint32_t n_tiles = tiles_of(list.n_atoms);
  const std::uint32_t group = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (group >= groups_of(n_tiles)) return;
  ListBox whole = empty_box();
  for (std::uint32_t k = lane; k < kGroupTiles; k += 32) {
    const std::uint32_t tile = group * kGroupTiles + k;
    if (tile >= n_tiles) break;
    const ListBox box = list.tile_box[tile];
    if (list.touched != nullptr) list.touched[tile] = 0;
    whole = {{fminf(whole.low.x, box.low.x), fminf(whole.low.y, box.low.y), fminf(whole.low.z, box.low.z)},
             {fmaxf(whole.high.x, box.high.x), fmaxf(whole.high.y, box.high.y), fmaxf(whole.high.z, box.high.z)}};
  }
  join_boxes(whole, 1, 32);
  if (lane == 0) list.group_box[group] = whole;
}

}  // namespace

ListBoxes::ListBoxes(const Stream& stream, std::uint32_t n_atoms, std::uint32_t most_atoms,
                     const PairListParameters& parameters, const Vec3<double>& anchor, const PeerWork& work)
    : n_atoms_(n_atoms),
      n_tiles_(tiles_of(n_atoms)),
      parameters_(parameters),
      anchor_(anchor),
      memory_(stream, n_atoms),
      d_cluster_box_(stream),
      d_tile_box_(stream),
      d_group_box_(stream),
      share_(work.share()),
      errors_(work.errors),
      d_bounds_(stream),
      d_touched_(stream),
      d_touched_by_(stream) {
  if (n_atoms > most_atoms)
    throw InputError("a GPU's pair list holds at most " + std::to_string(most_atoms) + " atoms (use --backend cpu)");
  d_cluster_box_.resize(std::size_t{n_tiles_} * kTileClusters);
  d_tile_box_.resize(n_tiles_);
  d_group_box_.resize(groups_of(n_tiles_));
  if (work.peer == nullptr) return;
  static_assert(4 * PeerGroup::kMost <= 64 && PeerGroup::kMost < 32 * kWarps);  // full_mark(), bounds
  if (share_.bounds != nullptr) d_bounds_.resize(share_.size + 1);
  // The sum of the states covers the two words from n_pairs on.
  static_assert(offsetof(SearchState, full) == offsetof(SearchState, n_pairs) + sizeof(std::uint64_t));
  if (work.peer->group.nccl() == nullptr) {
    d_touched_.resize(n_tiles_);
    d_touched_by_.resize(std::size_t{share_.size} * n_tiles_);
    const std::vector<void*> all = work.peer->group.gather(work.peer->rank, d_touched_by_.data());
    for (std::size_t rank = 0; rank < all.size(); ++rank) touched_by_[rank] = static_cast<std::uint8_t*>(all[rank]);
  }
  sum_of_states_ = std::make_unique<PeerSum>(Cuda{stream}, *work.peer,
                                             reinterpret_cast<unsigned long long*>(&memory_.state()->n_pairs), 2,
                                             RareWords{}, nullptr, work.balance);
}

std::uint64_t ListBoxes::bytes(std::uint32_t n_atoms) {
  const std::uint64_t n_tiles = tiles_of(n_atoms);
  return SearchMemory<PairListState>::bytes(n_atoms) +
         sizeof(ListBox) * (n_tiles * (kTileClusters + 1) + groups_of(tiles_of(n_atoms)));
}

void ListBoxes::require_countable(bool was_short) {
  if (!was_short)
    throw DeviceError("the pair list is too long to be counted (use --neighbor all-pairs, or a shorter cutoff)");
}

ListBoxesView ListBoxes::boxes_view() const {
  ListBoxesView view{};
  view.reference = memory_.reference();
  view.cluster_box = d_cluster_box_.data();
  view.tile_box = d_tile_box_.data();
  view.group_box = d_group_box_.data();
  view.state = memory_.state();
  view.n_atoms = n_atoms_;
  view.share = share_;
  if (share_.bounds != nullptr) {
    view.share.bounds = view.bounds = d_bounds_.data();
    view.next_bounds = share_.bounds;
  }
  if (d_touched_.size() > 0) view.touched = d_touched_.data();
  view.max_move2 = 0.25 * parameters_.skin * parameters_.skin;
  view.list_cutoff = static_cast<float>(parameters_.cutoff + parameters_.skin);
  view.near_list_cutoff = static_cast<float>(parameters_.near_distance + parameters_.skin);
  return view;
}

template <class Real>
void ListBoxes::build_boxes(const Cuda& cuda, const AtomTilesView<Real>& tiles, bool fill_tiles,
                            bool keep_reference) const {
  const ListBoxesView list = boxes_view();
  const char* const doing = "building the pair list";
  launch_early(cuda, list_boxes_kernel<Real>, {blocks_of_warps(n_tiles_), kThreads}, doing, list, tiles, anchor_,
               memory_.reference(), fill_tiles, keep_reference);
  launch_early(cuda, list_groups_kernel, {blocks_of_warps(groups_of(n_tiles_)), kThreads}, doing, list);
}

namespace {

/// Whether a list is being built; the same on all peers. After a fault, whether a peer has marked the list as stale
/// depends on when its threads noticed the fault, so there is a sum in any case.
struct ListIsBuilt {
  const PairListState* state;
  ErrorRecordView errors;
  __device__ bool operator()() const { return state->filling != 0 || errors.any(); }
};

/// Tells the other GPUs which tiles have atoms with pairs in this GPU's part; one thread per tile.
__global__ void tell_touched_kernel(const __grid_constant__ ListBoxesView list,
                                    const __grid_constant__ ListBoxes::TouchedBy touched_by) {
  const std::uint32_t tile = blockIdx.x * blockDim.x + threadIdx.x, n_tiles = tiles_of(list.n_atoms);
  if (list.state->filling == 0 || tile >= n_tiles) return;
  for (std::uint32_t rank = 0; rank < list.share.size; ++rank)
    touched_by[rank][std::size_t{list.share.rank} * n_tiles + tile] = list.touched[tile];
}

}  // namespace

void ListBoxes::join_parts(const Cuda& cuda) const {
  if (!sum_of_states_) return;
  if (d_touched_.size() > 0) {
    tell_touched_kernel<<<(n_tiles_ + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(boxes_view(), touched_by_);
    DROPMD_CUDA_LAUNCHED("building the pair list");
  }
  (*sum_of_states_)(cuda, ListIsBuilt{memory_.state(), errors_});
}

template void ListBoxes::build_boxes(const Cuda&, const AtomTilesView<float>&, bool, bool) const;
template void ListBoxes::build_boxes(const Cuda&, const AtomTilesView<double>&, bool, bool) const;

}  // namespace dropmd
