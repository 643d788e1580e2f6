#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/forms/form.h"
#include "core/outer_steps.h"
#include "core/particles.h"
#include "core/run/run_state.h"
#include "core/topology/molecular_model.h"
#include "core/units.h"
#include "engine/model/coulomb_mesh.h"
#include "forces/many_atom_term.h"
#include "forces/pair/pair_model.h"

namespace dropmd {

struct ConstraintPlan;
struct RunConfig;
struct Structure;

/// A structure and a run file put together: the particles at the start and their interactions. build_system()
/// constructs it. Copies share topology and terms.
struct System {
  Units units = kLjUnits;  ///< units of all quantities
  Particles particles;     ///< state at the start
  /// What acts between atoms of a molecule; null: every atom is a molecule of its own. It keeps those that have left.
  std::shared_ptr<const Topology> topology;
  /// Names and types of the atoms, for files; null unless a topology file gave them. `topology` is then a part of it.
  std::shared_ptr<const MolecularModel> molecules;
  /// Constraints of all atoms of the topology, by number, once molecules have left (keep_constraints()); else null.
  std::shared_ptr<const ConstraintPlan> constraints;
  PairModel model;  ///< pair interactions
  /// [species_names] row of each species in the model's tables of pair parameters; all 0 with molecules, whose types
  /// decide.
  std::vector<std::uint32_t> row_of_species;
  FormChoices fields;                      ///< walls and external fields by section, with the wall's radius filled in
  ManyAtomTerms terms;                     ///< terms of many atoms besides the pair interactions
  OuterSteps outer;                        ///< the steps at which the slow ones of these are computed
  std::optional<CoulombMesh> mesh;         ///< of a Coulomb term that is divided between pairs and a mesh
  std::optional<double> radius;            ///< the structure's, for droplet files, length; nullopt: not given
  std::string title;                       ///< title of the run, else of the structure
  bool momentum_removed_at_start = false;  ///< whether velocities were drawn, without linear momentum
  /// To be shown once: those of the structure, which of two given values is used and, once a run has begun, what it
  /// does to all atoms in conflict with a force term.
  std::vector<std::string> warnings;
};

/// What the system of a run that continues has from before, besides atoms and molecules.
struct Continuation {
  std::optional<CoulombMesh> mesh;
  const RunState& state;  ///< has what structures do not have: the ids of the atoms
};

/// Copies from a state what structures do not have: the ids of the atoms.
void restore_identity(const RunState& from, Particles& particles);

/// Constructs the system of a run. Masses and charges are the structure's, else those of the species, else system.mass
/// (lj: 1) and 0. Velocities are the structure's (momenta are divided by the masses), else they are drawn at the
/// configured temperature, else zero. If both inputs give a value, the structure's is used, with a warning. Throws
/// InputError if the two do not fit: other units, no mass in units real, an unknown species, a wall without radius,
/// momenta that contradict the velocities. Throws std::invalid_argument for input that no file could contain
/// (possible_settings.h, possible_atoms.h): settings out of their range, arrays of the wrong length, numbers that are
/// not finite.
///
/// molecules: of these atoms, as read_molecules() returns them; null: none. Pair parameters are then those of its
/// types. continued: what a run that goes on from a checkpoint, with the same system, has from before; nullptr: a new
/// run.
System build_system(const RunConfig& config, const Structure& structure,
                    const std::shared_ptr<const MolecularModel>& molecules = nullptr,
                    const Continuation* continued = nullptr);

/// Reads structure and topology of a run and constructs its system. Throws as build_system(), and InputError for wrong
/// files.
System read_system(const RunConfig& config);

/// The same for uses that need no velocities: none are drawn, and constraints need not be satisfied.
System read_system_at_rest(const RunConfig& config);

/// Reads the structure of a run file; throws as read_structure_file(), and InputError for virtual sites without a
/// topology.
Structure read_structure(const RunConfig& config);

/// Sets barriers and contact distances of the model's Born-Mayer pairs for the charges of the atoms. Returns a pair of
/// the model's species that attract each other at all distances, if there is one; nullopt for other models.
std::optional<std::pair<std::size_t, std::size_t>> find_barriers(System& system);

}  // namespace dropmd
