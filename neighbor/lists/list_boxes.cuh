#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "core/vec3.h"
#include "device/buffer.cuh"
#include "device/communicator/peer_balance.cuh"
#include "device/communicator/peer_sum.cuh"
#include "device/cuda.cuh"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/lists/list_boxes_view.cuh"
#include "neighbor/search_memory.cuh"

namespace dropmd {

/// The parameters of a list; lengths unless stated otherwise.
struct PairListParameters {
  double cutoff;
  double skin;           ///< the list is valid until an atom has moved by half of it
  double near_distance;  ///< distance up to which atoms count as near
  bool several_species;  ///< whether pair kernels hold the species of the atoms in slots
};

/// The boxes of a list's atoms, its state, and what lists of all forms share. In a run on several GPUs, each GPU has
/// the boxes of all atoms but builds only its part of the list; the state is then that of all parts together.
class ListBoxes {
 public:
  static constexpr bool kInParts = true;  ///< whether each of several GPUs builds only a part of it

  DisplacementCheck displacement_check() const {
    return {memory_.reference(), memory_.state(), boxes_view().max_move2};
  }

  /// Bytes of device memory, for any form of list.
  static std::uint64_t bytes(std::uint32_t n_atoms);

  /// Sets the anchor, a point near most of the atoms, for lists that are built from now on.
  void set_anchor(const Vec3<double>& anchor) { anchor_ = anchor; }

  /// [share.size][n_tiles] for each of several GPUs, by rank: whether its part of the list has pairs of a tile's atoms.
  /// All GPUs know it when the list is built. Null unless the GPUs access each other's memory.
  const std::uint8_t* touched_by() const { return d_touched_by_.size() > 0 ? d_touched_by_.data() : nullptr; }
  /// The same arrays in the memory of each GPU.
  using TouchedBy = std::array<std::uint8_t*, PeerGroup::kMost>;

  /// Saves the positions for which the list was built.
  void save(const Cuda& cuda) { memory_.save(cuda); }
  /// Sets the positions for which restore() will build the list: [n_atoms], by storage index.
  void set_saved(std::span<const Vec3<double>> positions) { memory_.set_saved(positions); }

  /// Starts a copy of the state to the host, in stream order.
  void start_reading() const { memory_.start_reading(); }
  /// The state that the last start_reading() copied; valid after a wait.
  const PairListState& what_was_read() const { return memory_.what_was_read(); }
  /// Number of pairs whose distance is computed, each counted once.
  std::uint64_t candidate_pairs() const { return what_was_read().n_pairs; }
  /// Number of reallocations, each of which invalidates captured graphs.
  std::uint32_t times_reallocated() const { return memory_.times_reallocated(); }

 protected:
  /// n_atoms > 0. work: for a run on several GPUs, where the constructor waits for the other peers. Throws InputError
  /// for more than `most_atoms` atoms.
  ListBoxes(const Stream& stream, std::uint32_t n_atoms, std::uint32_t most_atoms, const PairListParameters& parameters,
            const Vec3<double>& anchor, const PeerWork& work);

  ListBoxesView boxes_view() const;

  /// Enqueues the first part of a build, if the list is stale: the boxes and a new state, and also frames and tiles of
  /// the positions if the pair kernels of the list use them.
  template <class Real>
  void build_boxes(const Cuda& cuda, const AtomTilesView<Real>& tiles, bool fill_tiles, bool keep_reference) const;

  /// Enqueues the last part of a build: in a run on several GPUs, adds up the states of the parts, and derives the next
  /// parts from the times that the GPUs have taken.
  void join_parts(const Cuda& cuda) const;

  /// Builds at once and waits: build(keep_reference) enqueues a build, reallocate() reallocates if the capacity was too
  /// small.
  template <class Build, class Reallocate>
  void build_at_once(const Cuda& cuda, bool keep_reference, const Build& build, const Reallocate& reallocate) {
    if (keep_reference) memory_.take_back(cuda);
    memory_.build_at_once(cuda, keep_reference, build, reallocate);
  }

  /// Implements reallocate() of a list: calls allocate(items, rows) with what the last build needed plus an eighth and
  /// `spare`, as droplets change slowly, and marks the list as stale; waits for the device. Returns false if the
  /// capacity sufficed, on all GPUs. Throws DeviceError if reallocation cannot help.
  template <class Allocate>
  bool reallocate_list(const Cuda& cuda, std::uint32_t items, std::uint32_t rows, std::uint32_t spare,
                       const Allocate& allocate) {
    const PairListState state = what_was_read();
    if (state.full == 0) return false;
    if ((state.full & ListBoxesView::full_mark(share_.rank)) != 0) {
      require_countable(state.n_items > items || state.n_rows > rows);
      const auto with_spare = [spare](std::uint32_t needed, std::uint32_t now) {
        return needed > now ? needed + needed / 8 + spare : now;
      };
      allocate(with_spare(state.n_items, items), with_spare(state.n_rows, rows));
    }
    memory_.mark_reallocated();
    cuda.stream.synchronize("reallocating the pair list");
    return true;
  }

  std::uint32_t n_atoms_, n_tiles_;
  PairListParameters parameters_;
  Vec3<double> anchor_;

 private:
  static void require_countable(bool was_short);

  SearchMemory<PairListState> memory_;
  DeviceBuffer<ListBox> d_cluster_box_, d_tile_box_, d_group_box_;
  WorkShare share_;
  ErrorRecordView errors_;
  DeviceBuffer<std::uint32_t> d_bounds_;  ///< ListBoxesView::bounds; empty if they never change
  DeviceBuffer<std::uint8_t> d_touched_, d_touched_by_;
  TouchedBy touched_by_{};
  std::unique_ptr<PeerSum> sum_of_states_;  ///< null: a run on one GPU
};

extern template void ListBoxes::build_boxes(const Cuda&, const AtomTilesView<float>&, bool, bool) const;
extern template void ListBoxes::build_boxes(const Cuda&, const AtomTilesView<double>&, bool, bool) const;

}  // namespace dropmd
