#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "device/graph.cuh"
#include "device/timer.cuh"
#include "engine/device_run.h"
#include "engine/persistent_steps.cuh"
#include "engine/physics_guard.h"
#include "engine/rotation_removal.cuh"
#include "engine/spatial_sort.cuh"
#include "engine/state_download.cuh"
#include "engine/step_kernels.cuh"

namespace dropmd {

/// Steps between two sortings of the atoms; divisible steps, so that a run's bytes do not depend on its outputs.
inline constexpr std::int64_t kSortEvery = 1000;
/// Steps of a graph: long pieces of a run are launched at once.
inline constexpr std::int64_t kGraphSteps = 50;
inline constexpr std::uint32_t kStepThreads = 64;
/// Room for the sums of a persistent kernel's blocks: multiprocessors of any device.
inline constexpr std::uint32_t kMostPersistentBlocks = 1024;

inline CurveGrid curve_grid(const System& system) {
  return {central_anchor(system.particles.position, 1.0), 1.0 / tile_order_edge(system.model)};
}

/// The run of a precision and an integrator.
template <class Real, class Motion>
class DeviceRunOf final : public DeviceRun {
 public:
  static constexpr bool kMayPersist = std::is_same_v<Real, float> && !Motion::kSteered && !Motion::kMinimizer;

  DeviceRunOf(const System& system, const RunConfig& config, const Method& method, std::size_t n_dof)
      : system_(system),
        config_(config),
        n_atoms_(static_cast<std::uint32_t>(system.particles.size())),
        n_tiles_(tiles_of(n_atoms_)),
        stream_(method.device),
        cuda_{stream_},
        grid_(curve_grid(system)),
        motion_(config.integrator, system.units, RunContext{config.random_seed, n_dof}),
        state_(stream_, n_atoms_),
        saved_(stream_, n_atoms_),
        sort_(stream_, n_atoms_),
        tiles_(stream_, n_atoms_),
        sums_(stream_, system.model, system.particles.charge),
        saved_sums_(stream_, system.model, system.particles.charge),
        forces_(cuda_, system.model, n_atoms_),
        reduction_(stream_, std::max(n_tiles_, kMostPersistentBlocks), forces_.n_partial_energies()),
        remove_rotation_(stream_, n_atoms_),
        d_tile_step_(stream_),
        d_motion_(stream_),
        d_saved_motion_(stream_),
        download_(stream_, n_atoms_) {
    d_tile_step_.resize(n_tiles_);
    d_motion_.resize(1);
    d_saved_motion_.resize(1);
    d_motion_.upload({&motion_, 1});
    const DeviceStateView atoms = state_.view();
    const double longest = PhysicsGuard(system).longest_move().value_or(std::numeric_limits<double>::infinity());
    view_ = {atoms,
             tiles_.view(atoms.position, atoms.charge, atoms.species),
             sums_.view(),
             AnyWall(system.wall),
             longest * longest,
             d_tile_step_.data()};
    if (kMayPersist && PersistentSteps::suits(system, config, method))
      persistent_ = std::make_unique<PersistentSteps>(cuda_, system, config, grid_.anchor);
    stream_.synchronize("preparing a run on the device");
  }

  /// What goes on must not outlive what it works on.
  ~DeviceRunOf() override { cudaStreamSynchronize(stream_.get()); }

  void upload(const Particles& particles, std::int64_t step) override {
    stream_.activate();
    state_.upload(cuda_, particles, system_.pair_species);
    set_step(step);
    sort_(cuda_, grid_, state_);
    step_ = step;
    sums_.clear(cuda_);
    clear_faults();
    compute_forces(step);
  }

  void start(std::int64_t last, bool energies) override {
    stream_.activate();
    save();
    timer_.start(stream_);
    make_steps(last, energies);
    timer_.stop(stream_);
    start_reading(energies);
    under_way_ = true;
    energies_under_way_ = energies;
  }

  Progress finish() override {
    stream_.activate();
    under_way_ = false;
    if (wait()) return stop_before(broken_step());
    return {step_, false, timer_.seconds(), energies_under_way_ ? std::optional(energies_read()) : std::nullopt};
  }

  ForceField::Result energies() override {
    stream_.activate();
    sum_energies();
    start_reading(true);
    wait();
    return energies_read();
  }

  void download(Particles& particles, std::span<Vec3<double>> force) override {
    stream_.activate();
    if (under_way_) {
      download_(saved_, saved_sums_, particles, force);
    } else {
      download_.mark(stream_);
      download_(state_, sums_, particles, force);
    }
    for (std::uint32_t i = 0; i < n_atoms_; ++i) force[i] += view_.wall(particles.position[i]).force;
  }

  double largest_force() override {
    stream_.activate();
    sum(false);
    start_reading(true);
    wait();
    return std::sqrt(reduction_.what_was_read().largest_f2);
  }

 private:
  std::uint32_t blocks(std::uint32_t threads) const { return (threads + kStepThreads - 1) / kStepThreads; }

  template <class Parts>
  void on_all_tiles() {
    const char* const doing = "moving the atoms";
    if constexpr (Motion::kSteered)
      launch_early(cuda_, steered_step_kernel<Parts, Real, Motion>, blocks(32 * n_tiles_), kStepThreads, doing, view_,
                   static_cast<const Motion*>(d_motion_.data()));
    else
      launch_early(cuda_, step_kernel<Parts, Real, Motion>, blocks(32 * n_tiles_), kStepThreads, doing, view_, motion_);
  }

  void add_forces() { forces_.add_forces(cuda_, view_.tiles, view_.sums); }

  /// The forces at positions that no step has made.
  void compute_forces(std::int64_t step) {
    if (persistent_) return make_persistent(step, step, false);
    fill_tiles(cuda_, view_.tiles);
    add_forces();
  }

  void make_persistent(std::int64_t from, std::int64_t to, bool energies) {
    if constexpr (kMayPersist) {
      persistent_->make(cuda_, view_, from, to, energies ? reduction_.sums() : nullptr);
      if (energies) reduction_.run(cuda_, persistent_->blocks(), 0);
    }
  }

  /// Sums over the atoms, and over the pairs where their energies were computed, to reduction_.total().
  void sum(bool with_pairs) {
    tile_sums_kernel<<<blocks(32 * n_tiles_), kStepThreads, 0, cuda_.get()>>>(view_, reduction_.sums());
    DROPMD_CUDA_LAUNCHED("summing over the atoms");
    reduction_.run(cuda_, n_tiles_, with_pairs ? forces_.n_partial_energies() : 0);
  }

  /// All sums and energies of a complete step, to reduction_.total().
  void sum_energies() {
    if (persistent_) return make_persistent(step_, step_, true);
    if (!energy_graph_)
      energy_graph_ = std::make_unique<Graph>(cuda_, [&] {
        forces_.energies(cuda_, view_.tiles, reduction_.pair_energies());
        sum(true);
      });
    energy_graph_->launch(cuda_);
  }

  /// Of the errors, and of the sums where some were made.
  void start_reading(bool with_sums) {
    if (with_sums) reduction_.start_reading();
    sums_.errors().start_reading();
  }

  /// Waits for everything; whether something broke.
  bool wait() {
    stream_.synchronize("making steps on the device");
    return sums_.errors().what_was_read().has_value();
  }

  ForceField::Result energies_read() const {
    const StepSums& sums = reduction_.what_was_read();
    ForceField::Result result;
    result.pairs = {sums.pairs.vdw, sums.pairs.coulomb, sums.pairs.within / (persistent_ ? 2 : 1),
                    std::uint64_t{n_atoms_} * (n_atoms_ - 1) / 2};
    result.energies = {sums.pairs.vdw, sums.pairs.coulomb, sums.wall,
                       0.5 * sums.motion.mv2 / system_.units.acceleration};
    return result;
  }

  /// The integrator's second part for steered integrators: the sums are needed before the velocities are final.
  void finish_and_steer() {
    on_all_tiles<Finish>();
    sum(false);
    steer_kernel<<<1, 1, 0, cuda_.get()>>>(d_motion_.data(), reduction_.total(), d_tile_step_.data(),
                                           view_.sums.errors);
    DROPMD_CUDA_LAUNCHED("steering the integrator");
  }

  /// Ends a step and does what else the kernel does: in one kernel, or, steered, after the sums.
  template <class WithFinish, class AfterSteering>
  void end_step() {
    if constexpr (Motion::kSteered) {
      finish_and_steer();
      on_all_tiles<AfterSteering>();
    } else {
      on_all_tiles<WithFinish>();
    }
  }

  /// From the forces of one plain step to those of the next.
  void next_plain_step() {
    end_step<FinishMoveAndFill, SteeredMoveAndFill>();
    add_forces();
  }

  void finish_step() { end_step<Finish, Steered>(); }

  bool recentering(std::int64_t step) const { return config_.recenter_every > 0 && step % config_.recenter_every == 0; }
  bool special(std::int64_t step) const {
    if (step % kSortEvery == 0) return true;
    return recentering(step) && !(persistent_ && config_.remove_momentum == RemoveMomentum::none);
  }

  /// From a complete step to the complete step after it, with all that happens at intervals.
  void make_special_step(std::int64_t step) {
    on_all_tiles<Move>();
    if (recentering(step) && config_.recenter != Recenter::none) {
      sum(false);
      const auto kernel =
          config_.recenter == Recenter::mass ? recenter_kernel<true, Real> : recenter_kernel<false, Real>;
      kernel<<<blocks(32 * n_tiles_), kStepThreads, 0, cuda_.get()>>>(view_, reduction_.total());
      DROPMD_CUDA_LAUNCHED("recentring");
    }
    if (step % kSortEvery == 0) sort_(cuda_, grid_, state_);
    compute_forces(step);
    finish_step();
    if (recentering(step)) remove_momentum();
  }

  void remove_momentum() {
    const RemoveMomentum which = config_.remove_momentum;
    if (which == RemoveMomentum::linear || which == RemoveMomentum::both) {
      sum(false);
      remove_momentum_kernel<<<blocks(n_atoms_), kStepThreads, 0, cuda_.get()>>>(view_, reduction_.total());
      DROPMD_CUDA_LAUNCHED("removing the momentum");
    }
    if (which == RemoveMomentum::angular || which == RemoveMomentum::both) {
      sum(false);
      remove_rotation_(cuda_, view_.atoms, reduction_.total(), view_.sums.errors);
    }
  }

  /// n steps from a complete step to a complete step, with nothing special among them.
  void make_plain_steps(std::int64_t n, bool energies) {
    if (persistent_) return make_persistent(step_, step_ + n, energies);
    on_all_tiles<MoveAndFill>();
    add_forces();
    for (std::int64_t made = 1; made < n;) {
      if (n - made >= kGraphSteps) {
        if (!graph_)
          graph_ = std::make_unique<Graph>(cuda_, [&] {
            for (std::int64_t i = 0; i < kGraphSteps; ++i) next_plain_step();
          });
        graph_->launch(cuda_);
        made += kGraphSteps;
      } else {
        next_plain_step();
        ++made;
      }
    }
    finish_step();
    if (energies) sum_energies();
  }

  /// Enqueues the steps up to `last`, and its energies where wanted.
  void make_steps(std::int64_t last, bool energies) {
    while (step_ < last) {
      if (special(step_ + 1)) {
        make_special_step(++step_);
        if (energies && step_ == last) sum_energies();
        continue;
      }
      std::int64_t end = step_ + 1;
      while (end < last && !special(end + 1)) ++end;
      make_plain_steps(end - step_, energies && end == last);
      step_ = end;
    }
  }

  void set_step(std::int64_t step) {
    const std::vector<std::uint64_t> steps(n_tiles_, static_cast<std::uint64_t>(step));
    d_tile_step_.upload(steps);
    stream_.synchronize("setting the step");
  }

  void save() {
    saved_.copy_from(cuda_, state_);
    saved_sums_.copy_from(cuda_, sums_);
    if (Motion::kSteered) copy(d_saved_motion_, d_motion_);
    saved_step_ = step_;
    download_.mark(stream_);
  }

  void copy(const DeviceBuffer<Motion>& to, const DeviceBuffer<Motion>& from) const {
    DROPMD_CUDA(cudaMemcpyAsync(to.data(), from.data(), sizeof(Motion), cudaMemcpyDeviceToDevice, cuda_.get()),
                "copying the integrator");
  }

  /// The step that could not be made: moves count their step before it is known that they are too long, and forces
  /// belong to the step of their positions.
  std::int64_t broken_step() const {
    if (persistent_)
      if (const std::optional<std::int64_t> fault = persistent_->fault_step(cuda_)) return *fault;
    std::vector<std::uint64_t> steps(n_tiles_);
    d_tile_step_.download(steps);
    stream_.synchronize("reading the step");
    return static_cast<std::int64_t>(*std::max_element(steps.begin(), steps.end()));
  }

  void clear_faults() {
    sums_.errors().clear();
    if (persistent_) persistent_->clear_fault();
  }

  /// Makes the steps before `broken` again, from the state that was saved.
  Progress stop_before(std::int64_t broken) {
    state_.copy_from(cuda_, saved_);
    if (Motion::kSteered) copy(d_motion_, d_saved_motion_);
    set_step(saved_step_);
    step_ = saved_step_;
    // The forces, too: a recentring step computes them before it has moved the atoms.
    sums_.copy_from(cuda_, saved_sums_);
    clear_faults();
    fill_tiles(cuda_, view_.tiles);
    if (broken > saved_step_ + 1) make_steps(broken - 1, false);
    return {step_, true};
  }

  const System& system_;
  const RunConfig& config_;
  std::uint32_t n_atoms_;
  std::uint32_t n_tiles_;
  Stream stream_;
  Cuda cuda_;
  CurveGrid grid_;
  Motion motion_;
  DeviceState state_;
  DeviceState saved_;  ///< before the last call to start
  SpatialSort sort_;
  AtomTiles<Real> tiles_;
  ForceSums<Real> sums_;
  ForceSums<Real> saved_sums_;
  TileForces<Real> forces_;
  StepReduction reduction_;
  RotationRemoval remove_rotation_;
  DeviceBuffer<std::uint64_t> d_tile_step_;
  DeviceBuffer<Motion> d_motion_;
  DeviceBuffer<Motion> d_saved_motion_;
  StateDownload download_;
  StepView<Real> view_{};
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Graph> energy_graph_;
  std::unique_ptr<PersistentSteps> persistent_;  ///< for small droplets: tiles are not used then
  Timer timer_;
  std::int64_t step_ = 0;  ///< last complete step, or the last of those under way
  std::int64_t saved_step_ = 0;
  bool under_way_ = false;
  bool energies_under_way_ = false;
};

}  // namespace dropmd
