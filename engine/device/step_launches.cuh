#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "device/device_info.h"
#include "device/graph.cuh"
#include "device/loop_graph.cuh"
#include "engine/actions/action.h"
#include "engine/degrees_of_freedom.h"
#include "engine/device/device_atoms.cuh"
#include "engine/device/peers/own_atoms.cuh"
#include "engine/device/rotation_removal.cuh"
#include "engine/device/step_kernels.cuh"

namespace dropmd {

inline constexpr std::uint32_t kStepThreads = 64;

/// What a graph of steps consists of: steps in the middle of many, or one that is performed alone.
enum class GraphOf { many_steps, one_step };

/// The launches of which steps consist: parts of the integrator, forces, sums, recentring. Unless stated otherwise they
/// do not wait, and they do not depend on the number of the step.
template <class Real, class Motion>
class StepLaunches {
 public:
  /// atoms and system must outlive this. peer: of a run on several GPUs, else null.
  StepLaunches(DeviceAtoms<Real>& atoms, const System& system, const RunSettings& config, std::size_t n_dof,
               const Peer* peer)
      : atoms_(atoms),
        system_(system),
        names_(energy_names(system)),
        motion_(config.integrator, system.units, RunContext{config.random_seed, bath_degrees(system, config, n_dof)}),
        n_partial_energies_(atoms.forces.pairs().n_partial_energies()),
        reduction_(atoms.stream, atoms.n_tiles, n_partial_energies_),
        remove_rotation_(atoms.stream, atoms.n_atoms),
        d_motion_(atoms.stream),
        multiprocessors_(require_device(atoms.stream.device()).multiprocessors) {
    atoms.view.timestep = motion_.timestep();
    d_motion_.resize(1);
    d_motion_.upload({&motion_, 1});
    atoms.forces.prepare_energies(atoms.cuda, reduction_.pair_energies());
    if (kMayOwnAtoms<Motion> && OwnAtoms<Real>::suit(peer, atoms)) own_.emplace(*peer, system, atoms);
  }

  /// To be called when the atoms are those of a complete step, without a fault.
  void begin() {
    if (own_) own_->begin();
  }
  /// To be called when the atoms, the molecules and the force terms are in another order.
  void reordered() {
    if (own_) own_->reordered(atoms_.cuda);
  }
  /// To be called after fused steps: in a run on several GPUs, each then has the state of all atoms.
  void complete_atoms() {
    if (own_) own_->complete(atoms_.cuda);
  }

  const DeviceBuffer<Motion>& motion() const { return d_motion_; }
  /// Reads the integrator's internal state; this function and the next one wait for the stream.
  std::vector<double> internal_state() const {
    Motion motion = motion_;
    d_motion_.download({&motion, 1});
    atoms_.stream.synchronize("reading the integrator");
    return internal_state_of(motion);
  }
  void load_internal_state(std::span<const double> internal_state) {
    Motion motion = motion_;
    load_internal_state_of(motion, internal_state);
    d_motion_.upload({&motion, 1});
    atoms_.stream.synchronize("setting the integrator");
  }

  /// Sets the number of degrees of freedom of the atoms in the bath; waits for the stream.
  void set_bath_degrees(std::size_t n_dof) {
    if constexpr (CountsDegrees<Motion>) {
      const std::vector<double> internal_state = this->internal_state();
      motion_.set_degrees(n_dof);
      load_internal_state(internal_state);
    }
  }

  void move() { on_all_tiles<Move>(false); }
  void move_and_fill() { on_all_tiles<MoveAndFill>(false); }
  void add_forces() { spread_forces(add_forces_on_sites()); }
  /// The same for a step whose end passes the forces of clusters' sites on to their parents.
  void add_forces_of_fused_step() {
    if (own_) return atoms_.forces.add_own_forces(atoms_.cuda, atoms_.moment(atoms_.d_clock.data()), atoms_.view.sums);
    const DeviceMoment<Real> now = add_forces_on_sites();
    spread(atoms_.molecules.loose_sites(), now, /*only_slow=*/false);
    project_forces(now);
  }
  /// Passes the forces of virtual sites on to their parents, and projects those of a minimiser on the constraints.
  void spread_forces(const DeviceMoment<Real>& now) {
    spread_sites(now, /*only_slow=*/false);
    project_forces(now);
  }
  /// Passes the forces of virtual sites on to their parents. only_slow: those in the sums of slow forces alone.
  void spread_sites(const DeviceMoment<Real>& now, bool only_slow) { spread(atoms_.molecules.sites(), now, only_slow); }
  /// Projects the forces of a minimiser on the constraints.
  void project_forces(const DeviceMoment<Real>& now) {
    if (atoms_.view.projected == nullptr) return;
    project_forces_kernel<Real><<<cluster_blocks(), MoleculeTuning::kThreads, 0, atoms_.cuda.get()>>>(
        atoms_.view, atoms_.molecules.clusters(), now);
    DROPMD_CUDA_LAUNCHED("projecting forces on the constraints");
  }
  /// Places the virtual sites of atoms that have moved.
  void place_sites() {
    if (atoms_.molecules.sites().n_blocks == 0) return;
    place_sites_of_moved_kernel<Real>
        <<<atoms_.molecules.sites().n_blocks, MoleculeTuning::kThreads, 0, atoms_.cuda.get()>>>(
            atoms_.view, atoms_.molecules.sites());
    DROPMD_CUDA_LAUNCHED("placing virtual sites");
  }
  void finish_step() { end_step<Finish, Coupled>(/*fused=*/false); }
  /// The same after add_forces_of_fused_step().
  void finish_fused_step() {
    if (own_) return step_own_atoms<Finish>();
    end_step<Finish, Coupled>(/*fused=*/true);
  }
  /// Ends such a step and moves the atoms to the next one.
  void finish_and_move() {
    if (own_) return step_own_atoms<FinishMoveAndFill>();
    end_step<FinishMoveAndFill, CoupledMoveAndFill>(/*fused=*/true);
  }

  /// Refreshes what the forces read, such as a stale neighbour structure.
  void refresh() {
    if (own_) own_->take_positions(atoms_.cuda, atoms_.view);
    atoms_.forces.refresh(atoms_.cuda, atoms_.moment());
  }

  /// Passes the present scale of the force sums on to the kernels; graphs that were captured with another scale are
  /// dropped.
  void take_over_scale() {
    const ForceSumsView<Real> sums = atoms_.sums.view();
    if (sums.quantum == atoms_.view.sums.quantum) return;
    atoms_.view.sums = sums;
    drop_graphs();
  }

  /// Launches what `enqueue` enqueues as a graph, which is captured at the first call for these steps and kept.
  /// `enqueue` must be the same for them throughout a run.
  template <class Enqueue>
  void launch_graph(GraphOf steps, const Enqueue& enqueue) {
    std::unique_ptr<Graph>& graph = steps == GraphOf::one_step ? step_graph_ : graph_;
    if (!graph) graph = std::make_unique<Graph>(atoms_.cuda, enqueue);
    graph->launch(atoms_.cuda);
  }

  /// The same for a loop graph that `make` returns.
  template <class Make>
  void launch_loop(const Make& make) {
    if (!loop_) loop_.emplace(make());
    loop_->launch(atoms_.cuda);
  }

  /// Drops the graphs if a force term has reallocated memory, since they contain its addresses.
  void drop_void_graphs() {
    if (times_reallocated_ == atoms_.forces.times_reallocated()) return;
    times_reallocated_ = atoms_.forces.times_reallocated();
    drop_graphs();
  }
  /// Drops all graphs, for example because the anchor has changed.
  void drop_graphs() {
    graph_.reset();
    step_graph_.reset();
    loop_.reset();
    energy_graph_.reset();
  }

  /// Sums over the atoms, and over the pairs if their energies have been computed, into total(). of_droplet: over the
  /// droplet's members alone.
  void sum(bool with_pairs, bool of_droplet = false) {
    tile_sums_kernel<<<blocks(32 * atoms_.n_tiles), kStepThreads, 0, atoms_.cuda.get()>>>(atoms_.view, of_droplet,
                                                                                          reduction_.sums());
    DROPMD_CUDA_LAUNCHED("summing over the atoms");
    if (with_pairs && add_up_) return add_up_();
    reduction_.run(atoms_.cuda, atoms_.n_tiles, with_pairs ? n_partial_energies_ : 0);
  }

  /// Computes all sums and energies of the complete step into total().
  void sum_energies() {
    if (!energy_graph_)
      energy_graph_ = std::make_unique<Graph>(atoms_.cuda, [&] {
        if (pair_energies_)
          pair_energies_(reduction_.pair_energies());
        else
          atoms_.forces.energies(atoms_.cuda, atoms_.moment(), reduction_.pair_energies());
        sum(true);
      });
    energy_graph_->launch(atoms_.cuda);
    sum_ledger();
  }
  /// Replaces the functions that compute the energies of pairs, which must be the only force terms, and add up sums
  /// with these energies; to be called before all steps. compute(d_partial): must enqueue the energies; d_partial:
  /// [n_partial]. add_up(): must enqueue the computation of total() from partial_sums() and partial_energies().
  void set_sums(std::uint32_t n_partial, std::function<void(PartialEnergy*)> compute, std::function<void()> add_up) {
    n_partial_energies_ = n_partial;
    reduction_.make_room(atoms_.cuda, n_partial);
    pair_energies_ = std::move(compute);
    add_up_ = std::move(add_up);
  }

  /// Memory for sums that are computed elsewhere: for one of each tile, at least kMostPersistentSums in all, and for
  /// the energies of set_sums().
  StepSums* partial_sums() { return reduction_.sums(); }
  PartialEnergy* partial_energies() { return reduction_.pair_energies(); }
  /// Reduces the first n partial sums into total(), and sums the ledger.
  void reduce(std::uint32_t n) {
    reduction_.run(atoms_.cuda, n, 0);
    sum_ledger();
  }
  void sum_ledger() { atoms_.ledger.sum(atoms_.cuda); }

  StepSums* total() const { return reduction_.total(); }
  /// Starts a copy of the sums to the host. The functions below return what was read, after a wait.
  void start_reading() const {
    reduction_.start_reading();
    atoms_.forces.start_reading_energies(atoms_.cuda);
    atoms_.ledger.start_reading();
  }
  double largest_force_read() const { return std::sqrt(reduction_.what_was_read().largest_f2); }
  /// times_counted: how often the sums count each pair; candidate_pairs: number of pairs whose distance was computed.
  ForceField::Result energies_read(std::uint64_t times_counted, std::uint64_t candidate_pairs) const {
    const StepSums& sums = reduction_.what_was_read();
    ForceField::Result result;
    result.pairs = {sums.pairs.vdw, sums.pairs.coulomb, sums.pairs.within / times_counted, candidate_pairs};
    result.energies = Energies(names_);
    result.energies.add(kVdwEnergy, sums.pairs.vdw);
    result.energies.add(kCoulombEnergy, sums.pairs.coulomb);
    atoms_.forces.add_energies_read(result.energies);
    atoms_.view.fields.for_each([&]<class Term>(const Term& term, std::size_t k) {
      if (term.acts()) result.energies.add(Term::kEnergy, sums.fields[k]);
    });
    result.energies.kinetic = 0.5 * sums.motion.mv2 / system_.units.acceleration;
    result.ledger = atoms_.ledger.what_was_read();
    return result;
  }

  void act(const Recentring& action) {
    if (action.which == Recenter::none) return;
    sum(false, action.which == Recenter::droplet);
    const auto kernel =
        action.which != Recenter::geometric ? recenter_kernel<true, Real> : recenter_kernel<false, Real>;
    kernel<<<blocks(32 * atoms_.n_tiles), kStepThreads, 0, atoms_.cuda.get()>>>(atoms_.view, reduction_.total());
    DROPMD_CUDA_LAUNCHED("recentring");
  }

  void act(const MomentumRemoval& action) {
    const RemoveMomentum which = action.which;
    if (removes_linear(which)) {
      sum(false, action.of_droplet);
      remove_momentum_kernel<<<blocks(atoms_.n_atoms), kStepThreads, 0, atoms_.cuda.get()>>>(
          atoms_.view, action.of_droplet, reduction_.total());
      DROPMD_CUDA_LAUNCHED("removing the momentum");
    }
    if (removes_angular(which)) {
      sum(false, action.of_droplet);
      remove_rotation_(atoms_.cuda, atoms_.view.atoms, action.of_droplet, reduction_.total(), atoms_.view.ledger,
                       atoms_.view.sums.errors);
    }
  }

 private:
  static std::uint32_t blocks(std::uint32_t threads) { return (threads + kStepThreads - 1) / kStepThreads; }

  /// Adds the forces, also on virtual sites, and returns their moment.
  DeviceMoment<Real> add_forces_on_sites() {
    const DeviceMoment<Real> now = atoms_.moment(atoms_.d_clock.data());
    atoms_.forces.add_forces(atoms_.cuda, now, atoms_.view.sums);
    return now;
  }
  void spread(const SiteViews& sites, const DeviceMoment<Real>& now, bool only_slow) {
    if (sites.n_blocks == 0) return;
    launch_early(atoms_.cuda, spread_sites_kernel<Real>, {sites.n_blocks, MoleculeTuning::kThreads},
                 "spreading the forces of virtual sites", atoms_.view, sites, now, only_slow);
  }

  /// spreads: whether a kernel that ends a step has to pass on the forces of clusters' sites.
  template <class Parts>
  void on_all_tiles(bool spreads) {
    const char* const doing = "moving the atoms";
    if (atoms_.molecules.any()) return on_all_clusters<Parts>(spreads);
    if constexpr (Motion::kGloballyCoupled)
      launch_early(atoms_.cuda, coupled_step_kernel<Parts, Real, Motion>, {blocks(32 * atoms_.n_tiles), kStepThreads},
                   doing, atoms_.view, static_cast<const Motion*>(d_motion_.data()));
    else
      launch_early(atoms_.cuda, step_kernel<Parts, Real, Motion>, {blocks(32 * atoms_.n_tiles), kStepThreads}, doing,
                   atoms_.view, motion_);
  }

  /// The same for molecules; the sites are placed if the next forces are computed at once.
  template <class Parts>
  void on_all_clusters(bool spreads) {
    const char* const doing = "moving the molecules";
    const DeviceMolecules& molecules = atoms_.molecules;
    constexpr std::uint32_t kThreads = MoleculeTuning::kThreads;
    // The last kernel advances the clocks.
    const bool places = Parts::kFill && molecules.loose_sites().n_blocks > 0,
               completes = !atoms_.forces.pairs().searches();
    std::uint32_t* const d_arrived = completes ? nullptr : molecules.arrived();
    std::uint32_t* const d_arrived_clusters = places ? nullptr : d_arrived;
    const auto step_clusters = [&](const auto& kernel, const auto& motion) {
      launch_early(atoms_.cuda, kernel, {cluster_blocks(), kThreads}, doing, atoms_.view, motion, molecules.clusters(),
                   spreads, d_arrived_clusters);
    };
    const auto step_kinds = [&]<ClusterKinds kKinds>() {
      if constexpr (Motion::kGloballyCoupled)
        step_clusters(coupled_cluster_step_kernel<Parts, kKinds, Real, Motion>,
                      static_cast<const Motion*>(d_motion_.data()));
      else
        step_clusters(cluster_step_kernel<Parts, kKinds, Real, Motion>, motion_);
    };
    with_cluster_kinds(molecules.clusters().kinds(), step_kinds);
    if (places)
      launch_early(atoms_.cuda, place_sites_kernel<Parts, Motion::kGloballyCoupled, Real>,
                   {molecules.loose_sites().n_blocks, kThreads}, doing, atoms_.view, molecules.loose_sites(),
                   d_arrived);
    if (completes) complete_step_of_molecules<Parts>();
  }
  /// Without a neighbour structure: fills the tiles with the new positions and advances the clocks.
  template <class Parts>
  void complete_step_of_molecules() {
    launch_early(atoms_.cuda, complete_step_kernel<Parts, Real, Motion::kGloballyCoupled>,
                 {blocks(32 * atoms_.n_tiles), kStepThreads}, "moving the molecules", atoms_.view);
  }
  std::uint32_t cluster_blocks() const { return atoms_.molecules.clusters().blocks_at_once(multiprocessors_); }

  /// Performs the parts of a step for this GPU's own atoms.
  template <class Parts>
  void step_own_atoms() {
    if constexpr (kMayOwnAtoms<Motion>) {
      if (!atoms_.molecules.any()) return own_->template step_tiles<Parts>(atoms_.cuda, atoms_.view, motion_);
      own_->step_molecules(atoms_.cuda, atoms_.view, motion_, cluster_blocks(), Parts::kMove);
      if (!atoms_.forces.pairs().searches()) complete_step_of_molecules<Parts>();
    }
  }

  /// Second part of a globally coupled integrator: it needs the sums before the velocities are final.
  void finish_and_couple(bool fused) {
    on_all_tiles<Finish>(fused);
    sum(false);
    coupling_kernel<<<1, 1, 0, atoms_.cuda.get()>>>(d_motion_.data(), reduction_.total(), atoms_.d_clock.data(),
                                                    atoms_.view.sums.errors);
    DROPMD_CUDA_LAUNCHED("coupling the integrator");
  }

  /// Ends a step and performs the other parts of the kernel: in one kernel or, if globally coupled, after the sums.
  template <class WithFinish, class AfterCoupling>
  void end_step(bool fused) {
    if constexpr (Motion::kGloballyCoupled) {
      finish_and_couple(fused);
      on_all_tiles<AfterCoupling>(fused);
    } else {
      on_all_tiles<WithFinish>(fused);
    }
  }

  DeviceAtoms<Real>& atoms_;
  const System& system_;
  std::vector<std::string_view> names_;  ///< names of the energies
  Motion motion_;
  std::uint32_t n_partial_energies_;
  std::function<void(PartialEnergy*)> pair_energies_{};  ///< empty: those of the force field
  std::function<void()> add_up_{};                       ///< empty: the reduction
  StepReduction reduction_;
  RotationRemoval remove_rotation_;
  DeviceBuffer<Motion> d_motion_;
  int multiprocessors_;
  std::optional<OwnAtoms<Real>> own_;    ///< of a run on several GPUs that divides the atoms
  std::uint32_t times_reallocated_ = 0;  ///< DeviceForces::times_reallocated() when graphs were captured
  std::unique_ptr<Graph> graph_, step_graph_, energy_graph_;
  std::optional<LoopGraph> loop_;
};

/// The stages of steps at which no action is due (engine/step/one_step.h). kRefreshes: every step checks whether the
/// search is stale.
template <class Real, class Motion, bool kRefreshes>
struct FusedStages {
  StepLaunches<Real, Motion>& launches;

  void move() { launches.move_and_fill(); }
  void refresh() requires kRefreshes { launches.refresh(); }
  void add_terms() { launches.add_forces_of_fused_step(); }
  void finish_and_move() { launches.finish_and_move(); }
  void finish() { launches.finish_fused_step(); }
};

}  // namespace dropmd
