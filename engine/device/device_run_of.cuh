#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "device/event.cuh"
#include "device/timer.cuh"
#include "engine/actions/action_list.h"
#include "engine/device/accelerated_steps.cuh"
#include "engine/device/device_run.h"
#include "engine/device/fault_recovery.cuh"
#include "engine/device/field_forces.cuh"
#include "engine/device/ordering/atom_order.cuh"
#include "engine/device/special_stages.cuh"
#include "engine/device/state_download.cuh"
#include "engine/step/one_step.h"
#include "neighbor/clusters/device_cluster_labels.cuh"

namespace dropmd {

/// The run for a precision and an integrator: it decides which steps are performed, and how, and what is read from
/// them.
template <class Real, class Motion>
class DeviceRunOf final : public DeviceRun {
 public:
  /// peer: of a run on several GPUs, which makes the same calls of each; else null.
  DeviceRunOf(const System& system, const RunSettings& config, const Method& method, std::size_t n_dof,
              const Peer* peer)
      : grid_(curve_grid(system)),
        atoms_(system, config, method, grid_.anchor, is_accelerated<Real, Motion>(system, config, method, peer), peer),
        launches_(atoms_, system, config, n_dof, peer),
        search_steps_(atoms_, launches_, method.skin),
        maker_(make_step_maker(atoms_, launches_, search_steps_, system, config, method, grid_.anchor, peer)),
        order_(atoms_.stream, atoms_.n_atoms, 1.0 / grid_.edge_inv, maker_->order_use()),
        recovery_(atoms_, launches_, search_steps_, *maker_, order_, system),
        actions_(actions_of(config, system, &order_.interval())),
        download_(atoms_.stream, atoms_.n_atoms, method.cpu),
        field_forces_(atoms_.stream, atoms_.view.fields, atoms_.n_atoms),
        done_(atoms_.stream) {
    if (maker_->order_use() == OrderUse::wide_tiles) {
      const std::uint32_t n_molecules = atoms_.molecules.any() ? atoms_.molecules.whole().n() : atoms_.n_atoms;
      grid_.far = far_from_droplet(n_molecules, 1.0 / grid_.edge_inv);
    }
    atoms_.stream.synchronize("preparing a run on the device");
  }

  /// Work on the device must not outlive the memory that it uses.
  ~DeviceRunOf() override { cudaStreamSynchronize(atoms_.stream.get()); }
  void settle() noexcept override { cudaStreamSynchronize(atoms_.stream.get()); }

  bool upload(const Particles& particles, std::int64_t step) override {
    atoms_.stream.activate();
    recovery_.forget();
    set_anchor(central_anchor(particles.position, 1.0));  // recentring may have moved the atoms far
    atoms_.state.upload(atoms_.cuda, particles);
    search_steps_.begin_at(step);
    sort_atoms();
    set_complete(step);
    recovery_.clear_faults();
    order_.begin(atoms_.cuda, atoms_.view.atoms, grid_.anchor, step);
    // Independent of earlier scales: forces follow from the positions.
    atoms_.sums.set_scale(atoms_.sums.scales().coarsest);
    maker_->refresh();
    maker_->add_terms_in_fitting_scale(step);
    start_reading(false);
    return !atoms_.wait();
  }

  void begin_with(std::span<const std::vector<double>> term_states) override { atoms_.forces.begin_with(term_states); }

  void keep() override {
    atoms_.stream.activate();
    recovery_.save(step_);
    field_forces_.compute(atoms_.cuda, atoms_.view, step_);
    download_.mark(atoms_.stream);
  }

  bool start(std::int64_t last, const StepWants& wants) override {
    atoms_.stream.activate();
    if (ahead_ && (last != step_ || wants.energies != wants_.next_energies))
      throw std::logic_error("other steps are under way than those that are started");
    if (!ahead_) {
      if (recovery_.due_at(step_)) recovery_.save(step_);
      if (wants.time) timer_.start(atoms_.stream);
      make_steps(last, wants.energies);
      if (wants.time) timer_.stop(atoms_.stream);
    }
    ahead_ = may_go_on(wants.next);
    // Read before other steps follow, so that the errors are those of these steps.
    const bool with_errors = ahead_ || others_may_fail_ || !maker_->faulty().has_value();
    if (wants.energies || with_errors) start_reading(wants.energies, with_errors);
    under_way_ = true;
    started_ = last;
    wants_ = wants;
    if (ahead_) {
      done_.record(atoms_.stream);
      make_steps(wants.next, wants.next_energies);
    }
    return ahead_;
  }

  std::int64_t starts_freely_until() const override {
    return actions_.next_due(step_, [&](const Action& action) { return !maker_->supports(action); }) - 1;
  }

  Progress finish() override {
    atoms_.stream.activate();
    under_way_ = false;
    if (ahead_)
      done_.synchronize("performing steps on the device");  // a fault of the steps after them does not concern these
    else
      wait_for_steps();
    if (atoms_.broken()) {
      ahead_ = false;
      return stop_before(recovery_.broken_step());
    }
    recovery_.note_complete(started_);
    return {started_, false, wants_.time ? timer_.seconds() : 0,
            wants_.energies ? std::optional(maker_->energies_read()) : std::nullopt};
  }

  void set_groups(const Particles& particles, std::size_t n_dof) override {
    atoms_.stream.activate();
    recovery_.forget();
    atoms_.state.upload_groups(atoms_.cuda, particles);
    launches_.set_bath_degrees(n_dof);
  }

  std::vector<std::uint32_t> cluster_labels(const ClusterLinks& links) override {
    atoms_.stream.activate();
    if (!labels_) labels_ = std::make_unique<DeviceClusterLabels>(atoms_.stream, links);
    return (*labels_)(atoms_.cuda, {atoms_.view.atoms.position, atoms_.view.atoms.host_index, atoms_.n_atoms});
  }

  ForceField::Result energies() override {
    atoms_.stream.activate();
    maker_->sum_energies(step_);
    start_reading(true);
    atoms_.wait();
    return maker_->energies_read();
  }

  void download(Particles& particles, std::span<Vec3<double>> force) override {
    atoms_.stream.activate();
    if (under_way_) {
      download_(recovery_.state(), recovery_.sums(), field_forces_, particles, force);
    } else {
      field_forces_.compute(atoms_.cuda, atoms_.view, step_);
      download_.mark(atoms_.stream);
      download_(atoms_.state, atoms_.sums, field_forces_, particles, force);
    }
  }

  DeviceArrays arrays() const override {
    const DeviceStateView atoms = atoms_.view.atoms;
    return {.device = atoms_.stream.device(),
            .n_atoms = atoms_.n_atoms,
            .position = atoms.position,
            .velocity = atoms.velocity,
            .host_index = atoms.host_index};
  }

  std::vector<Vec3<double>> slow_force() override {
    atoms_.stream.activate();
    const std::uint32_t n = atoms_.n_atoms;
    std::vector<unsigned long long> words(ForceSums<Real>::words(n));
    if (!atoms_.forces.start_download_slow(atoms_.cuda, words)) return {};
    std::vector<std::uint32_t> host_index(n);
    read(atoms_.view.atoms.host_index, std::span(host_index));
    atoms_.stream.synchronize("reading slow forces");
    std::vector<Vec3<double>> force(n);
    for (std::uint32_t k = 0; k < n; ++k) force[host_index[k]] = atoms_.sums.force(words, k);
    return force;
  }

  std::vector<double> internal_state() override {
    atoms_.stream.activate();
    return launches_.internal_state();
  }

  void load_internal_state(std::span<const double> internal_state) override {
    atoms_.stream.activate();
    recovery_.forget();
    launches_.load_internal_state(internal_state);
  }

  std::vector<std::vector<double>> term_states() const override { return atoms_.forces.states(); }

  Bookings bookings() override {
    atoms_.stream.activate();
    return atoms_.ledger.download(atoms_.cuda);
  }

  void set_bookings(const Bookings& bookings) override {
    atoms_.stream.activate();
    recovery_.forget();
    atoms_.ledger.upload(atoms_.cuda, bookings);
  }

  void add_to(RunState& state) override {
    atoms_.stream.activate();
    DeviceOrder& order = state.device;
    const DeviceStateView atoms = atoms_.view.atoms;
    const std::uint32_t n = atoms.n_atoms;
    order.host_index.resize(n);
    std::vector<unsigned long long> sums(ForceSums<Real>::words(n));
    std::vector<Vec3<double>> list_reference(atoms_.forces.pairs().searches() ? n : 0);
    read(atoms.host_index, std::span(order.host_index));
    read(atoms_.forces.pairs().displacement_check().reference, std::span(list_reference));
    atoms_.sums.start_download(atoms_.stream, sums);
    order_.add_to(atoms_.cuda, order);  // waits
    order.force_sums.assign(sums.begin(), sums.end());
    order.force_scale = atoms_.sums.scale();
    state.list_positions.resize(list_reference.size());
    for (std::size_t k = 0; k < list_reference.size(); ++k)
      state.list_positions[order.host_index[k]] = list_reference[k];
    order.anchor = grid_.anchor;
  }

  bool resume_from(const Particles& particles, const RunState& state) override {
    const DeviceOrder& order = state.device;
    const std::size_t n = atoms_.n_atoms;
    const bool fits = order.host_index.size() == n && order.sorted_positions.size() == n &&
                      order.force_sums.size() == ForceSums<Real>::words(atoms_.n_atoms) &&
                      atoms_.sums.scales().contains(order.force_scale) &&
                      state.list_positions.size() == (atoms_.forces.pairs().searches() ? n : 0);
    if (!fits || !atoms_.forces.set_states(state.term_states)) return false;
    atoms_.stream.activate();
    recovery_.forget();
    others_may_fail_ = true;
    set_anchor(order.anchor);
    launches_.load_internal_state(state.integrator_state);
    atoms_.state.upload(atoms_.cuda, particles, order.host_index);
    const std::vector<unsigned long long> sums(order.force_sums.begin(), order.force_sums.end());
    atoms_.sums.upload(sums);
    atoms_.sums.set_scale(static_cast<int>(order.force_scale));
    const std::vector search_positions = in_order<Vec3<double>>(
        state.list_positions, state.list_positions.empty() ? std::span<const std::uint32_t>() : order.host_index);
    recovery_.begin(state.step, search_positions);
    order_.resume(atoms_.cuda, order);
    set_complete(state.step);
    return true;
  }

  ReorderInterval reordering() const override { return order_.interval(); }
  void set_reordering(const ReorderInterval& reordering) override {
    recovery_.forget();
    order_.set_interval(reordering);
  }

  double largest_force() override {
    atoms_.stream.activate();
    launches_.sum(false);
    start_reading(true);
    // After a fault, forces are missing from the sums, such as those of atoms that overlap.
    return atoms_.wait() ? std::numeric_limits<double>::infinity() : launches_.largest_force_read();
  }

 private:
  /// Whether the steps up to `next` may be performed before anything is known of the steps that were started before
  /// them: no copy is due, and nothing that the host decides meanwhile changes how they are performed.
  bool may_go_on(std::int64_t next) const {
    return next > step_ && !recovery_.due_at(step_) && !atoms_.forces.pairs().searches() &&
           next <= starts_freely_until();
  }

  void set_complete(std::int64_t step) {
    step_ = step;
    recovery_.note_complete(step);
  }

  /// Waits for the steps that were started last, and performs those that still need a new neighbour structure.
  void wait_for_steps() {
    bool broken = atoms_.wait();
    if (!broken && maker_->faulty() == true) {
      start_reading(false);
      broken = atoms_.wait();
    }
    if (broken || search_steps_.last_made()) return;
    if (search_steps_.make_last() && wants_.energies) maker_->sum_energies(step_);
    start_reading(wants_.energies);
    atoms_.wait();
  }

  /// Starts to copy the sums, if some were computed, and the errors.
  void start_reading(bool with_sums, bool with_errors = true) {
    if (with_sums) {
      launches_.start_reading();
      maker_->start_reading();
    }
    if (!with_errors) return;
    others_may_fail_ = false;
    search_steps_.start_reading();
  }

  /// Starts a copy; does nothing for an empty destination.
  template <class T>
  void read(const T* d_from, std::span<T> to) const {
    if (to.empty()) return;
    DROPMD_CUDA(cudaMemcpyAsync(to.data(), d_from, to.size_bytes(), cudaMemcpyDeviceToHost, atoms_.stream.get()),
                "reading the state of the run");
  }

  void set_anchor(const Vec3<double>& anchor) {
    grid_.anchor = anchor;
    atoms_.forces.pairs().set_anchor(anchor);
    maker_->set_anchor(anchor);
  }

  /// Reorders the atoms. It works in the memory of the force sums: a move has consumed them, and the next forces begin
  /// from zero.
  void sort_atoms() {
    static_assert(SpatialSort::kBytesPerAtom <= 6 * sizeof(unsigned long long));
    order_.sort(atoms_.cuda, grid_, atoms_.state, atoms_.sums.words().data());
    atoms_.sums.clear(atoms_.cuda);
    atoms_.molecules.reordered(atoms_.cuda, atoms_.view.atoms);
    atoms_.forces.reordered(atoms_.cuda, atoms_.moment());
    maker_->reordered();
  }

  void act(const Recentring& action) { launches_.act(action); }
  void act(const Sorting&) {
    order_.measure(atoms_.cuda, atoms_.view.atoms);
    sort_atoms();
  }
  void act(const ForceScaling&) {}  // part of computing the forces
  void act(const MomentumRemoval& action) {
    if (search_steps_.make_last()) launches_.act(action);
  }

  /// The host must know the next interval; after a fault the run continues from the saved interval.
  void wait_for(const Sorting&) {
    atoms_.stream.synchronize("sorting the atoms");
    order_.decide_interval();
  }

  void make_special_step(std::int64_t step) {
    others_may_fail_ = true;
    const auto* scaling = actions_.find<ForceScaling>();
    SpecialStages stages{launches_,
                         search_steps_,
                         *maker_,
                         actions_,
                         [this](const auto& action) { act(action); },
                         [this](const auto& action) { wait_for(action); },
                         step,
                         atoms_.forces.pairs().searches(),
                         scaling != nullptr && scaling->due(step)};
    make_step(stages);
  }

  /// Enqueues the steps up to `last`, and their energies if requested.
  void make_steps(std::int64_t last, bool energies) {
    while (step_ < last) {
      // The next step that cannot be combined with others.
      const std::int64_t apart =
          actions_.next_due(step_, [&](const Action& action) { return !maker_->supports(action); });
      if (apart == step_ + 1) {
        if (!search_steps_.make_last()) return;
        make_special_step(++step_);
        if (energies && step_ == last) maker_->sum_energies(step_);
        continue;
      }
      const std::int64_t end = std::min(last, apart - 1);
      maker_->make(step_, end, energies && end == last);
      step_ = end;
    }
  }

  /// Repeats the steps before `broken` from the saved state.
  Progress stop_before(std::int64_t broken) {
    recovery_.restore();
    others_may_fail_ = true;  // the fault that was read is over, but only another copy shows that
    step_ = recovery_.saved_step();
    if (broken > step_ + 1) make_steps(broken - 1, false);
    if (!search_steps_.make_last()) return stop_before(recovery_.broken_step());
    recovery_.note_complete(step_);
    return {step_, true};
  }

  CurveGrid grid_;
  DeviceAtoms<Real> atoms_;
  StepLaunches<Real, Motion> launches_;
  SearchSteps<Real, Motion> search_steps_;
  std::unique_ptr<StepMaker> maker_;
  AtomOrder order_;
  FaultRecovery<Real, Motion> recovery_;
  ActionList actions_;
  StateDownload download_;
  std::unique_ptr<DeviceClusterLabels> labels_;  ///< constructed for the first labels
  FieldForces field_forces_;
  Event done_;  ///< of the steps that were started, while those after them are under way
  Timer timer_;
  std::int64_t step_ = 0;     ///< last complete step, or the last of those being performed
  std::int64_t started_ = 0;  ///< last of the steps that were started last
  bool ahead_ = false;        ///< whether steps after `started_` are under way
  bool under_way_ = false;
  bool others_may_fail_ = true;  ///< kernels other than those of maker_ may have run since the last start_reading()
  StepWants wants_;              ///< of the steps that were started last
};

}  // namespace dropmd
