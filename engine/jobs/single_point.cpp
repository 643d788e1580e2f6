#include "engine/jobs/single_point.h"

#include <algorithm>

#include "engine/molecules/site_forces.h"
#include "engine/physics_guard.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

SinglePoint single_point(const RunConfig& config) {
  const System system = read_system_at_rest(config);
  const PhysicsGuard guard(system);
  guard.check_start();
  SinglePoint point;
  point.units = system.units;
  point.warnings = system.warnings;
  point.method = choose_method(config, system.model, system.particles.size());
  point.force.resize(system.particles.size());
  ForceField force_field(system, point.method);
  point.result = force_field.evaluate({system.particles.position}, Want::forces_and_energies, point.force);
  spread_site_forces(system, point.force);
  guard.check_finite(0, 0, point.force, point.result.energies);
  for (const Vec3<double>& f : point.force) point.max_force = std::max(point.max_force, norm(f));
  return point;
}

double fraction_within_cutoff(const PairSums& pairs) {
  return pairs.candidate_pairs == 0
             ? 1.0
             : static_cast<double>(pairs.pairs_within_cutoff) / static_cast<double>(pairs.candidate_pairs);
}

}  // namespace dropmd
