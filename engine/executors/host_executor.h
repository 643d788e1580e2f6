#pragma once

#include <optional>

#include "engine/executors/executor.h"
#include "engine/executors/host_stages.h"

namespace dropmd {

/// Performs the steps on the CPU, on the atoms of the system.
class HostExecutor final : public Executor {
 public:
  HostExecutor(System& system, const RunSettings& config, const Method& method, std::size_t n_dof, Timings& timings);

  Progress begin(bool energies) override;
  void resume(const RunState& state, bool alike) override;
  void keep() override {}
  bool start(std::int64_t last, const StepWants& wants) override;
  Progress finish() override;
  Progress make_broken_step(bool energies) override;

  std::int64_t starts_freely_until() const override { return step(); }
  bool runs_ahead() const override { return false; }
  std::int64_t most_steps() const override { return 1; }  // observers see every outer step
  std::int64_t convergence_every() const override { return 1; }

  std::int64_t step() const override { return stages_.step; }
  const Integrator& integrator() const override { return *stages_.integrator; }

  void fetch() override {}  // steps are performed on the system's atoms
  const std::vector<Vec3<double>>& force() const override { return stages_.force; }
  void check(const Energies&) override {}  // checked when the step was performed

  Result energies() override;
  double largest_force() override;
  void groups_changed(std::size_t n_dof) override;
  std::vector<std::uint32_t> cluster_labels(const ClusterLinks& links) override;
  std::optional<ReorderInterval> reordering() const override { return std::nullopt; }
  void add_carried_to(RunState& state) override;
  void add_to(RunState& state) override;
  void use(const Method& method) override;

 private:
  struct Stages : HostStages {
    Stages(System& of, const RunSettings& settings, const Method& method, std::size_t n_dof, Timings& times);
    void add_terms();
    void take_forces(const std::vector<Vec3<double>>& of_state);

    ForceField force_field;
    Want want = Want::forces;
    Result result;  ///< of the last evaluation
  };
  Progress complete(void (*make)(Stages&), bool energies);

  Stages stages_;
  std::int64_t last_ = 0;  ///< last of the steps that were started
  bool energies_wanted_ = false;
};

/// Returns the method for forces on the host: for a run on a GPU, one in double precision and without lists, which
/// would take most of the memory.
Method on_host(Method method);

}  // namespace dropmd
