#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/run/ledger.h"
#include "core/vec3.h"
#include "engine/model/system.h"

namespace dropmd {

/// An atom that a run gets; units are the run's.
struct NewAtom {
  Vec3<double> position;
  Vec3<double> velocity{};
  double mass = 1;
  double charge = 0;
  std::string species;  ///< one of the system's
};

/// Which atoms leave a model, and which are added to it.
struct PopulationChange {
  std::vector<std::uint32_t> removed{};  ///< ids, in any order
  std::vector<NewAtom> added{};          ///< they get the next ids, in this order
};

/// The model with this change, as it was otherwise: atoms that stay keep their order and their ids, added ones follow.
/// Total momentum is what these atoms have. Throws std::invalid_argument for an id that no atom has, or that is named
/// twice, for a removal that would cut a molecule, for an unknown species, for values that are not finite and a mass
/// that is not positive; std::length_error where the ids are used up; InputError where no repulsion keeps charged
/// Born-Mayer atoms apart.
System changed(const System& system, const PopulationChange& change);

/// What a change has taken from a run or brought to it.
struct PopulationBooking {
  std::int64_t step = 0;
  Cause cause = Cause::removed;     ///< or added
  std::vector<std::uint32_t> id{};  ///< ascending
  double mass = 0, charge = 0;      ///< of these atoms
  double energy = 0;                ///< by which the total energy is larger than before; of what is left where removed
};

/// A change that a run makes by itself, at the complete step of this number: observers see this step with the atoms
/// before it, and the step after it has the others. The change may depend on the system alone.
struct PopulationAction {
  std::int64_t step = 0;
  std::function<PopulationChange(const System&)> change;
};

}  // namespace dropmd
