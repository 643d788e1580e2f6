#pragma once

#include <cstdint>
#include <vector>

#include "forces/pair/born_mayer_parameters.h"
#include "forces/pair/lj_coefficients.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// The rows of the table of pair parameters. Species of the structure with the same interactions share a row, so that
/// the memory of the table depends on the number of different parameters, not of names.
struct PairSpecies {
  std::vector<std::uint32_t> row;           ///< [species of the structure] row of each species
  std::vector<const SpeciesConfig*> first;  ///< [rows] the first species of each row
};

/// Assigns rows to species. entries: the [[species]] entry of each species of the structure. Species share a row if
/// they have the same epsilon and sigma and no [[pair]] names them; with [born-mayer] each has its own. Throws
/// InputError if there are more rows than a table can have.
PairSpecies pair_species(const RunConfig& config, const std::vector<const SpeciesConfig*>& entries);

/// Returns σ and ε [rows][rows]: those of an explicit [[pair]], else by the mixing rule.
std::vector<LjParameters> mixed_parameters(const RunConfig& config, const PairSpecies& species);

/// Returns A, ρ, σ, C and D [rows][rows] of [born-mayer], which has no mixing rule: those of the section itself for a
/// single row, else of the [[pair]]; barriers are not set yet. Throws InputError for two species without a [[pair]].
std::vector<BornMayerParameters> born_mayer_parameters(const RunConfig& config, const PairSpecies& species);

}  // namespace dropmd
