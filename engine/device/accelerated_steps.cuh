#pragma once

#include <memory>
#include <optional>
#include <type_traits>

#include "engine/device/general_steps.cuh"
#include "engine/methods/method_parameters.h"
#include "engine/persistent/peer_exchange.cuh"
#include "engine/persistent/persistent_steps.cuh"

namespace dropmd {

/// Steps by a persistent kernel, which repeats the stages of a step (engine/step/one_step.h) without leaving the
/// device. It performs recentring within its steps; any other action interrupts it.
template <class Motion>
class AcceleratedSteps final : public StepMaker {
 public:
  /// atoms and launches must outlive this object. anchor: a point near the middle of the droplet. peer: of a run on
  /// several GPUs, else null.
  AcceleratedSteps(DeviceAtoms<float>& atoms, StepLaunches<float, Motion>& launches, const System& system,
                   const RunSettings& config, const Method& method, const Vec3<double>& anchor, const Peer* peer)
      : atoms_(atoms),
        launches_(launches),
        persistent_(atoms.cuda, system, config, method, atoms.molecules.whole(), anchor, peer),
        order_use_(needs_cutoff(method.neighbor) ? OrderUse::blocks : OrderUse::all_pairs) {
    if (peer == nullptr) return;
    exchange_.emplace(*peer, atoms, persistent_, launches.partial_sums());
    peer->group.note_publishing();
  }

  OrderUse order_use() const override { return order_use_; }
  bool supports(const Action& action) const override { return PersistentSteps::supports(action); }
  void reordered() override { persistent_.reordered(); }
  void set_anchor(const Vec3<double>& anchor) override { persistent_.set_anchor(anchor); }

  void make(std::int64_t from, std::int64_t to, bool energies) override {
    persistent_.make(atoms_.cuda, atoms_.view, from, to, energies ? launches_.partial_sums() : nullptr);
    if (exchange_) (*exchange_)(atoms_.cuda, energies);
    if (energies) launches_.reduce(persistent_.n_sums());
  }

  void refresh() override {}  // every launch of the kernel begins with it
  void add_terms(std::int64_t step) override { make(step, step, false); }
  void add_terms_in_fitting_scale(std::int64_t step) override {
    atoms_.sums.add_in_fitting_scale(atoms_.cuda, [&](const ForceSumsView<float>& sums) {
      launches_.take_over_scale();
      add_terms(step);
      atoms_.sums.note_sums(atoms_.cuda, sums);
    });
    launches_.take_over_scale();
  }
  void sum_energies(std::int64_t step) override { make(step, step, true); }

  void start_reading() const override { persistent_.start_reading(); }
  ForceField::Result energies_read() const override {
    return launches_.energies_read(2, persistent_.candidate_pairs());
  }

  void clear_fault() override { persistent_.clear_fault(); }
  std::optional<bool> faulty() const override { return persistent_.faulty(); }
  std::optional<std::int64_t> fault_step() const override { return persistent_.fault_step(atoms_.cuda); }

 private:
  DeviceAtoms<float>& atoms_;
  StepLaunches<float, Motion>& launches_;
  PersistentSteps persistent_;
  std::optional<PeerExchange> exchange_{};  ///< of a run on several GPUs
  OrderUse order_use_;
};

/// Whether a persistent kernel may perform the steps of such runs.
template <class Real, class Motion>
inline constexpr bool kMayBeAccelerated =
    std::is_same_v<Real, float> && !Motion::kGloballyCoupled && !Motion::kMinimizer;

/// Returns whether the persistent kernel, which finds pairs in its own way, performs the steps of a run. peer: of a run
/// on several GPUs, which must be connected for it.
template <class Real, class Motion>
bool is_accelerated(const System& system, const RunSettings& config, const Method& method, const Peer* peer) {
  return kMayBeAccelerated<Real, Motion> && (peer == nullptr || peer->group.passes_packets()) &&
         is_persistent(system, config, method);
}

/// Constructs the StepMaker of a run; this is the only place that chooses between the two kinds. atoms, launches and
/// search_steps must outlive the result.
template <class Real, class Motion>
std::unique_ptr<StepMaker> make_step_maker(DeviceAtoms<Real>& atoms, StepLaunches<Real, Motion>& launches,
                                           SearchSteps<Real, Motion>& search_steps, const System& system,
                                           const RunSettings& config, const Method& method, const Vec3<double>& anchor,
                                           const Peer* peer) {
  if constexpr (kMayBeAccelerated<Real, Motion>)
    if (atoms.accelerated)
      return std::make_unique<AcceleratedSteps<Motion>>(atoms, launches, system, config, method, anchor, peer);
  return std::make_unique<GeneralSteps<Real, Motion>>(atoms, launches, search_steps, system, config, method, anchor);
}

}  // namespace dropmd
