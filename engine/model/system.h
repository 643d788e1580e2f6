#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/form.h"
#include "core/particles.h"
#include "core/topology.h"
#include "core/units.h"
#include "forces/many_atom_term.h"
#include "forces/pair/pair_model.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"

namespace dropmd {

/// A structure and a run file put together: the particles at the start and the interactions they have.
struct System {
  Units units = kLjUnits;
  Particles particles;
  Topology topology;
  PairModel model;
  std::vector<std::uint32_t> row_of_species;  ///< of the model's species, by index into species_names
  FormChoices fields;                         ///< walls and external fields, the wall's radius filled in
  ManyAtomTerms terms;                        ///< beside the pair forces
  std::optional<double> radius;               ///< the structure's, for writing droplet files
  std::string title;
  bool momentum_removed_at_start = false;  ///< velocities were drawn, without linear momentum
  std::vector<std::string> warnings;       ///< of the structure, and which of two values counts; to be shown once
};

/// Masses and charges come from the structure, else from the species, else from system.mass (lj: 1) and 0. Velocities
/// come from the structure (momenta are divided by the masses), else are drawn at the configured temperature, else are
/// zero. Where both give a value the structure's counts, and a warning says so.
/// Throws InputError where the two do not fit: other units, no mass in units real, an unknown species, a wall without
/// radius, momenta that contradict the velocities.
System build_system(const RunConfig& config, const Structure& structure);

/// Barriers and distances of contact of the model's Born-Mayer pairs, for the charges that the atoms have. Returns a
/// pair of the model's species that nothing keeps apart, if there is one; nothing of another model.
std::optional<std::pair<std::size_t, std::size_t>> find_barriers(System& system);

}  // namespace dropmd
