#pragma once

#include <cstdint>

#include "neighbor/lists/list_boxes.cuh"
#include "neighbor/lists/two_atom_list_view.cuh"

namespace dropmd {

/// The list of two-atom clusters of a GPU and its memory; its interface is that of PairList.
class TwoAtomList : public ListBoxes {
 public:
  /// Whether pair kernels use the tiles; they use the positions instead.
  static constexpr bool kUsesTiles = false;

  /// n_atoms > 0. anchor: a point near most of the atoms; work: for a run on several GPUs, where the constructor waits
  /// for the other peers. Throws InputError for more than kMostListAtoms atoms.
  TwoAtomList(const Stream& stream, std::uint32_t n_atoms, const PairListParameters& parameters,
              const Vec3<double>& anchor, const PeerWork& work = {});

  /// Estimates the device memory in bytes for a liquid with this density, in atoms per cubed length; the numbers of
  /// slots and words depend on the positions. list_cutoff: cutoff + skin.
  static std::uint64_t estimated_bytes(std::uint32_t n_atoms, double list_cutoff, double density);

  TwoAtomListView view() const;

  std::uint32_t n_partial_energies() const { return n_partial_energies(n_atoms_); }
  static std::uint32_t n_partial_energies(std::uint32_t n_atoms) { return TwoAtomListView::blocks_of(n_atoms); }

  /// Enqueues a build of the list if it is stale.
  void build_if_stale(const Cuda& cuda, const AtomTilesView<float>& tiles) const { build(cuda, tiles, false); }
  /// Builds the list for the positions at once, with the capacity that it needs; waits for the device.
  void build_now(const Cuda& cuda, const AtomTilesView<float>& tiles) { build_at_once(cuda, tiles, false); }
  /// Rebuilds the list for the positions of the last save(), with the atoms in the same order; waits for the device.
  void restore(const Cuda& cuda, const AtomTilesView<float>& tiles) { build_at_once(cuda, tiles, true); }

  /// Number of pairs whose distance is computed, each counted once.
  std::uint64_t candidate_pairs() const { return ListBoxes::candidate_pairs() / 2; }

  /// Reallocates for what the last build needed and marks the list as stale; waits for the device. Returns whether the
  /// capacity was too small.
  bool reallocate(const Cuda& cuda);

 private:
  void build(const Cuda& cuda, const AtomTilesView<float>& tiles, bool keep_reference) const;
  void build_at_once(const Cuda& cuda, const AtomTilesView<float>& tiles, bool keep_reference) {
    ListBoxes::build_at_once(
        cuda, keep_reference, [&](bool keep) { build(cuda, tiles, keep); }, [&] { return reallocate(cuda); });
  }
  void allocate(const Cuda& cuda, std::uint32_t slots, std::uint32_t words);

  std::uint32_t most_slots_;  ///< of a block; with more it is overfull
  DeviceBuffer<TwoAtomBlock> d_block_;
  DeviceBuffer<std::uint32_t> d_slot_;
  DeviceBuffer<std::uint16_t> d_n_words_;
  DeviceBuffer<TwoAtomWord> d_word_;
  std::uint32_t max_slots_ = 0, max_words_ = 0;
};

}  // namespace dropmd
