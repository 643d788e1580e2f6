#include "engine/ledger/causes.h"

#include "engine/centre.h"
#include "engine/model/invariance.h"
#include "forces/fields/atom_force_terms.h"
#include "integrators/integrator.h"

namespace dropmd {

CauseSet causes_of(const IntegrationSettings& settings, const System& system, bool population_changes) {
  CauseSet causes = atom_causes_of(settings, system);
  if (is_minimizer(settings.integrator)) return causes;
  if (population_changes) {
    causes.insert(Cause::removed);
    causes.insert(Cause::added);
  }
  if (system.mesh && !system.mesh->fixed_spacing) causes.insert(Cause::mesh);
  return causes;
}

CauseSet atom_causes_of(const IntegrationSettings& settings, const System& system) {
  CauseSet causes;
  if (is_minimizer(settings.integrator)) return causes;
  if (is_bath(settings.integrator)) causes.insert(Cause::bath);
  if (any_driven(system.fields, system.units)) causes.insert(Cause::field);
  if (settings.recenter_every <= 0) return causes;
  const bool moves_against_terms = !invariance_of(system).translation;
  if (moves_against_terms && recentring(settings, system) != Recenter::none) causes.insert(Cause::recentring);
  if (settings.remove_momentum != RemoveMomentum::none) causes.insert(Cause::momentum);
  return causes;
}

std::uint64_t ledger_device_bytes(const CauseSet& causes, std::uint64_t n_atoms) {
  return 2 * sizeof(double) * causes.size() * n_atoms;
}

}  // namespace dropmd
