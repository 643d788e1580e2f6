#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "device/graph.cuh"
#include "device/timer.cuh"
#include "engine/device_run.h"
#include "engine/list_pace.h"
#include "engine/persistent_steps.cuh"
#include "engine/physics_guard.h"
#include "engine/rotation_removal.cuh"
#include "engine/spatial_sort.cuh"
#include "engine/state_download.cuh"
#include "engine/step_kernels.cuh"
#include "forces/device_pairs.cuh"

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
        pairs_(make_device_pairs<Real>(cuda_, system.model, {method.neighbor, method.skin}, n_atoms_, grid_.anchor)),
        piece_steps_(piece_steps(method.skin)),
        pace_(piece_steps_),
        reduction_(stream_, std::max(n_tiles_, kMostPersistentBlocks), pairs_->n_partial_energies()),
        remove_rotation_(stream_, n_atoms_),
        d_clock_(stream_),
        d_last_step_(stream_),
        d_motion_(stream_),
        d_saved_motion_(stream_),
        download_(stream_, n_atoms_) {
    d_clock_.resize(n_tiles_);
    d_last_step_.resize(1);
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
             d_clock_.data(),
             pairs_->watch(),
             pairs_->uses_tiles(),
             d_last_step_.data()};
    if (kMayPersist && PersistentSteps::suits(system, config, method))
      persistent_ = std::make_unique<PersistentSteps>(cuda_, system, config, grid_.anchor);
    stream_.synchronize("preparing a run on the device");
  }

  /// What goes on must not outlive what it works on.
  ~DeviceRunOf() override { cudaStreamSynchronize(stream_.get()); }

  void upload(const Particles& particles, std::int64_t step) override {
    stream_.activate();
    grid_.anchor = central_anchor(particles.position, 1.0);  // recentring may have moved the atoms far
    pairs_->set_anchor(grid_.anchor);
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
    if (!wait() && !last_steps_made()) {
      if (make_last_steps() && energies_under_way_) sum_energies();
      start_reading(energies_under_way_);
      wait();
    }
    if (broken()) return stop_before(broken_step());
    if (pairs_->searches()) count_builds();
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

  std::vector<std::byte> integrator_state() override {
    stream_.activate();
    Motion motion = motion_;
    d_motion_.download({&motion, 1});
    stream_.synchronize("reading the integrator");
    const auto bytes = std::as_bytes(std::span(&motion, 1));
    return {bytes.begin(), bytes.end()};
  }

  void set_integrator_state(std::span<const std::byte> state) override {
    stream_.activate();
    Motion motion = motion_;
    std::memcpy(&motion, state.data(), sizeof motion);
    d_motion_.upload({&motion, 1});
    stream_.synchronize("setting the integrator");
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
      launch_early(cuda_, steered_step_kernel<Parts, Real, Motion>, {blocks(32 * n_tiles_), kStepThreads}, doing, view_,
                   static_cast<const Motion*>(d_motion_.data()));
    else
      launch_early(cuda_, step_kernel<Parts, Real, Motion>, {blocks(32 * n_tiles_), kStepThreads}, doing, view_,
                   motion_);
  }

  void add_forces() { pairs_->add_forces(cuda_, view_.tiles, d_clock_.data(), view_.sums); }

  /// The forces at positions whose tiles are not filled, or whose atoms have a new order.
  void compute_forces(std::int64_t step) {
    if (persistent_) return make_persistent(step, step, false);
    pairs_->build_now(cuda_, view_.tiles);
    drop_void_graphs();
    pairs_->add_forces(cuda_, view_.tiles, nullptr, view_.sums);
  }

  /// Graphs know where the search was in memory.
  void drop_void_graphs() {
    if (times_grown_ == pairs_->times_grown()) return;
    times_grown_ = pairs_->times_grown();
    graph_.reset();
    energy_graph_.reset();
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
    reduction_.run(cuda_, n_tiles_, with_pairs ? pairs_->n_partial_energies() : 0);
  }

  /// All sums and energies of a complete step, to reduction_.total().
  void sum_energies() {
    if (persistent_) return make_persistent(step_, step_, true);
    if (!energy_graph_)
      energy_graph_ = std::make_unique<Graph>(cuda_, [&] {
        pairs_->energies(cuda_, view_.tiles, reduction_.pair_energies());
        sum(true);
      });
    energy_graph_->launch(cuda_);
  }

  /// Of the errors, and of the sums where some were made.
  void start_reading(bool with_sums) {
    if (with_sums) reduction_.start_reading();
    sums_.errors().start_reading();
    if (!pairs_->searches()) return;
    pairs_->start_reading();
    d_clock_.download({h_clock_.get(), 1});
  }

  bool broken() { return sums_.errors().what_was_read().has_value(); }
  /// Waits for everything; whether something broke.
  bool wait() {
    stream_.synchronize("making steps on the device");
    return broken();
  }

  ForceField::Result energies_read() const {
    const StepSums& sums = reduction_.what_was_read();
    ForceField::Result result;
    result.pairs = {sums.pairs.vdw, sums.pairs.coulomb, sums.pairs.within / (persistent_ ? 2 : 1), pairs_->examined()};
    result.energies = {sums.pairs.vdw, sums.pairs.coulomb, sums.wall,
                       0.5 * sums.motion.mv2 / system_.units.acceleration};
    return result;
  }

  /// The integrator's second part for steered integrators: the sums are needed before the velocities are final.
  void finish_and_steer() {
    on_all_tiles<Finish>();
    sum(false);
    steer_kernel<<<1, 1, 0, cuda_.get()>>>(d_motion_.data(), reduction_.total(), d_clock_.data(), view_.sums.errors);
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
    const bool searches = pairs_->searches(), sorts = step % kSortEvery == 0;
    if (searches) {
      set_target(step);
      on_all_tiles<MoveAndFill>();
    } else {
      on_all_tiles<Move>();
    }
    if (recentering(step) && config_.recenter != Recenter::none) {
      sum(false);
      const auto kernel =
          config_.recenter == Recenter::mass ? recenter_kernel<true, Real> : recenter_kernel<false, Real>;
      kernel<<<blocks(32 * n_tiles_), kStepThreads, 0, cuda_.get()>>>(view_, reduction_.total());
      DROPMD_CUDA_LAUNCHED("recentring");
    }
    if (sorts) sort_(cuda_, grid_, state_);
    if (searches && !sorts) {
      pairs_->build_if_stale(cuda_, view_.tiles);
      add_forces();
    } else {
      compute_forces(step);
    }
    finish_step();
    if (!recentering(step) || config_.remove_momentum == RemoveMomentum::none) return;
    if (make_last_steps()) remove_momentum();
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
    if (pairs_->searches()) {
      make_searching_steps(n);
      if (energies) sum_energies();
      return;
    }
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

  /// Enqueues n steps with a search. It goes stale in the midst of them, nobody knows when: what is launched of the
  /// piece then does nothing, and the next piece begins with a new search. Pieces should do for most of such runs;
  /// last_steps_made() says whether they did.
  void make_searching_steps(std::int64_t n) {
    pace_.begin(static_cast<std::uint64_t>(step_), pairs_->builds());
    set_target(step_ + n);
    on_all_tiles<MoveAndFill>();
    launch_pieces(n);
  }

  void set_target(std::int64_t step) {
    target_ = static_cast<std::uint64_t>(step);
    set_word_kernel<<<1, 1, 0, cuda_.get()>>>(d_last_step_.data(), target_);
    DROPMD_CUDA_LAUNCHED("setting the last step");
  }

  void launch_pieces(std::int64_t n) {
    if (!graph_)
      graph_ = std::make_unique<Graph>(cuda_, [&] {
        pairs_->build_if_stale(cuda_, view_.tiles);
        for (std::int64_t i = 0; i < piece_steps_; ++i) {
          add_forces();
          end_step<FinishMoveAndFill, SteeredMoveAndFill>();
        }
      });
    const std::int64_t pieces = pace_.pieces(n);
    for (std::int64_t i = 0; i < pieces; ++i) graph_->launch(cuda_);
  }

  /// Of those with a search, as far as the host has read.
  bool last_steps_made() { return !pairs_->searches() || *h_clock_ == StepClock(target_, StepClock::complete); }

  /// Makes what is left of them, with room for the search where there was none; waits. False if something broke.
  bool make_last_steps() {
    if (!pairs_->searches()) return true;
    for (;;) {
      start_reading(false);
      if (wait()) return false;
      if (last_steps_made()) {
        count_builds();
        return true;
      }
      if (pairs_->grow(cuda_)) drop_void_graphs();
      launch_pieces(static_cast<std::int64_t>(target_ - h_clock_->step()) + 1);
    }
  }

  void count_builds() { pace_.count(h_clock_->step(), pairs_->builds()); }

  /// Enqueues the steps up to `last`, and its energies where wanted.
  void make_steps(std::int64_t last, bool energies) {
    while (step_ < last) {
      if (special(step_ + 1)) {
        if (!make_last_steps()) return;
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
    target_ = static_cast<std::uint64_t>(step);
    const std::vector<StepClock> clock(n_tiles_, StepClock(target_, StepClock::complete));
    d_clock_.upload(clock);
    stream_.synchronize("setting the step");
  }

  void save() {
    saved_.copy_from(cuda_, state_);
    saved_sums_.copy_from(cuda_, sums_);
    if (Motion::kSteered) copy(d_saved_motion_, d_motion_);
    pairs_->save(cuda_);
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
    std::vector<StepClock> clock(n_tiles_);
    d_clock_.download(clock);
    stream_.synchronize("reading the step");
    std::uint64_t step = 0;
    for (const StepClock& of_tile : clock) step = std::max(step, of_tile.step());
    return static_cast<std::int64_t>(step);
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
    pairs_->restore(cuda_, view_.tiles);
    drop_void_graphs();
    if (broken > saved_step_ + 1) make_steps(broken - 1, false);
    if (!make_last_steps()) return stop_before(broken_step());
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
  std::unique_ptr<DevicePairs<Real>> pairs_;
  std::int64_t piece_steps_;  ///< with a search
  ListPace pace_;
  std::uint32_t times_grown_ = 0;  ///< by the search, when graphs were captured
  StepReduction reduction_;
  RotationRemoval remove_rotation_;
  DeviceBuffer<StepClock> d_clock_;
  Pinned<StepClock> h_clock_;  ///< of the first tile
  DeviceBuffer<std::uint64_t> d_last_step_;
  std::uint64_t target_ = 0;  ///< the last of the steps launched with a search
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
