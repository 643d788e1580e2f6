#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/device/ordering/atom_order.cuh"
#include "engine/device/search_steps.cuh"
#include "engine/device/step_maker.cuh"

namespace dropmd {

/// Returns after how many steps the state is copied again: 1,024 for up to 3,906 atoms, 256 from 15,625 on. After a
/// fault at most that many steps are repeated, besides those of two calls of start(); steps of large droplets take
/// longer. A copy takes about as long as two steps of a small droplet, and steps that follow others without a wait
/// (StepWants::next) end there.
inline std::int64_t steps_between_copies(std::uint32_t n_atoms) {
  return std::clamp<std::int64_t>(4'000'000 / std::max(n_atoms, 1U), 256, 1024);
}

/// Recovers a run whose physics broke: it saves the state before steps are performed from it, and determines which step
/// broke.
template <class Real, class Motion>
class FaultRecovery {
 public:
  /// All arguments must outlive this object.
  FaultRecovery(DeviceAtoms<Real>& atoms, StepLaunches<Real, Motion>& launches, SearchSteps<Real, Motion>& steps,
                StepMaker& maker, AtomOrder& order, const System& system)
      : atoms_(atoms),
        launches_(launches),
        steps_(steps),
        maker_(maker),
        order_(order),
        steps_between_copies_(steps_between_copies(atoms.n_atoms)),
        state_(atoms.stream, atoms.n_atoms),
        sums_(atoms.stream, system.model, system.particles.charge),
        d_motion_(atoms.stream) {
    d_motion_.resize(1);
  }

  /// Whether a copy is due before steps are performed from this one.
  bool due_at(std::int64_t step) const { return !is_saved_ || step - step_ >= steps_between_copies_; }
  /// Enqueues a copy of the complete step.
  void save(std::int64_t step) {
    save_atoms(step);
    atoms_.forces.save(atoms_.cuda);
    order_.save();
    is_saved_ = true;
  }
  /// To be called when something other than steps changes the state, so that steps cannot be repeated from the copy.
  void forget() { is_saved_ = false; }
  /// To be called when a step is known to be complete.
  void note_complete(std::int64_t step) { complete_ = step; }

  /// Saves the atoms and sums on the device as those of a complete step, and rebuilds the neighbour structure for the
  /// positions for which it was built, given in storage order; waits.
  void begin(std::int64_t step, std::span<const Vec3<double>> search_positions) {
    save_atoms(step);
    atoms_.forces.pairs().set_saved(search_positions);
    return_to_copy();
  }

  std::int64_t saved_step() const { return step_; }
  const DeviceState& state() const { return state_; }
  const ForceSums<Real>& sums() const { return sums_; }

  /// Returns to the saved step and clears faults; waits.
  void restore() {
    return_to_copy();
    order_.restore();
  }

  void clear_faults() {
    atoms_.sums.errors().clear();
    maker_.clear_fault();
  }

  /// Returns the step that failed; waits. A move counts its step before it is known to be too long, and forces belong
  /// to the step of their positions. Molecules whose move failed may still have the clocks of the step before, which is
  /// not the broken one if it is known to be complete.
  std::int64_t broken_step() const { return std::max(step_of_fault(), complete_ + 1); }

 private:
  std::int64_t step_of_fault() const {
    if (const std::optional<std::int64_t> fault = maker_.fault_step()) return *fault;
    std::vector<StepClock> clock(atoms_.n_tiles);
    atoms_.d_clock.download(clock);
    atoms_.stream.synchronize("reading the step");
    std::uint64_t step = 0;
    for (const StepClock& of_tile : clock) step = std::max(step, of_tile.step());
    return static_cast<std::int64_t>(step);
  }

  void return_to_copy() {
    atoms_.state.copy_from(atoms_.cuda, state_);
    atoms_.ledger.restore(atoms_.cuda);
    if (Motion::kGloballyCoupled) copy(launches_.motion(), d_motion_);
    steps_.begin_at(step_);
    complete_ = step_;
    // The forces, too: a recentring step computes them before it moves the atoms.
    atoms_.sums.copy_from(atoms_.cuda, sums_);
    launches_.take_over_scale();
    clear_faults();
    atoms_.molecules.reordered(atoms_.cuda, atoms_.view.atoms);
    atoms_.forces.restore(atoms_.cuda, atoms_.moment(), atoms_.view.sums, step_);
    maker_.reordered();
    if (atoms_.view.slow.low != nullptr) launches_.spread_sites(atoms_.moment(), /*only_slow=*/true);
    launches_.project_forces(atoms_.moment());
    launches_.drop_void_graphs();
  }

  void save_atoms(std::int64_t step) {
    state_.copy_from(atoms_.cuda, atoms_.state);
    atoms_.ledger.save(atoms_.cuda);
    sums_.copy_from(atoms_.cuda, atoms_.sums);
    if (Motion::kGloballyCoupled) copy(d_motion_, launches_.motion());
    step_ = step;
  }
  void copy(const DeviceBuffer<Motion>& to, const DeviceBuffer<Motion>& from) const {
    DROPMD_CUDA(cudaMemcpyAsync(to.data(), from.data(), sizeof(Motion), cudaMemcpyDeviceToDevice, atoms_.cuda.get()),
                "copying the integrator");
  }

  DeviceAtoms<Real>& atoms_;
  StepLaunches<Real, Motion>& launches_;
  SearchSteps<Real, Motion>& steps_;
  StepMaker& maker_;
  AtomOrder& order_;
  std::int64_t steps_between_copies_;
  DeviceState state_;
  ForceSums<Real> sums_;
  DeviceBuffer<Motion> d_motion_;
  std::int64_t step_ = 0;      ///< of the copy
  bool is_saved_ = false;      ///< whether the steps since then can be repeated from it
  std::int64_t complete_ = 0;  ///< last step that is known to be complete
};

}  // namespace dropmd
