#pragma once

#include <cstdint>
#include <functional>

#include "core/run/run_settings.h"
#include "engine/device/molecules/cluster_views.cuh"
#include "engine/device/step_view.cuh"
#include "engine/methods/method.h"
#include "engine/model/system.h"
#include "forces/pair/cuda/all_pairs/excluded_tiles.cuh"
#include "forces/pair/cuda/device_pair_table.cuh"

namespace dropmd {

/// Steps of a droplet with all pairs on a share of the GPU, by a kernel that performs many steps with that many blocks:
/// what the kernels of general steps do, with a barrier of the grid in place of the end of a kernel. Droplets that run
/// at once would otherwise wait for each other's launches. A multiprocessor has one block.
///
/// It uses Newton's third law, so the time of a step is that of its pairs, however small the share; PersistentSteps,
/// which does not, is faster where a droplet has most of the GPU.
class TileSteps {
 public:
  /// Returns whether such steps suit a run: on a share of a GPU, in mixed precision, with velocity Verlet or Langevin
  /// dynamics, untruncated Coulomb forces or none, and of molecules rigid waters and single atoms.
  static bool suits(const System& system, const RunSettings& config, const Method& method);

  /// Device memory in bytes, at most.
  static std::uint64_t bytes(const System& system);

  TileSteps(const Cuda& cuda, const System& system, const RunSettings& config, const Method& method);

  /// To be called whenever the order of the atoms has changed, and before the first steps, which allocates.
  void reordered(const Cuda& cuda, const AtomTilesView<float>& tiles) { excluded_tiles_.find(cuda, tiles.excluded); }

  /// Performs n steps, as GeneralSteps does: from a complete step, whose forces are in the sums, to the next complete
  /// one. clusters: of a run with molecules.
  void make(const Cuda& cuda, const StepView<float>& step, const ClusterViews& clusters, std::int64_t n);

 private:
  using Launch = std::function<void(const Cuda&, const StepView<float>&, const ClusterViews&, const ExcludedTilesView&,
                                    std::uint32_t n_steps)>;
  Launch launch_of(const System& system, const RunSettings& config);
  template <class Physics, bool kOneSpecies>
  Launch launch_atoms(const Physics& physics, const System& system, const RunSettings& config);
  template <class Physics>
  Launch launch_clusters(const Physics& physics, const System& system, const RunSettings& config);

  std::uint32_t blocks_;
  DevicePairTable<float> table_;
  ExcludedTiles excluded_tiles_;
  DeviceBuffer<WarpItems> d_items_;  ///< [warps]
  Launch launch_;
};

}  // namespace dropmd
