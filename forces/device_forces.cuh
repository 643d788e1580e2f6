#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/run/energies.h"
#include "device/branch.cuh"
#include "device/buffer.cuh"
#include "device/pinned.cuh"
#include "forces/device_force_term.cuh"
#include "forces/many_atom_term.h"
#include "forces/pair/cuda/device_pairs.cuh"
#include "forces/peer_force_sums.cuh"
#include "forces/slow_forces.cuh"

namespace dropmd {

/// Returns a term on the GPU in the precision of Real.
template <class Real>
std::unique_ptr<DeviceForceTerm<Real>> device_term(const Cuda& cuda, const ManyAtomTerm& term,
                                                   const Particles& particles) {
  if constexpr (std::is_same_v<Real, float>)
    return term.on_gpu_in_mixed(cuda, particles);
  else
    return term.on_gpu_in_double(cuda, particles);
}

/// The forces of many atoms on a GPU: one list of terms, the pair forces first, then the others in the order of the
/// model. Its functions call the function of the same name of every term. The other terms have a branch of their own,
/// so that their forces are computed beside those of the pairs: a mesh has many kernels that leave most of a GPU idle.
/// In a run with inner steps (core/outer_steps.h) slow terms have another branch, which has no work in those steps.
///
/// In a run on several GPUs each has all terms and, unless it moves only its own atoms (OwnAtoms), the state of all
/// atoms. It computes only some of the forces: a share of the pairs, and those other terms that are assigned to it. The
/// sums, which are integers, are then added up over the GPUs, or by the owner of an atom, and equal those of one GPU to
/// the last bit.
template <class Real>
class DeviceForces {
 public:
  /// particles must outlive this. sums: where forces are added; work: for a run on several GPUs, the same as that of
  /// `pairs`; the constructor then waits for the other peers.
  DeviceForces(const Cuda& cuda, std::unique_ptr<DevicePairs<Real>> pairs, const ManyAtomTerms& terms,
               const OuterSteps& outer, const Particles& particles, const ForceSums<Real>& sums, const PeerWork& work)
      : branch_(cuda), pairs_(std::move(pairs)), d_energy_(branch_.cuda().stream) {
    if (work.peer != nullptr) peer_sums_ = std::make_unique<PeerForceSums<Real>>(cuda, work, sums);
    if (has_slow(terms, outer))
      slow_ = std::make_unique<SlowForces<Real>>(cuda, outer, static_cast<std::uint32_t>(particles.size()));
    for (const auto& term : terms) {
      is_slow_.push_back(slow_ != nullptr && term->is_slow());
      others_.push_back(device_term<Real>(stream_of(others_.size()), *term, particles));
      if (work.divides_terms && !is_slow_.back())
        others_.back()->divide(*work.peer, peer_sums_->adds_term(others_.size() - 1));
      first_energy_.push_back(names_.size());
      for (const std::string_view name : term->energy_names()) names_.push_back(name);
    }
    d_energy_.resize(names_.size());
    d_energy_.zero();  // a fault in the first steps may leave them as they are
    if (!names_.empty()) h_energy_ = std::make_unique<Pinned<double>>(static_cast<std::uint32_t>(names_.size()));
    join(cuda);
  }

  /// The pair forces, with the neighbour structure.
  DevicePairs<Real>& pairs() { return *pairs_; }
  const DevicePairs<Real>& pairs() const { return *pairs_; }

  void reordered(const Cuda& cuda, const DeviceMoment<Real>& now) {
    for_each(cuda, [&](DeviceForceTerm<Real>& term, const Cuda& on) { term.reordered(on, now); });
  }
  void rebuild(const Cuda& cuda, const DeviceMoment<Real>& now) {
    for_each(cuda, [&](DeviceForceTerm<Real>& term, const Cuda& on) { term.rebuild(on, now); });
  }
  /// Slow terms are refreshed before their forces: a branch that has work outside of the conditional node cannot be
  /// captured as its body.
  void refresh(const Cuda& cuda, const DeviceMoment<Real>& now) {
    pairs_->refresh(cuda, now);
    if (!has_fast()) return;
    branch_.fork(cuda);
    for (std::size_t k = 0; k < others_.size(); ++k)
      if (!is_slow_[k]) others_[k]->refresh(branch_.cuda(), now);
    branch_.join(cuda);
  }
  void save(const Cuda& cuda) {
    for_each(cuda, [&](DeviceForceTerm<Real>& term, const Cuda& on) { term.save(on); });
  }
  /// sums: those of the step to which the terms return.
  void restore(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums, std::int64_t step) {
    for_each(cuda, [&](DeviceForceTerm<Real>& term, const Cuda& on) { term.restore(on, now); });
    if (slow_ && slow_->outer().divide(step)) slow_->compute_again(cuda, now, sums, adding_slow());
  }
  std::vector<std::vector<double>> states() const {
    std::vector<std::vector<double>> states{pairs_->state()};
    for (const auto& term : others_) states.push_back(term->state());
    return states;
  }
  /// Sets the states, an empty list if no term keeps anything; returns whether they can be states of these terms.
  bool set_states(std::span<const std::vector<double>> states) {
    const auto state_of = [&](std::size_t k) { return states.empty() ? std::vector<double>{} : states[k]; };
    if (!states.empty() && states.size() <= others_.size()) return false;
    bool fit = pairs_->set_state(state_of(0));
    for (std::size_t k = 0; fit && k < others_.size(); ++k) fit = others_[k]->set_state(state_of(k + 1));
    return fit;
  }
  /// Lets the terms other than the pair forces begin with states of the same terms for other atoms, before the first
  /// rebuild(): they keep what suits their own atoms.
  void begin_with(std::span<const std::vector<double>> states) {
    if (states.size() != others_.size() + 1) return;
    for (std::size_t k = 0; k < others_.size(); ++k) others_[k]->set_state(states[k + 1]);
  }
  /// Adds the forces at the step of now.clock, or those of all terms if that is null.
  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) {
    add_forces(cuda, now, sums, slow_ != nullptr);
  }
  /// The same without the sum over several GPUs: the forces that this GPU computes.
  void add_own_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) {
    add_terms(cuda, now, sums, slow_ != nullptr);
  }
  /// Lets each of several GPUs compute the forces that belong to its own atoms, for terms where that is possible.
  void divide_by_owners(const AtomOwners& owners) {
    for (const auto& term : others_) term->divide_by_owners(owners);
  }
  /// Marks the tiles of atoms whose positions add_own_forces() needs for forces other than those of pairs, or on which
  /// such forces act. d_marked: [now.tiles.n_tiles()], 0 where nothing is marked.
  void mark_tiles(const Cuda& cuda, const DeviceMoment<Real>& now, std::uint8_t* d_marked) const {
    for (std::size_t k = 0; k < others_.size(); ++k)
      if (computes(k)) others_[k]->mark_tiles(cuda, now, d_marked);
  }
  /// Whether some forces are slow.
  bool has_slow() const { return slow_ != nullptr; }
  /// Whether there are force terms besides the pairs.
  bool has_other_terms() const { return !others_.empty(); }
  /// Adds the forces at a step that the host knows.
  void add_forces_of(std::int64_t step, const Cuda& cuda, const DeviceMoment<Real>& now,
                     const ForceSumsView<Real>& sums) {
    add_forces(cuda, now, sums, slow_ && slow_->outer().divide(step));
  }
  /// Slow forces of the last outer step, which step kernels read; null pointers if no force is slow.
  SlowSumsView<Real> slow_sums() const { return slow_ ? slow_->view() : SlowSumsView<Real>{}; }
  /// Must be called before energies(), with the memory that energies() is given. It waits for the other peers.
  void prepare_energies(const Cuda& cuda, PartialEnergy* d_pairs) {
    if (peer_sums_) peer_sums_->add_energies(cuda, d_pairs, pairs_->n_partial_energies());
  }
  /// Starts a copy of the sums of slow forces to the host, in stream order; returns false if no force is slow.
  bool start_download_slow(const Cuda& cuda, std::span<unsigned long long> h_words) {
    if (slow_) slow_->start_download(cuda, h_words);
    return slow_ != nullptr;
  }
  /// Device memory that the sums of slow forces take, bytes.
  static std::uint64_t slow_bytes(const ManyAtomTerms& terms, const OuterSteps& outer, std::uint32_t n_atoms) {
    return has_slow(terms, outer) ? SlowForces<Real>::bytes(n_atoms) : 0;
  }
  /// Computes the energies of all terms. d_pairs: [pairs().n_partial_energies()] those of the pairs.
  void energies(const Cuda& cuda, const DeviceMoment<Real>& now, PartialEnergy* d_pairs) {
    fork(cuda);
    for (std::size_t k = 0; k < others_.size(); ++k)
      others_[k]->energies(stream_of(k), now, d_energy_.data() + first_energy_[k]);
    pairs_->partial_energies(cuda, now, d_pairs);
    if (peer_sums_) peer_sums_->sum_energies(cuda);
    join(cuda);
  }

  bool reallocate(const Cuda& cuda) {
    bool any = false;
    for_each(cuda, [&](DeviceForceTerm<Real>& term, const Cuda& on) { any = term.reallocate(on) || any; });
    return any;
  }
  std::uint32_t times_reallocated() const {
    std::uint32_t times = pairs_->times_reallocated();
    for (const auto& term : others_) times += term->times_reallocated();
    return times;
  }

  void start_reading(const Cuda& cuda) {
    for_each(cuda, [&](DeviceForceTerm<Real>& term, const Cuda&) { term.start_reading(); });
  }
  /// Starts a copy of the energies of all terms but the pairs to the host, in stream order; add_energies_read() adds
  /// them, after a wait.
  void start_reading_energies(const Cuda& cuda) {
    if (!h_energy_) return;
    fork(cuda);
    d_energy_.store(*h_energy_);
    join(cuda);
  }
  void add_energies_read(Energies& energies) const {
    for (std::size_t k = 0; k < names_.size(); ++k) energies.add(names_[k], h_energy_->all()[k]);
  }

 private:
  static bool has_slow(const ManyAtomTerms& terms, const OuterSteps& outer) {
    return outer.has_inner() &&
           std::any_of(terms.begin(), terms.end(), [](const auto& term) { return term->is_slow(); });
  }
  /// The stream of one of the others.
  Cuda stream_of(std::size_t k) { return is_slow_[k] ? slow_->branch().cuda() : branch_.cuda(); }

  /// Calls do(term, stream) for every term.
  template <class Do>
  void for_each(const Cuda& cuda, const Do& call) {
    call(*pairs_, cuda);
    fork(cuda);
    for (std::size_t k = 0; k < others_.size(); ++k) call(*others_[k], stream_of(k));
    join(cuda);
  }
  void fork(const Cuda& cuda) {
    if (!others_.empty()) branch_.fork(cuda);
    if (slow_) slow_->branch().fork(cuda);
  }
  void join(const Cuda& cuda) {
    if (!others_.empty()) branch_.join(cuda);
    if (slow_) slow_->branch().join(cuda);
  }

  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums, bool with_slow) {
    add_terms(cuda, now, sums, with_slow);
    if (peer_sums_) peer_sums_->sum(cuda, now, sums, !pairs_->builds_in_parts());
  }
  void add_terms(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums, bool with_slow) {
    const bool beside = has_fast();
    if (with_slow) slow_->fork(cuda, now, sums, adding_slow(), !peer_sums_ || peer_sums_->adds_slow_forces());
    if (beside) branch_.fork(cuda);
    for (std::size_t k = 0; k < others_.size(); ++k)
      if (!is_slow_[k]) add_fast(k, now, sums);
    pairs_->add_forces(cuda, now, sums);
    if (beside) branch_.join(cuda);
    if (with_slow) slow_->branch().join_if(cuda);
  }
  void add_fast(std::size_t k, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) {
    if (!computes(k)) return;
    if (others_[k]->is_divided())
      others_[k]->add_own_forces(branch_.cuda(), now, sums);
    else
      others_[k]->add_forces(branch_.cuda(), now, sums);
  }
  /// Whether this GPU computes forces of one of the others.
  bool computes(std::size_t k) const { return others_[k]->is_divided() || !peer_sums_ || peer_sums_->adds_term(k); }
  /// Whether any of the others is not slow.
  bool has_fast() const { return std::find(is_slow_.begin(), is_slow_.end(), false) != is_slow_.end(); }
  /// Returns a function that enqueues the forces of the slow terms.
  auto adding_slow() const {
    return [this](const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) {
      for (std::size_t k = 0; k < others_.size(); ++k) {
        if (!is_slow_[k]) continue;
        others_[k]->refresh(slow_->branch().cuda(), now);
        others_[k]->add_forces(slow_->branch().cuda(), now, sums);
      }
    };
  }

  Branch branch_;
  std::unique_ptr<DevicePairs<Real>> pairs_;
  std::unique_ptr<SlowForces<Real>> slow_;          ///< null: no force is slow
  std::unique_ptr<PeerForceSums<Real>> peer_sums_;  ///< null: a run on one GPU
  std::vector<std::unique_ptr<DeviceForceTerm<Real>>> others_;
  std::vector<bool> is_slow_;              ///< [others_.size()]
  std::vector<std::size_t> first_energy_;  ///< [others_.size()] index of each one's first energy
  std::vector<std::string_view> names_;    ///< of the energies of all others
  DeviceBuffer<double> d_energy_;          ///< [names_.size()]
  std::unique_ptr<Pinned<double>> h_energy_;
};

}  // namespace dropmd
