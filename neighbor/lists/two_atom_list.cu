#include "neighbor/lists/two_atom_list.cuh"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "device/shared_memory.cuh"
#include "neighbor/lists/two_atom_list_fill.cuh"

namespace dropmd {

namespace {

/// Shared memory per slot when forces and energies are computed, and the most besides the slots.
constexpr std::size_t kSlotBytes = 16, kOtherBytes = 4096;
/// Largest quantum as a fraction of the contact distance. Four times as much would change the forces in a cold crystal
/// by 1e-5 (PositionGrid); this fraction changes them by 2.5e-6 if a block is about a hundred contact distances wide,
/// and by 2e-8 for compact blocks.
constexpr double kCoarsest = 0x1p-22;
/// Spare capacity beyond an eighth of what was needed, in slots of a block and in words of a list.
constexpr std::uint32_t kSpare = 2;

/// Largest number of slots of a block; with more it is overfull.
std::uint32_t fitting_slots(int device) {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(kMostTwoAtomSlots, (most_shared_bytes(device) - kOtherBytes) / kSlotBytes - 1));
}

}  // namespace

TwoAtomList::TwoAtomList(const Stream& stream, std::uint32_t n_atoms, const PairListParameters& parameters,
                         const Vec3<double>& anchor, const PeerWork& work)
    : ListBoxes(stream, n_atoms, kMostListAtoms, parameters, anchor, work),
      most_slots_(fitting_slots(stream.device())),
      d_block_(stream),
      d_slot_(stream),
      d_n_words_(stream),
      d_word_(stream) {
  d_block_.resize(TwoAtomListView::blocks_of(n_atoms));
  d_n_words_.resize(n_tiles_);
  allocate({stream}, 1, 1);  // the first build determines the capacity
  stream.synchronize("preparing the pair list");
}

std::uint64_t TwoAtomList::estimated_bytes(std::uint32_t n_atoms, double list_cutoff, double density) {
  // The fullest block and the longest list of a tile, a fifth above the mean, determine the size of all. A list for two
  // atoms is 1.3 times as long as one for a single atom. An eighth is the spare capacity of reallocate_list(), which
  // has kSpare slots and words more.
  constexpr double kUneven = 1.2, kForBoth = 1.3, kSpareShare = 9.0 / 8;
  const double r = list_cutoff, edge = std::cbrt(kTwoAtomBlockAtoms / density), pi = std::numbers::pi;
  const double ball = 4.0 / 3 * pi * r * r * r;
  // The volume within r of a cubic block with this edge.
  const double near_block = edge * edge * edge + 6 * edge * edge * r + 3 * pi * edge * r * r + ball;
  const double slots = kUneven * kSpareShare * density * near_block + kSpare;
  // The last word of a list is partly filled.
  const double words = kUneven * kForBoth * kSpareShare * density * ball / kWordEntries + 1 + kSpare;
  const double n_tiles = tiles_of(n_atoms), n_blocks = TwoAtomListView::blocks_of(n_atoms);
  const double of_tiles = n_tiles * (words * 32 * sizeof(TwoAtomWord) + sizeof(std::uint16_t));
  const double of_blocks = n_blocks * (slots * sizeof(std::uint32_t) + sizeof(TwoAtomBlock));
  return ListBoxes::bytes(n_atoms) + static_cast<std::uint64_t>(of_tiles + of_blocks);
}

void TwoAtomList::allocate(const Cuda& cuda, std::uint32_t slots, std::uint32_t words) {
  max_slots_ = std::min(slots, most_slots_);
  max_words_ = words;
  // The present list will be rebuilt, so its memory is returned before more is allocated.
  d_slot_.give_back();
  d_word_.give_back();
  cuda.stream.synchronize("reallocating the pair list");
  d_slot_.fit(d_block_.size() * max_slots_);
  d_word_.fit(std::size_t{n_tiles_} * max_words_ * 32);
}

TwoAtomListView TwoAtomList::view() const {
  TwoAtomListView view{};
  static_cast<ListBoxesView&>(view) = boxes_view();
  view.block = d_block_.data();
  view.slot = d_slot_.data();
  view.n_words = d_n_words_.data();
  view.word = d_word_.data();
  view.max_slots = max_slots_;
  view.max_words = max_words_;
  view.coarsest = static_cast<float>(std::exp2(std::floor(std::log2(kCoarsest * parameters_.near_distance / 1.5))));
  return view;
}

void TwoAtomList::build(const Cuda& cuda, const AtomTilesView<float>& tiles, bool keep_reference) const {
  build_boxes(cuda, tiles, false, keep_reference);
  const TwoAtomListView list = view();
  const char* const doing = "building the pair list";
  launch_early(cuda, two_atom_slots_kernel, {TwoAtomListView::blocks_of(n_atoms_), 32 * kTwoAtomWarps}, doing, list,
               anchor_, most_slots_);
  launch_early(cuda, two_atom_lists_kernel,
               {(n_tiles_ + kTwoAtomListWarps - 1) / kTwoAtomListWarps, 32 * kTwoAtomListWarps}, doing, list,
               tiles.excluded);
  join_parts(cuda);
}

bool TwoAtomList::reallocate(const Cuda& cuda) {
  return reallocate_list(cuda, max_slots_, max_words_, kSpare,
                         [&](std::uint32_t slots, std::uint32_t words) { allocate(cuda, slots, words); });
}

}  // namespace dropmd
