#include "engine/persistent/tile_steps_rule.h"

#include <cmath>

#include "engine/model/pair_atoms.h"
#include "engine/molecules/motion_plans.h"
#include "engine/persistent/with_motion.h"
#include "forces/pair/with_physics.h"

namespace dropmd {

namespace {

bool has_untruncated_coulomb(const PairModel& model) {
  return limits_of(model) == Limits::none ||
         (model.lj && model.coulomb && std::isinf(PairModel::cutoff_of(model.coulomb)));
}

}  // namespace

bool tile_steps_suit(const System& system, const RunSettings& config, const Method& method) {
  return method.multiprocessors > 0 && !method.has_peers() && method.precision == Precision::mixed &&
         method.neighbor == NeighborMethod::all_pairs && !system.model.born_mayer && system.terms.empty() &&
         has_untruncated_coulomb(system.model) && has_persistent_motion(config) && !moves_by_clusters(system) &&
         n_excluded(system) == 0;
}

}  // namespace dropmd
