#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "device/buffer.cuh"
#include "device/launch.cuh"
#include "engine/device/device_atoms.cuh"
#include "engine/device/peers/atom_ownership.cuh"
#include "engine/device/peers/own_molecules.cuh"
#include "engine/device/peers/own_tiles.cuh"
#include "engine/model/system.h"

namespace dropmd {

/// Whether a GPU can perform an integrator's steps for its own atoms alone. Minimisers are left out: with molecules
/// they project forces before a step ends, and they are too short to be worth it.
template <class Motion>
inline constexpr bool kMayOwnAtoms = !Motion::kGloballyCoupled && !Motion::kMinimizer;

/// The atoms that a GPU moves in a run on several GPUs with a pair list or all pairs: those of a range of tiles, and of
/// molecules that begin there (AtomOwnership). In the steps between other stages of a run, a GPU has the present state
/// of its own atoms and, besides, the positions for which it computes forces: with a list those near its own, and those
/// that its force terms need. It is sent only these positions, and takes only the forces that others computed on its
/// own atoms. complete() then makes the state of all atoms the same on all GPUs.
///
/// All other runs (suit(), kMayOwnAtoms) have the whole state on every GPU at all times.
template <class Real>
class OwnAtoms {
 public:
  /// Whether the steps of a run can be divided in this way; peer: null on one GPU.
  static bool suit(const Peer* peer, const DeviceAtoms<Real>& atoms) {
    if (peer == nullptr || peer->group.nccl() != nullptr || atoms.accelerated || atoms.forces.has_slow()) return false;
    const DevicePairs<Real>& pairs = atoms.forces.pairs();
    return !pairs.searches() || (pairs.touched_by() != nullptr && atoms.view.displacement.max_move2 > 0);
  }

  /// Waits for the other peers; all memory must stay where it is, since the peers know the addresses.
  OwnAtoms(const Peer& peer, const System& system, DeviceAtoms<Real>& atoms)
      : meetings_(atoms.stream, peer),
        completions_(atoms.stream, peer),
        d_state_(atoms.stream),
        ownership_(peer, system, atoms) {
    d_state_.resize(1);
    const StepView<Real>& view = atoms.view;
    gather_values(peer,
                  OwnAtomsArrays<Real>{view.atoms.position, view.tiles.local, view.tiles.low_order, view.tiles.frame,
                                       view.tiles.box, view.sums.low, view.sums.high, view.displacement.state,
                                       view.sums.errors.first()},
                  view_.of);
    gather_values(peer, PeerArrays::of(view), completion_.of);
    std::copy(atoms.balance->states().begin(), atoms.balance->states().end(), view_.balance);
    view_.signals = meetings_.view();
    view_.state = completion_.state = d_state_.data();
    view_.owners = completion_.owners = ownership_.owners();
    view_.touched_by = atoms.forces.pairs().touched_by();
    view_.marked_by = ownership_.marked_by();
    view_.n_tiles = atoms.n_tiles;
    view_.first_tile = peer.share().first(atoms.n_tiles);
    view_.end_tile = peer.share().end(atoms.n_tiles);
    completion_.signals = completions_.view();
    completion_.host_index = view.atoms.host_index;
    completion_.n_atoms = atoms.n_atoms;
    if (atoms.molecules.any()) molecules_.emplace(atoms.stream, atoms.molecules);
    peer.group.note_own_atoms();
  }

  /// To be called when all GPUs have the same state of all atoms, without a fault; in stream order.
  void begin() { d_state_.zero(); }
  /// To be called when the atoms, the molecules and the force terms are in another order.
  void reordered(const Cuda& cuda) {
    ownership_.reordered();
    if (molecules_) molecules_->reordered(cuda, view_.owners);
  }

  /// Enqueues the parts of a step that follow the forces which this GPU computes, for atoms without constraints and
  /// virtual sites.
  template <class Parts, class Motion>
  void step_tiles(const Cuda& cuda, const StepView<Real>& view, const Motion& motion) const {
    constexpr std::uint32_t kThreads = 64;
    launch_early(cuda, own_atoms::step_kernel<Parts, Real, Motion>,
                 {blocks(32 * (view_.end_tile - view_.first_tile), kThreads), kThreads}, "moving the atoms", view,
                 motion, view_);
  }
  /// The same for molecules. n_blocks: of the kernel for clusters; moves: whether it moves the atoms.
  template <class Motion>
  void step_molecules(const Cuda& cuda, const StepView<Real>& view, const Motion& motion, std::uint32_t n_blocks,
                      bool moves) const {
    molecules_->step(cuda, view, motion, view_, n_blocks, moves);
  }
  /// Enqueues what is needed before forces are computed anew: the positions of all atoms, if a list is built.
  void take_positions(const Cuda& cuda, const StepView<Real>& view) const {
    constexpr std::uint32_t kThreads = 128;
    launch_early(cuda, own_atoms::take_positions_kernel<Real>, {blocks(view.atoms.n_atoms, kThreads), kThreads},
                 "building the pair list", view_, view.atoms.position, view.atoms.n_atoms);
  }
  /// Enqueues the exchange after which all GPUs have the state of all atoms.
  void complete(const Cuda& cuda) const {
    constexpr std::uint32_t kThreads = 128;
    own_atoms::complete_kernel<<<blocks(completion_.n_atoms, kThreads), kThreads, 0, cuda.get()>>>(completion_);
    DROPMD_CUDA_LAUNCHED("exchanging the state of several GPUs");
  }

 private:
  static std::uint32_t blocks(std::uint32_t n, std::uint32_t threads) {
    return std::max(1U, (n + threads - 1) / threads);
  }

  PeerMeetings meetings_, completions_;
  DeviceBuffer<OwnAtomsState> d_state_;
  AtomOwnership<Real> ownership_;
  std::optional<OwnMolecules> molecules_;  ///< nullopt: atoms without constraints and virtual sites
  OwnAtomsView<Real> view_{};
  own_atoms::CompletionView completion_{};
};

}  // namespace dropmd
