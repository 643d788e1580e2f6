#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/topology/molecular_model.h"
#include "core/topology/present_atoms.h"
#include "core/vec3.h"
#include "engine/model/system.h"

namespace dropmd {

/// A model with other molecules.
struct ChangedMolecules {
  System system;
  std::vector<std::uint32_t> ids;  ///< of the atoms of molecules that are new, or have become others, ascending
};

/// Assembles the atoms of a system that has another molecular model, in the order in which they are appended.
class MoleculeAssembly {
 public:
  /// The system before, which must outlive this object, and the model after. Ids of added atoms follow those of the
  /// model.
  MoleculeAssembly(const System& system, std::shared_ptr<const MolecularModel> model);

  /// Appends an atom of the system as it was.
  void keep(std::size_t index);
  /// Appends the atom that has this number in the model, as the kind that it is there. If it was in the system, it
  /// stays where it was; otherwise it gets this position and velocity.
  void add(std::uint32_t number, const Vec3<double>& position, const Vec3<double>& velocity, std::uint8_t groups);

  /// Returns the index of the atom that has a number in the model; PresentAtoms::kAbsent: it was not in the system.
  std::uint32_t index_before(std::uint32_t number) const { return before_.of(number); }
  /// The atoms so far.
  Particles& atoms() { return next_; }

  /// Returns the system with these atoms and with the model's topology. ids: of the atoms that are not as they were, in
  /// any order: they are moved to satisfy constraints, and virtual sites among them are placed; all others stay as they
  /// are, to the last bit. Throws PhysicsError if the constraints cannot be satisfied near their positions.
  ChangedMolecules finish(std::vector<std::uint32_t> ids);

 private:
  std::uint32_t species_of(std::uint32_t number);
  std::uint32_t species_of_mass(double mass, const std::string& type);

  const System& system_;
  std::shared_ptr<const MolecularModel> model_;
  PresentAtoms before_;
  std::map<std::pair<std::uint32_t, double>, std::uint32_t> species_;
  Particles next_;
};

}  // namespace dropmd
