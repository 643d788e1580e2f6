#pragma once

#include <cstdint>
#include <vector>

#include "forces/pair/born_mayer_parameters.h"
#include "forces/pair/lj_coefficients.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// The rows of the table of pair parameters: species of the structure that interact alike share one, so that its memory
/// goes with the parameters there are, not with the names.
struct PairSpecies {
  std::vector<std::uint32_t> row;           ///< [species of the structure]
  std::vector<const SpeciesConfig*> first;  ///< [rows] the first species of each
};

/// entries: the [[species]] entry of each species of the structure. Species share a row if epsilon and sigma are the
/// same and no [[pair]] names them; with [born-mayer] each has its own. Throws InputError for more rows than a table
/// can have.
PairSpecies pair_species(const RunConfig& config, const std::vector<const SpeciesConfig*>& entries);

/// σ and ε [rows][rows]: an explicit [[pair]], else the mixing rule.
std::vector<LjParameters> mixed_parameters(const RunConfig& config, const PairSpecies& species);

/// A, ρ, σ, C and D [rows][rows] of [born-mayer], which has no mixing rule: of the section itself for a single row,
/// else of the [[pair]]; barriers are not found yet. Throws InputError for two species that have no [[pair]].
std::vector<BornMayerParameters> born_mayer_parameters(const RunConfig& config, const PairSpecies& species);

}  // namespace dropmd
