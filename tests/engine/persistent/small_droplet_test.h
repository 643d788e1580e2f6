#pragma once

#include "tests/support/brute_force_of_run.h"
#include "tests/support/device_runs.h"

namespace dropmd {

/// Tests of kernels that perform the steps of small droplets of atoms.
class SmallDropletTest : public DeviceRunTest {
 protected:
  static FormChoice langevin() { return {"langevin", {{"timestep", 0.002}, {"temperature", 0.5}, {"friction", 0.5}}}; }

  /// Compares forces with brute force between steps at which actions are due.
  static void expect_bounds_kept(const Method& method) {
    RunConfig config = charged_run(langevin(), 60);
    config.fields.clear();  // brute force has pairs alone
    config.recenter = Recenter::mass;
    config.recenter_every = 7;
    config.remove_momentum = RemoveMomentum::both;
    expect_bounds_kept(config, moving_atoms(900, 8), method);
  }
  /// The same for a run without fields.
  static void expect_bounds_kept(const RunConfig& config, const Structure& structure, const Method& method) {
    System system = build_system(config, structure);
    run_short(
        system, config, method, 10, [&](const Snapshot& s) { expect_brute_force(s, system, GetParam().precision); },
        never_stop, 10);
  }
};

}  // namespace dropmd
