#include <algorithm>

#include "engine/persistent/tile_steps_launch.cuh"

/// Launches steps of molecules on a share of the GPU.
namespace dropmd {

namespace {

/// Whether the first atoms of all molecules are of one species.
bool have_one_first_species(const System& system) {
  const std::optional<RigidMolecules> molecules = RigidMolecules::of(system);
  const std::vector<std::uint32_t>& species = system.particles.pair_species;
  return std::all_of(molecules->at.begin(), molecules->at.end(),
                     [&](const auto& atoms) { return species[atoms[0]] == species[molecules->at[0][0]]; });
}

}  // namespace

template <class Solver>
tile_steps::Launches TileSteps::launch_molecules(const Cuda& cuda, const System& system, const RunSettings& config,
                                                 const ClusterViews& clusters, const ClusterView<Solver>& whole) {
  using namespace tile_steps;
  const auto tiles = tiles_of<kLanesOf<Solver>>(cuda, system.model, whole.at, whole.n);
  Launches launch;
  with_pairs_of(system.model, tiles, table_.view(), d_items_.data(), have_one_first_species(system),
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
