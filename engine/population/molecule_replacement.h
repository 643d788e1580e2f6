#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/vec3.h"
#include "engine/model/system.h"
#include "engine/population/molecule_assembly.h"

namespace dropmd {

/// Where an atom of a molecule is placed.
struct PlacedAtom {
  std::string name;                        ///< within the molecule, such as "HW3"
  Vec3<double> position;                   ///< length
  std::optional<Vec3<double>> velocity{};  ///< length/time
};

/// A molecule that becomes one of another kind, such as a water that takes a proton.
struct MoleculeReplacement {
  std::uint32_t molecule = 0;  ///< id of the molecule: that of its first atom
  std::string kind;            ///< name of a molecule of the topology, of which the run need not have any
  /// Ids of the atoms that it then has, in the order of the kind: those of any of the molecules that are replaced
  /// together, or 0 for an atom that gets an id that no atom has had. Empty: atoms are matched by name, so that one
  /// whose name both kinds have keeps its id.
  std::vector<std::uint32_t> ids{};
  /// Atoms that are not where they were, and those with new ids. Virtual sites follow the others.
  std::vector<PlacedAtom> placed{};
};

/// Returns the model in which molecules have become others, each in its place in the order of atoms. Atoms that are
/// kept have their ids, positions and velocities, unless they are placed; new ones without a velocity have that of the
/// molecule's first atom. Constraints are then satisfied and virtual sites placed. Everything else is as it was.
/// Throws std::invalid_argument for a model without a topology, for a molecule or a name that it does not have, for an
/// id that is given twice or not of these molecules, for a new atom that is not placed, and for values that are not
/// finite; PhysicsError if the constraints cannot be satisfied near the given positions.
ChangedMolecules replaced(const System& system, std::span<const MoleculeReplacement> replacements);

}  // namespace dropmd
