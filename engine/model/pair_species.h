#pragma once

#include <cstdint>
#include <vector>

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
/// same and no [[pair]] names them. Throws InputError for more rows than a table can have.
PairSpecies pair_species(const RunConfig& config, const std::vector<const SpeciesConfig*>& entries);

/// σ and ε [rows][rows]: an explicit [[pair]], else the mixing rule.
std::vector<LjParameters> mixed_parameters(const RunConfig& config, const PairSpecies& species);

}  // namespace dropmd
