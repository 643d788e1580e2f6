#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/device/device_run.h"
#include "engine/executors/executor.h"
#include "engine/executors/host_stages.h"

namespace dropmd {

/// Makes the steps on a GPU (DeviceRun), and with the host those that need it: step 0, and a step that breaks on the
/// device. For these the host takes the forces from the device, to which it gives the positions, so that no second
/// search occupies memory beside the run's own.
class DeviceExecutor final : public Executor {
 public:
  /// run: of the same system, configuration and method.
  DeviceExecutor(std::unique_ptr<DeviceRun> run, System& system, const RunSettings& config, const Method& method,
                 std::size_t n_dof, Timings& timings);

  Progress begin(bool energies) override;
  void resume(const RunState& state, bool alike) override;
  void start(std::int64_t last, bool energies) override;
  Progress finish() override;
  /// The host makes the step that broke on the device, and says what is wrong in its own words. Where it finds nothing
  /// wrong - a force beyond the device's fixed point, as between atoms that overlap - the device goes on from there.
  Progress make_broken_step(bool energies) override;

  bool runs_ahead() const override { return true; }
  std::int64_t most_steps() const override;
  std::int64_t convergence_every() const override { return 20; }

  std::int64_t step() const override { return stages_.step; }
  const Integrator& integrator() const override { return *stages_.integrator; }

  void fetch() override;
  const std::vector<Vec3<double>>& force() const override { return stages_.force; }
  void check(const Energies& energies) override;

  Result energies() override { return run().energies(); }
  double largest_force() override { return run().largest_force(); }  // wherever the state is
  std::optional<ReorderInterval> reordering() const override { return run().reordering(); }
  void add_to(RunState& state) override;
  void use(const Method& method) override;

 private:
  /// The host's, on forces from the device.
  struct Stages : HostStages {
    Stages(std::unique_ptr<DeviceRun> device, System& of, const RunSettings& settings, const Method& method,
           std::size_t n_dof, Timings& times);
    void add_terms();
    void take_forces();

    ForceField force_field;          ///< for forces that the device cannot hold
    std::unique_ptr<DeviceRun> run;  ///< null only after use() failed
  };
  DeviceRun& run() { return *stages_.run; }
  const DeviceRun& run() const { return *stages_.run; }
  Progress give_back(bool energies);

  const std::size_t n_dof_;
  Stages stages_;
  std::vector<double> integrator_state_;  ///< by the integrator, at the last change of method
  ReorderInterval reordering_;            ///< likewise
  std::int64_t fetched_ = -1;             ///< step that the system's atoms and force() belong to
};

}  // namespace dropmd
