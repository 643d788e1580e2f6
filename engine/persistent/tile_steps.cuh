#pragma once

#include <cstdint>
#include <functional>

#include "core/run/run_settings.h"
#include "engine/device/step_view.cuh"
#include "engine/methods/method.h"
#include "engine/model/system.h"
#include "forces/pair/cuda/all_pairs/tile_shape.h"
#include "forces/pair/cuda/device_pair_table.cuh"

namespace dropmd {

/// Steps of a droplet of atoms with all pairs on a share of the GPU, by a kernel that performs many steps with that
/// many blocks: what the kernels of general steps do, with a barrier of the grid in place of the end of a kernel.
/// Droplets that run at once would otherwise wait for each other's launches. A multiprocessor has one block.
///
/// It uses Newton's third law, so droplets that fill a GPU together compute each pair once; PersistentSteps, which does
/// not use it, is faster where a droplet has most of the GPU. tile_steps_suit() says for which runs.
class TileSteps {
 public:
  /// Device memory in bytes, at most.
  static std::uint64_t bytes(const System& system);

  TileSteps(const Cuda& cuda, const System& system, const RunSettings& config, const Method& method);

  /// Performs n steps, as GeneralSteps does: from a complete step, whose forces are in the sums, to the next complete
  /// one.
  void make(const Cuda& cuda, const StepView<float>& step, std::int64_t n);

 private:
  using Launch = std::function<void(const Cuda&, const StepView<float>&, std::uint32_t n_steps)>;
  template <class Physics, bool kOneSpecies>
  Launch launch_of(const Physics& physics, const System& system, const RunSettings& config) const;

  std::uint32_t blocks_;
  DevicePairTable<float> table_;
  DeviceBuffer<WarpItems> d_items_;  ///< [warps]
  Launch launch_;
};

}  // namespace dropmd
