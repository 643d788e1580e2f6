#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/forms/form.h"
#include "core/outer_steps.h"
#include "core/particles.h"
#include "core/topology/topology.h"
#include "core/units.h"
#include "engine/model/coulomb_mesh.h"
#include "forces/many_atom_term.h"
#include "forces/pair/pair_model.h"

namespace dropmd {

struct RunConfig;
struct Structure;

/// A structure and a run file put together: the particles at the start and their interactions. build_system()
/// constructs it.
struct System {
  Units units = kLjUnits;  ///< units of all quantities
  Particles particles;     ///< state at the start
  Topology topology;       ///< molecules
  PairModel model;         ///< pair interactions
  /// [species_names] row of each species in the model's tables of pair parameters.
  std::vector<std::uint32_t> row_of_species;
  FormChoices fields;                      ///< walls and external fields by section, with the wall's radius filled in
  ManyAtomTerms terms;                     ///< terms of many atoms besides the pair interactions
  OuterSteps outer;                        ///< the steps at which slow terms of these are computed
  std::optional<CoulombMesh> mesh;         ///< of a Coulomb term that is divided between pairs and a mesh
  std::optional<double> radius;            ///< the structure's, for droplet files, length; nullopt: not given
  std::string title;                       ///< title of the run, else of the structure
  bool momentum_removed_at_start = false;  ///< whether velocities were drawn, without linear momentum
  /// Of the structure, which of two values is used and, once a run has begun, what it does to all atoms against a force
  /// term; to be shown once.
  std::vector<std::string> warnings;
};

/// Constructs the system of a run. Masses and charges are the structure's, else those of the species, else system.mass
/// (lj: 1) and 0. Velocities are the structure's (momenta are divided by the masses), else they are drawn at the
/// configured temperature, else zero. If both inputs give a value, the structure's is used, with a warning. Throws
/// InputError if the two do not fit: other units, no mass in units real, an unknown species, a wall without radius,
/// momenta that contradict the velocities. Throws std::invalid_argument for input that no file could contain
/// (possible_settings.h, possible_atoms.h): settings out of their range, arrays of the wrong length, numbers that are
/// not finite.
///
/// mesh: of the run that a checkpoint continues, whose system is the same; nullptr: chosen for the atoms.
System build_system(const RunConfig& config, const Structure& structure,
                    const std::optional<CoulombMesh>* mesh = nullptr);

/// Sets barriers and contact distances of the model's Born-Mayer pairs for the charges of the atoms. Returns a pair of
/// the model's species that attract each other at all distances, if there is one; nullopt for other models.
std::optional<std::pair<std::size_t, std::size_t>> find_barriers(System& system);

}  // namespace dropmd
