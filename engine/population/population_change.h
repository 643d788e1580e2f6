#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/run/ledger.h"
#include "core/vec3.h"
#include "engine/model/system.h"

namespace dropmd {

/// An atom to be added to a run; units are the run's.
struct NewAtom {
  /// Position, length.
  Vec3<double> position;
  /// Velocity, length/time.
  Vec3<double> velocity{};
  /// Mass, greater than 0.
  double mass = 1;
  /// Charge.
  double charge = 0;
  std::string species;  ///< name of one of the system's species
};

/// The atoms to be removed from a model, and those to be added to it.
struct PopulationChange {
  std::vector<std::uint32_t> removed{};  ///< ids, in any order
  std::vector<NewAtom> added{};          ///< these get the next unused ids, in this order

  bool empty() const { return removed.empty() && added.empty(); }
};

/// Returns the model after a change and leaves everything else as it was: the remaining atoms keep their order and
/// their ids, and added ones follow. The total momentum becomes that of the atoms. Throws std::invalid_argument for an
/// id that no atom has or that is given twice, for a removal that would cut a molecule, for an atom that is added
/// beside a topology file, whose types it does not have, for an unknown species, for values that are not finite, and
/// for a mass that is not positive; std::length_error if all ids are used up; InputError if no repulsion keeps charged
/// Born-Mayer atoms apart.
System changed(const System& system, const PopulationChange& change);

/// What a change has removed from a run or added to it.
struct PopulationBooking {
  /// Number of the step at which the atoms were changed.
  std::int64_t step = 0;
  Cause cause = Cause::removed;     ///< `removed` or `added`
  std::vector<std::uint32_t> id{};  ///< ids of these atoms, ascending
  double mass = 0, charge = 0;      ///< total mass and charge of these atoms
  double energy = 0;                ///< total energy after the change less that before it, in the run's energy unit
};

/// A change that a run makes by itself when the step of this number is complete: observers see this step with the old
/// atoms, and the next step has the new ones. The change may depend only on the system.
struct PopulationAction {
  /// Number of the step.
  std::int64_t step = 0;
  /// Returns the change for the system at this step.
  std::function<PopulationChange(const System&)> change;
};

/// The same at every step divisible by `every`, 0 included, where change() may find nothing to change. It may depend
/// only on step, time and system.
struct PopulationRule {
  std::int64_t every = 1;
  /// Null: the population does not change.
  std::function<PopulationChange(std::int64_t step, double time, const System& system)> change{};
  /// Sets Particles::groups, after the change; returns whether they differ from before. Null: they stay.
  std::function<bool(Particles& particles)> regroup{};
  /// Whether nothing more can happen to the system, which ends a run; asked after the change. Null: never.
  std::function<bool()> has_dried_up{};
};

}  // namespace dropmd
