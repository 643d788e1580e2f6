#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/device/device_run.h"
#include "engine/executors/executor.h"
#include "engine/executors/host_stages.h"

namespace dropmd {

/// Performs the steps on a GPU (DeviceRun), and on the host those that need it: step 0, and a step that breaks on the
/// device. For these the host sends the positions to the device and takes the forces from it, so that no second
/// neighbour structure occupies memory besides the run's own.
class DeviceExecutor final : public Executor {
 public:
  /// run: of the same system, configuration and method.
  DeviceExecutor(std::unique_ptr<DeviceRun> run, System& system, const RunSettings& config, const Method& method,
                 std::size_t n_dof, Timings& timings);

  Progress begin(bool energies) override;
  void resume(const RunState& state, bool alike) override;
  void keep() override { run().keep(); }
  bool start(std::int64_t last, const StepWants& wants) override;
  Progress finish() override;
  /// Performs on the host the step that broke on the device, and describes the fault if there is one. If there is none,
  /// as for a force beyond the device's fixed-point range between atoms that overlap, the device continues from there.
  Progress make_broken_step(bool energies) override;

  std::int64_t starts_freely_until() const override { return run().starts_freely_until(); }
  bool runs_ahead() const override { return true; }
  std::int64_t most_steps() const override;
  std::int64_t convergence_every() const override { return 20; }

  std::int64_t step() const override { return stages_.step; }
  const Integrator& integrator() const override { return *stages_.integrator; }

  void fetch() override;
  const std::vector<Vec3<double>>& force() const override { return stages_.force; }
  void check(const Energies& energies) override;
  std::string describe_peers() const override { return run().describe_peers(); }

  Result energies() override { return run().energies(); }
  double largest_force() override { return run().largest_force(); }  // wherever the state is
  void groups_changed(std::size_t n_dof) override;
  std::vector<std::uint32_t> cluster_labels(const ClusterLinks& links) override;
  std::optional<DeviceArrays> device_arrays() const override;
  std::optional<ReorderInterval> reordering() const override { return run().reordering(); }
  void add_carried_to(RunState& state) override;
  void add_to(RunState& state) override;
  void use(const Method& method) override;

 private:
  /// The stages on the host, with forces from the device.
  struct Stages : HostStages {
    Stages(std::unique_ptr<DeviceRun> device, System& of, const RunSettings& settings, const Method& method,
           std::size_t n_dof, Timings& times);
    void add_terms();
    void take_forces();

    /// Null only after use() failed. Users of device_arrays() may keep it alive longer than this object.
    std::shared_ptr<DeviceRun> run;

   private:
    ForceField& force_field();

    Method on_host_;
    std::optional<ForceField> force_field_;  ///< for forces beyond the range of the device; constructed when needed
  };
  DeviceRun& run() { return *stages_.run; }
  const DeviceRun& run() const { return *stages_.run; }
  Progress give_back(bool energies);

  const std::size_t n_dof_;
  Stages stages_;
  std::vector<double> integrator_state_;  ///< at the last change of method
  ReorderInterval reordering_;            ///< at the last change of method
  std::int64_t fetched_ = -1;             ///< step of the system's atoms and of force()
};

}  // namespace dropmd
