#include "engine/persistent/tile_steps.cuh"

#include <algorithm>
#include <vector>

#include "device/cub_scratch.h"
#include "engine/device/molecules/rigid_molecules.cuh"
#include "engine/model/pair_atoms.h"
#include "engine/molecules/motion_plans.h"
#include "engine/persistent/langevin_motion.h"
#include "engine/persistent/tile_steps_kernel.cuh"
#include "forces/pair/with_physics.h"
#include "integrators/velocity_verlet.h"

namespace dropmd {

namespace {

using tile_steps::Items;
using tile_steps::kThreads;
using tile_steps::kWarps;

/// A kernel keeps its multiprocessors so long that others may wait for it, and a stop of the run.
constexpr std::int64_t kMostSteps = 1000;

bool has_untruncated_coulomb(const PairModel& model) {
  return limits_of(model) == Limits::none ||
         (model.lj && model.coulomb && std::isinf(PairModel::cutoff_of(model.coulomb)));
}

/// Calls use(physics) for the models of has_untruncated_coulomb().
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

template <class Kernel>
void allow_shared_memory(Kernel kernel, std::size_t bytes) {
  DROPMD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
              "preparing steps on a share of the GPU");
}

}  // namespace

bool TileSteps::suits(const System& system, const RunSettings& config, const Method& method) {
  const std::string& form = config.integrator.form;
  if (method.multiprocessors == 0 || method.precision != Precision::mixed ||
      method.neighbor != NeighborMethod::all_pairs || system.model.born_mayer || !system.terms.empty() ||
      !has_untruncated_coulomb(system.model) || (form != VelocityVerlet::form().name && form != Langevin::form().name))
    return false;
  const bool are_points = !moves_by_clusters(system) && n_excluded(system) == 0;
  return are_points || RigidMolecules::of(system).has_value();
}

std::uint64_t TileSteps::bytes(const System& system) {
  const auto n_atoms = static_cast<std::uint32_t>(system.particles.size());
  // All of a GPU has the most items.
  return DevicePairTable<float>::bytes(system.model) +
         TileForces<float>::bytes(n_atoms, static_cast<int>(kMostMultiprocessors)) +
         (n_excluded(system) == 0 ? 0 : ExcludedTiles::bytes(n_atoms));
}

TileSteps::TileSteps(const Cuda& cuda, const System& system, const RunSettings& config, const Method& method)
    : blocks_(static_cast<std::uint32_t>(multiprocessors_of(method))),
      table_(cuda.stream, system.model),
      excluded_tiles_(cuda.stream),
      d_items_(cuda.stream) {
  const ITileItems items{i_tiles_of(static_cast<std::uint32_t>(system.particles.size()))};
  constexpr std::uint32_t kTogether = TileTuning<float>::kWarps;
  const std::vector<WarpItems> dealt =
      deal_items(items, items_per_warp(items.count(), blocks_ * kWarps, kTogether), kTogether);
  d_items_.upload(dealt);
  cuda.stream.synchronize("dealing out the pairs");
  launch_ = launch_of(system, config);
}

template <class Physics, bool kOneSpecies>
TileSteps::Launch TileSteps::launch_atoms(const Physics& physics, const System& system, const RunSettings& config) {
  const Langevin motion = langevin_motion(system, config);
  constexpr std::size_t kShared = kWarps * sizeof(WarpSharedMemory<float, false>);
  const auto kernel = tile_steps::atoms_kernel<Physics, kOneSpecies, Langevin>;
  allow_shared_memory(kernel, kShared);
  const Items items{d_items_.data(), static_cast<std::uint32_t>(d_items_.size())};
  return [=, blocks = blocks_, table = table_.view<CoefficientsOf<Physics, float>>()](
             const Cuda& on, const StepView<float>& step, const ClusterViews&, const ExcludedTilesView& excluded,
             std::uint32_t n) {
    launch_at_once(on, kernel, blocks, kShared, step, table, physics, motion, excluded, items, n);
  };
}

template <class Physics>
TileSteps::Launch TileSteps::launch_clusters(const Physics& physics, const System& system, const RunSettings& config) {
  constexpr std::size_t kShared = kWarps * sizeof(WarpSharedMemory<float, true>);
  const Items items{d_items_.data(), static_cast<std::uint32_t>(d_items_.size())};
  Launch launch;
  const auto of_kernel = [&](const auto kernel, const auto& motion) {
    allow_shared_memory(kernel, kShared);
    launch = [=, blocks = blocks_, table = table_.view<CoefficientsOf<Physics, float>>()](
                 const Cuda& on, const StepView<float>& step, const ClusterViews& clusters,
                 const ExcludedTilesView& excluded, std::uint32_t n) {
      launch_at_once(on, kernel, blocks, kShared, step, table, physics, motion, clusters, excluded, items, n);
    };
  };
  const bool has_sites = RigidMolecules::of(system).value().n_places > 3;
  const auto with_motion = [&]<class Motion>(const Motion& motion) {
    if (has_sites)
      of_kernel(tile_steps::clusters_kernel<Physics, ClusterKinds::frequent_with_sites, Motion>, motion);
    else
      of_kernel(tile_steps::clusters_kernel<Physics, ClusterKinds::frequent, Motion>, motion);
  };
  const RunContext run{config.random_seed, 0};
  if (config.integrator.form == VelocityVerlet::form().name)
    with_motion(VelocityVerlet(config.integrator, system.units, run));
  else
    with_motion(Langevin(config.integrator, system.units, run));
  return launch;
}

TileSteps::Launch TileSteps::launch_of(const System& system, const RunSettings& config) {
  const bool are_points = !moves_by_clusters(system);
  Launch launch;
  with_physics_of(system.model, [&]<class Physics>(const Physics& physics) {
    if (!are_points)
      launch = launch_clusters(physics, system, config);
    else if (system.model.n_species == 1)
      launch = launch_atoms<Physics, true>(physics, system, config);
    else
      launch = launch_atoms<Physics, false>(physics, system, config);
  });
  return launch;
}

void TileSteps::make(const Cuda& cuda, const StepView<float>& step, const ClusterViews& clusters, std::int64_t n) {
  for (std::int64_t left = n; left > 0; left -= kMostSteps)
    launch_(cuda, step, clusters, excluded_tiles_.view(), static_cast<std::uint32_t>(std::min(left, kMostSteps)));
}

}  // namespace dropmd
