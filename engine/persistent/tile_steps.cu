#include "engine/persistent/tile_steps.cuh"

#include <algorithm>
#include <vector>

#include "device/cub_scratch.h"
#include "engine/model/pair_atoms.h"
#include "engine/persistent/tile_steps_kernel.cuh"
#include "engine/persistent/with_motion.h"
#include "forces/pair/with_physics.h"

namespace dropmd {

namespace {

using tile_steps::Items;
using tile_steps::kThreads;
using tile_steps::kWarps;

/// A kernel keeps its multiprocessors so long that others may wait for it, and a stop of the run.
constexpr std::int64_t kMostSteps = 1000;

/// Calls use(physics) for the models that suit.
template <class Use>
void with_physics_of(const PairModel& model, const Use& use) {
  with_untruncated_physics<float>(model, [&]<class Physics>(const Physics& physics) {
    if constexpr (!Physics::kManyForms) use(physics);
  });
}

/// Launches a kernel whose blocks run all at once.
template <class Kernel, class... Arguments>
void launch_at_once(const Cuda& cuda, Kernel kernel, std::uint32_t blocks, std::size_t shared_bytes,
                    Arguments... argument) {
  void* arguments[] = {&argument...};
  DROPMD_CUDA(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(kThreads), arguments, shared_bytes, cuda.get()),
              "making steps on a share of the GPU");
}

}  // namespace

std::uint64_t TileSteps::bytes(const System& system) {
  const auto n_atoms = static_cast<std::uint32_t>(system.particles.size());
  // All of a GPU has the most items.
  return DevicePairTable<float>::bytes(system.model) +
         TileForces<float>::bytes(n_atoms, static_cast<int>(kMostMultiprocessors));
}

TileSteps::TileSteps(const Cuda& cuda, const System& system, const RunSettings& config, const Method& method)
    : blocks_(static_cast<std::uint32_t>(multiprocessors_of(method))),
      table_(cuda.stream, system.model),
      d_items_(cuda.stream) {
  const ITileItems items{i_tiles_of(static_cast<std::uint32_t>(system.particles.size()))};
  constexpr std::uint32_t kTogether = TileTuning<float>::kWarps;
  const std::vector<WarpItems> dealt =
      deal_items(items, items_per_warp(items.count(), blocks_ * kWarps, kTogether), kTogether);
  d_items_.upload(dealt);
  cuda.stream.synchronize("dealing out the pairs");
  with_physics_of(system.model, [&]<class Physics>(const Physics& physics) {
    launch_ = system.model.n_species == 1 ? launch_of<Physics, true>(physics, system, config)
                                          : launch_of<Physics, false>(physics, system, config);
  });
}

template <class Physics, bool kOneSpecies>
TileSteps::Launch TileSteps::launch_of(const Physics& physics, const System& system, const RunSettings& config) const {
  constexpr std::size_t kShared = kWarps * sizeof(WarpSharedMemory<float, false>);
  const Items items{d_items_.data(), static_cast<std::uint32_t>(d_items_.size())};
  Launch launch;
  with_persistent_motion(system, config, [&]<class Motion>(const Motion& motion) {
    const auto kernel = tile_steps::tile_steps_kernel<Physics, kOneSpecies, Motion>;
    DROPMD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kShared)),
                "preparing steps on a share of the GPU");
    launch = [=, blocks = blocks_, table = table_.view<CoefficientsOf<Physics, float>>()](
                 const Cuda& on, const StepView<float>& step, std::uint32_t n) {
      launch_at_once(on, kernel, blocks, kShared, step, table, physics, motion, items, n);
    };
  });
  return launch;
}

void TileSteps::make(const Cuda& cuda, const StepView<float>& step, std::int64_t n) {
  for (std::int64_t left = n; left > 0; left -= kMostSteps)
    launch_(cuda, step, static_cast<std::uint32_t>(std::min(left, kMostSteps)));
}

}  // namespace dropmd
