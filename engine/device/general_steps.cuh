#pragma once

#include <optional>
#include <type_traits>

#include "engine/device/search_steps.cuh"
#include "engine/device/step_maker.cuh"
#include "engine/methods/catalogue.h"
#include "engine/persistent/tile_steps.cuh"
#include "engine/step/one_step.h"

namespace dropmd {

/// Steps per graph; a graph is launched as a whole.
inline constexpr std::int64_t kGraphSteps = 50;

/// Performs the steps of any run by a kernel for each stage: in loops on the device with a neighbour structure,
/// otherwise in graphs. A step that is performed alone, which a program may ask for, has a graph, too.
template <class Real, class Motion>
class GeneralSteps final : public StepMaker {
 public:
  /// All arguments except the method must outlive this.
  GeneralSteps(DeviceAtoms<Real>& atoms, StepLaunches<Real, Motion>& launches, SearchSteps<Real, Motion>& search_steps,
               const System& system, const RunSettings& config, const Method& method, const Vec3<double>& anchor)
      : atoms_(atoms), launches_(launches), search_steps_(search_steps), searches_(needs_cutoff(method.neighbor)) {
    if constexpr (std::is_same_v<Real, float>)
      if (TileSteps::suits(system, config, method)) {
        tile_steps_.emplace(atoms.cuda, system, config, method, atoms.molecules, anchor);
        launches.set_sums(
            tile_steps_->n_partial_energies(),
            [this](PartialEnergy* d_partial) { tile_steps_->energies(atoms_.cuda, atoms_.view, d_partial); },
            [this] { tile_steps_->add_up(atoms_.cuda, atoms_.n_tiles, stored_sums()); });
      }
  }

  OrderUse order_use() const override {
    return tile_steps_ ? OrderUse::wide_tiles : searches_ ? OrderUse::search : OrderUse::all_pairs;
  }
  bool supports(const Action& action) const override { return tile_steps_ && TileSteps::supports(action); }
  void reordered() override { launches_.reordered(); }
  void set_anchor(const Vec3<double>& anchor) override {
    launches_.drop_graphs();
    if (tile_steps_) tile_steps_->set_anchor(anchor);
  }

  void make(std::int64_t from, std::int64_t to, bool energies) override {
    if constexpr (std::is_same_v<Real, float>)
      if (tile_steps_) return make_tile_steps(from, to - from, energies);
    if (atoms_.forces.pairs().searches())
      search_steps_.make(to);
    else
      make_without_search(to - from);
    if (energies) launches_.sum_energies();
  }

  void refresh() override {
    atoms_.forces.rebuild(atoms_.cuda, atoms_.moment());
    launches_.drop_void_graphs();
  }
  void add_terms(std::int64_t step) override {
    atoms_.forces.add_forces_of(step, atoms_.cuda, atoms_.moment(), atoms_.view.sums);
    launches_.spread_forces(atoms_.moment());
  }
  void add_terms_in_fitting_scale(std::int64_t step) override {
    atoms_.sums.add_in_fitting_scale(atoms_.cuda, [&](const ForceSumsView<Real>& sums) {
      atoms_.forces.add_forces_of(step, atoms_.cuda, atoms_.moment(), sums);
    });
    launches_.take_over_scale();
    launches_.spread_forces(atoms_.moment());
  }
  void sum_energies(std::int64_t) override { launches_.sum_energies(); }

  void start_reading() const override {}
  ForceField::Result energies_read() const override {
    return launches_.energies_read(1, atoms_.forces.pairs().candidate_pairs());
  }

  void clear_fault() override {}
  std::optional<bool> faulty() const override {
    if (atoms_.forces.pairs().searches()) return std::nullopt;
    return atoms_.sums.errors().any();
  }
  std::optional<std::int64_t> fault_step() const override { return std::nullopt; }

 private:
  tile_steps::StoredSums stored_sums() const {
    return {launches_.total(), launches_.partial_sums(), launches_.partial_energies()};
  }
  void make_tile_steps(std::int64_t from, std::int64_t n, bool energies) requires std::is_same_v<Real, float> {
    tile_steps_->make(atoms_.cuda, atoms_.view, from, n, energies ? stored_sums() : tile_steps::StoredSums{});
    if (energies) launches_.sum_ledger();
  }
  void make_without_search(std::int64_t n) {
    FusedStages<Real, Motion, false> stages{launches_};
    if (n == 1)
      launches_.launch_graph(GraphOf::one_step, [&] { make_fused_steps(stages, 1, [](std::int64_t, const auto&) {}); });
    else
      make_fused_steps(stages, n, [&](std::int64_t times, const auto& next_step) {
        for (; times >= kGraphSteps; times -= kGraphSteps)
          launches_.launch_graph(GraphOf::many_steps, [&] {
            for (std::int64_t i = 0; i < kGraphSteps; ++i) next_step();
          });
        for (; times > 0; --times) next_step();
      });
    launches_.complete_atoms();
  }

  DeviceAtoms<Real>& atoms_;
  StepLaunches<Real, Motion>& launches_;
  SearchSteps<Real, Motion>& search_steps_;
  bool searches_;
  std::optional<TileSteps> tile_steps_{};  ///< for a run on a share of the GPU
};

}  // namespace dropmd
