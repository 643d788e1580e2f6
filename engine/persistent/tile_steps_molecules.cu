#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/persistent/tile_steps_launch.cuh"

/// Launches steps of molecules on a share of the GPU.
namespace dropmd {

namespace {

/// Whether the first atoms of all molecules are of one species.
bool have_one_first_species(const RigidMolecules& molecules, const std::vector<std::uint32_t>& species) {
  return std::all_of(molecules.at.begin(), molecules.at.end(),
                     [&](const auto& atoms) { return species[atoms[0]] == species[molecules.at[0][0]]; });
}

/// Returns the number of pairs of n_atoms atoms that belong to different molecules.
std::uint64_t pairs_between(const RigidMolecules& molecules, std::uint64_t n_atoms) {
  std::uint64_t within = 0;
  for (const auto& atoms : molecules.at) {
    const auto absent = std::count(atoms.begin(), atoms.end(), RigidMolecules::kNoAtom);
    const std::uint64_t n = atoms.size() - static_cast<std::uint64_t>(absent);
    within += n * (n - 1) / 2;
  }
  return n_atoms * (n_atoms - 1) / 2 - within;
}

}  // namespace

template <class Solver>
tile_steps::Launches TileSteps::launch_molecules(const Cuda& cuda, const System& system, const RunSettings& config,
                                                 const ClusterViews& clusters, const ClusterView<Solver>& whole) {
  using namespace tile_steps;
  const auto tiles = tiles_of<kLanesOf<Solver>>(cuda, system.model, whole.at, whole.n);
  const RigidMolecules molecules = *RigidMolecules::of(system);
  const Particles& particles = system.particles;
  Launches launch;
  with_pairs_of(system.model, tiles, table_.view(), d_items_.data(),
                have_one_first_species(molecules, particles.pair_species), pairs_between(molecules, particles.size()),
                [&](const auto& pairs) {
                  launch = launch_with(cuda, system, config, blocks_, pairs, MoleculeMover<Solver>{tiles, clusters});
                });
  return launch;
}

tile_steps::Launches TileSteps::launch_molecules(const Cuda& cuda, const System& system, const RunSettings& config,
                                                 const DeviceMolecules& molecules) {
  const WholeMolecules& whole = molecules.whole();
  if (whole.with_sites.n > 0) return launch_molecules(cuda, system, config, molecules.clusters(), whole.with_sites);
  return launch_molecules(cuda, system, config, molecules.clusters(), whole.without_sites);
}

}  // namespace dropmd
