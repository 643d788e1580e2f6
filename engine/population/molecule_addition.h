#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/vec3.h"
#include "engine/model/system.h"
#include "engine/population/molecule_assembly.h"

namespace dropmd {

/// A molecule to be added to a run; units are the run's.
struct NewMolecule {
  std::string kind;  ///< name of a molecule of the topology, of which the run need not have any
  /// [n_atoms of the kind][3] length, in its order. What is given for virtual sites is not used: they follow the
  /// others.
  std::vector<Vec3<double>> position;
  std::vector<Vec3<double>> velocity{};  ///< likewise, length/time; empty: at rest
};

/// Returns the model with molecules that are added: their atoms follow all others, with the next unused ids.
/// Constraints are then satisfied and virtual sites placed. Everything else is as it was. Throws std::invalid_argument
/// for a model without a topology, for a kind that it does not have, for other numbers of positions or velocities than
/// the kind has atoms, and for values that are not finite; std::length_error if all ids are used up; PhysicsError if
/// the constraints cannot be satisfied near the given positions.
ChangedMolecules with_added(const System& system, std::span<const NewMolecule> molecules);

}  // namespace dropmd
