#pragma once

#include <algorithm>
#include <vector>

#include "engine/device/search_steps.cuh"
#include "engine/device/step_maker.cuh"

namespace dropmd {

/// Recovers a run whose physics broke: it saves the state before steps are performed from it, and determines which step
/// broke.
template <class Real, class Motion>
class FaultRecovery {
 public:
  /// All arguments must outlive this object.
  FaultRecovery(DeviceAtoms<Real>& atoms, StepLaunches<Real, Motion>& launches, SearchSteps<Real, Motion>& steps,
                StepMaker& maker, const System& system)
      : atoms_(atoms),
        launches_(launches),
        steps_(steps),
        maker_(maker),
        state_(atoms.stream, atoms.n_atoms),
        sums_(atoms.stream, system.model, system.particles.charge),
        d_motion_(atoms.stream) {
    d_motion_.resize(1);
  }

  /// Enqueues a copy of the complete step.
  void save(std::int64_t step) {
    save_atoms(step);
    atoms_.forces.save(atoms_.cuda);
  }

  /// Saves the atoms and sums on the device as those of a complete step, and rebuilds the neighbour structure for the
  /// positions for which it was built, given in storage order; waits.
  void begin(std::int64_t step, std::span<const Vec3<double>> search_positions) {
    save_atoms(step);
    atoms_.forces.pairs().set_saved(search_positions);
    restore();
  }

  std::int64_t saved_step() const { return step_; }
  const DeviceState& state() const { return state_; }
  const ForceSums<Real>& sums() const { return sums_; }

  /// Returns to the saved step, without faults; waits.
  void restore() {
    atoms_.state.copy_from(atoms_.cuda, state_);
    atoms_.ledger.restore(atoms_.cuda);
    if (Motion::kGloballyCoupled) copy(launches_.motion(), d_motion_);
    steps_.begin_at(step_);
    // The forces, too: a recentring step computes them before it moves the atoms.
    atoms_.sums.copy_from(atoms_.cuda, sums_);
    launches_.take_over_scale();
    clear_faults();
    atoms_.molecules.reordered(atoms_.cuda, atoms_.view.atoms);
    maker_.reordered();
    atoms_.forces.restore(atoms_.cuda, atoms_.moment(), atoms_.view.sums, step_);
    if (atoms_.view.slow.low != nullptr) launches_.spread_sites(atoms_.moment(), /*only_slow=*/true);
    launches_.project_forces(atoms_.moment());
    launches_.drop_void_graphs();
  }

  void clear_faults() {
    atoms_.sums.errors().clear();
    maker_.clear_fault();
  }

  /// Returns the step that failed. Moves count their step before it is known that they are too long, and forces belong
  /// to the step of their positions. Waits.
  std::int64_t broken_step() const {
    if (const std::optional<std::int64_t> fault = maker_.fault_step()) return *fault;
    std::vector<StepClock> clock(atoms_.n_tiles);
    atoms_.d_clock.download(clock);
    atoms_.stream.synchronize("reading the step");
    std::uint64_t step = 0;
    for (const StepClock& of_tile : clock) step = std::max(step, of_tile.step());
    return static_cast<std::int64_t>(step);
  }

 private:
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
  DeviceState state_;
  ForceSums<Real> sums_;
  DeviceBuffer<Motion> d_motion_;
  std::int64_t step_ = 0;
};

}  // namespace dropmd
