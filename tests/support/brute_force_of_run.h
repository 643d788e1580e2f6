#pragma once

#include "engine/model/pair_atoms.h"
#include "forces/pair/brute_force.h"
#include "tests/support/device_runs.h"
#include "tests/support/force_error.h"

namespace dropmd {

/// Compares forces and energies of a state with brute force.
inline void expect_brute_force(const Snapshot& s, const System& system, Precision precision) {
  SCOPED_TRACE("step " + std::to_string(s.step));
  const ExcludedPairs excluded = excluded_pairs(system);
  const PairAtoms atoms = pair_atoms(system, excluded);
  std::vector<Vec3<double>> force(system.particles.size());
  const PairSums exact =
      make_brute_force(Cpu{}, system.model, atoms)->evaluate(s.particles.position, force, Want::forces_and_energies);
  const PairScales scales = pair_scales(system.model, atoms, s.particles.position);
  const Bounds bounds = bounds_of(precision);
  const ForceError error = force_error({s.force.begin(), s.force.end()}, force);
  EXPECT_LE(error.rms, bounds.rms_force);
  EXPECT_LE(error.worst, bounds.worst_force);
  EXPECT_NEAR(s.energies->energies.of("vdw"), exact.vdw, bounds.energy * scales.vdw);
  EXPECT_NEAR(s.energies->energies.of("coulomb"), exact.coulomb, bounds.energy * scales.coulomb);
}

}  // namespace dropmd
