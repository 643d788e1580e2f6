#pragma once

#include <algorithm>
#include <cstdint>

#include "device/buffer.cuh"
#include "engine/device/device_atoms.cuh"
#include "engine/device/peers/own_atoms_kernels.cuh"
#include "engine/model/system.h"

namespace dropmd {

/// The atoms that a GPU moves in a run on several GPUs with a pair list or all pairs: those of a range of tiles. In the
/// steps between other stages of a run a GPU has the present state of its own atoms, and beside it the positions for
/// which it computes pairs: with a list those near its own, otherwise all. It is sent nothing but these positions, and
/// takes nothing but the forces that others computed on its own atoms. complete() then makes the state of all atoms the
/// same on all GPUs.
///
/// It needs that nothing else reads positions within such steps: no force term of many atoms but the pairs, no
/// molecules, no integrator that couples all atoms. Other runs have the whole state on every GPU at all times.
template <class Real>
class OwnAtoms {
 public:
  /// Whether the steps of a run can be divided so; peer: null on one GPU.
  static bool suit(const Peer* peer, const System& system, const DeviceAtoms<Real>& atoms) {
    if (peer == nullptr || peer->group.nccl() != nullptr || atoms.accelerated) return false;
    if (!system.terms.empty() || atoms.molecules.any()) return false;
    const DevicePairs<Real>& pairs = atoms.forces.pairs();
    return !pairs.searches() || (pairs.touched_by() != nullptr && atoms.view.displacement.max_move2 > 0);
  }

  /// It waits for the other peers; everything must stay where it is.
  OwnAtoms(const Peer& peer, const DeviceAtoms<Real>& atoms)
      : meetings_(atoms.stream, peer), completions_(atoms.stream, peer), d_state_(atoms.stream) {
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
    view_.touched_by = atoms.forces.pairs().touched_by();
    view_.n_tiles = atoms.n_tiles;
    view_.first_tile = peer.share().first(atoms.n_tiles);
    view_.end_tile = peer.share().end(atoms.n_tiles);
    completion_.signals = completions_.view();
    completion_.host_index = view.atoms.host_index;
    completion_.first_atom = view_.first_tile * kTileAtoms;
    completion_.end_atom = std::min(view_.end_tile * kTileAtoms, atoms.n_atoms);
    peer.group.note_own_atoms();
  }

  /// To be called when all GPUs have the same state of all atoms, without a fault; in stream order.
  void begin() { d_state_.zero(); }

#if defined(__CUDACC__)
  /// Enqueues the parts of a step that follow the forces of this GPU's pairs.
  template <class Parts, class Motion>
  void step(const Cuda& cuda, const StepView<Real>& view, const Motion& motion) const {
    constexpr std::uint32_t kThreads = 64;
    launch_early(cuda, own_atoms::step_kernel<Parts, Real, Motion>,
                 {blocks(32 * (view_.end_tile - view_.first_tile), kThreads), kThreads}, "moving the atoms", view,
                 motion, view_);
  }
  /// Enqueues what a list needs that is built between such steps: the positions of all atoms.
  void take_positions(const Cuda& cuda, const StepView<Real>& view) const {
    constexpr std::uint32_t kThreads = 128;
    launch_early(cuda, own_atoms::take_positions_kernel<Real>, {blocks(view.atoms.n_atoms, kThreads), kThreads},
                 "building the pair list", view_, view.atoms.position, view.atoms.n_atoms);
  }
  /// Enqueues the exchange after which all GPUs have the state of all atoms.
  void complete(const Cuda& cuda) const {
    constexpr std::uint32_t kThreads = 128;
    const std::uint32_t n = std::max(completion_.end_atom, completion_.first_atom) - completion_.first_atom;
    own_atoms::complete_kernel<<<blocks(n, kThreads), kThreads, 0, cuda.get()>>>(completion_);
    DROPMD_CUDA_LAUNCHED("exchanging the state of several GPUs");
  }
#endif

 private:
  static std::uint32_t blocks(std::uint32_t n, std::uint32_t threads) {
    return std::max(1U, (n + threads - 1) / threads);
  }

  PeerMeetings meetings_, completions_;
  DeviceBuffer<OwnAtomsState> d_state_;
  OwnAtomsView<Real> view_{};
  own_atoms::CompletionView completion_{};
};

}  // namespace dropmd
