#pragma once

#include <cstddef>

#include "engine/jobs/generate_droplet.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"

/// The droplet that the benchmarks time: sc lattice of 0.07 atoms/Å³, disorder 0.05 Å, alternating charges ±0.2 e, mass
/// 20 g/mol, LJ ε = 0.2 kcal/mol, r_min = 2.5 Å, 100 K, velocity Verlet with 1 fs.
namespace dropmd {

/// The cutoff of its Lennard-Jones term where that has one, Å.
inline constexpr double kBenchmarkCutoff = 12;

/// Returns the choices of a command line with the droplet's physics: without cutoffs, or with both terms cut at
/// kBenchmarkCutoff, Coulomb with a reaction field.
RunConfig benchmark_config(const RunConfig& choices, bool cut);

/// Returns the recipe of its atoms.
DropletRecipe benchmark_recipe(std::size_t n_atoms);

/// Returns the atoms of a recipe as the structure of a run.
Structure structure_of(const Droplet& droplet);

}  // namespace dropmd
