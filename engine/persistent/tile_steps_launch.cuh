#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/persistent/deal_by_cost.h"
#include "engine/persistent/grid_launch.cuh"
#include "engine/persistent/tile_steps_kernel.cuh"
#include "engine/persistent/with_motion.h"
#include "forces/pair/with_physics.h"
#include "neighbor/position_grid.h"

/// What the launches of TileSteps for atoms and for molecules share.
namespace dropmd {

namespace tile_steps {

/// Approximate numbers of instructions of a warp: for the loops over pairs from the code for compute capability 9.0,
/// for the rest by estimate. With equally many items for each warp, the last one of 1,000 atoms ended 16% later than
/// the mean. `own` is mostly waiting, since the loops over pairs of own tiles compute fewer at a time; for atoms it is
/// between two values that have been measured, and `far` has been measured (docs/experiments.md).
template <int kPlaces>
inline constexpr TileCosts kCosts =
    kPlaces == 1
        ? TileCosts{.item = 190, .own = 28, .of_own = 24, .within = 25, .visit = 350, .i_tile = 180, .far = 1400}
    : kPlaces == 3
        ? TileCosts{.item = 700, .own = 60, .of_own = 175, .within = 185, .visit = 650, .i_tile = 350, .far = 2000}
        : TileCosts{.item = 1225, .own = 80, .of_own = 306, .within = 316, .visit = 850, .i_tile = 450, .far = 3500};

/// Calls use(pairs) with the pairs of models that suit. one_species: of the atoms at first places; n_atom_pairs: number
/// of pairs of atoms.
template <int kPlaces, class Use>
void with_pairs_of(const PairModel& model, const rigid_tiles::RigidTilesView<kPlaces>& tiles,
                   const PairTableView<float>& table, const WarpItems* items, bool one_species,
                   std::uint64_t n_atom_pairs, const Use& use) {
  with_untruncated_physics<float>(model, [&]<class Physics>(const Physics& physics) {
    if constexpr (!Physics::kManyForms) {
      if (one_species)
        use(Pairs<Physics, kPlaces, true>{tiles, table, physics, items, n_atom_pairs});
      else
        use(Pairs<Physics, kPlaces, false>{tiles, table, physics, items, n_atom_pairs});
    }
  });
}

/// Returns the launches of the kernels of energies. They need no more multiprocessors than a step, so they begin where
/// the steps before them have ended, and do not wait for those of other runs.
template <class Pairs>
LaunchEnergies energies_with(std::uint32_t blocks, const Pairs& pairs) {
  using Tiles = typename Pairs::Tiles;
  constexpr std::size_t kShared = kWarpsOfBlock * sizeof(typename Pairs::Memory);
  const auto kernel = rigid_energies_kernel<Pairs>;
  DROPMD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kShared)),
              "preparing energies on a share of the GPU");
  return [=](const Cuda& on, const StepView<float>& step, const Vec3<double>& anchor, PartialEnergy* d_partial) {
    constexpr std::uint32_t kFillThreads = 64;
    const std::uint32_t fill_threads = rigid_tiles::kJMolecules * Tiles::j_tiles(pairs.tiles.n);
    fill_rigid_tiles_kernel<<<(fill_threads + kFillThreads - 1) / kFillThreads, kFillThreads, 0, on.get()>>>(
        step, pairs.tiles, anchor);
    DROPMD_CUDA_LAUNCHED("filling tiles of molecules");
    kernel<<<blocks, 32 * kWarpsOfBlock, kShared, on.get()>>>(step, pairs, anchor, d_partial);
    DROPMD_CUDA_LAUNCHED("computing energies on a share of the GPU");
  };
}

/// Returns the launch of a kernel whose blocks all run at once.
template <class Pairs, class Mover>
LaunchSteps steps_with(const Cuda& cuda, const System& system, const RunSettings& config, std::uint32_t blocks,
                       const Pairs& pairs, const Mover& mover) {
  constexpr std::size_t kShared = kWarpsOfBlock * sizeof(typename Pairs::Memory);
  LaunchSteps launch;
  with_persistent_motion(system, config, [&]<class Motion>(const Motion& motion) {
    const GridLaunch grid(cuda, tile_steps_kernel<Pairs, Mover, Motion>, blocks, 32 * kWarpsOfBlock, kShared);
    launch = [=](const Cuda& on, const StepView<float>& step, StepsOfLaunch steps) {
      if (grid.is_cluster()) steps.barrier = nullptr;
      const auto with = [&](auto... argument) {
        void* arguments[] = {&argument...};
        grid(on, arguments, "performing steps on a share of the GPU");
      };
      with(step, pairs, mover, motion, steps);
    };
  });
  return launch;
}

/// Returns the launches of the kernels of a run.
template <class Pairs, class Mover>
Launches launch_with(const Cuda& cuda, const System& system, const RunSettings& config, std::uint32_t blocks,
                     const Pairs& pairs, const Mover& mover) {
  return {steps_with(cuda, system, config, blocks, pairs, mover), energies_with(blocks, pairs)};
}

}  // namespace tile_steps

template <int kPlaces>
rigid_tiles::RigidTilesView<kPlaces> TileSteps::tiles_of(const Cuda& cuda, const PairModel& model,
                                                         const std::uint32_t* at, std::uint32_t n) {
  using View = rigid_tiles::RigidTilesView<kPlaces>;
  const ITileItems items{View::i_tiles(n), rigid_tiles::kOfLane<kPlaces>};
  const std::vector<WarpItems> dealt = deal_by_cost(items, blocks_ * tile_steps::kWarpsOfBlock,
                                                    tile_steps::kCosts<kPlaces>, (n - 1) / rigid_tiles::kJMolecules);
  d_items_.upload(dealt);
  const std::size_t n_places = std::size_t{View::padded(n)} * kPlaces;
  d_place_.resize(n_places);
  d_place_.zero();
  const std::vector<LocalAtom<float>> nowhere(n_places, View::nowhere());
  d_near_.upload(nowhere);
  d_middle_.resize(View::j_tiles(n));
  d_middle_.zero();
  d_species_.resize(View::padded(n));
  d_species_.zero();
  cuda.stream.synchronize("dealing out the pairs");
  const PositionGrid grid = PositionGrid::for_contact_distance(model.smallest_r_min());
  double near = grid.near_distance;
  for (const Contact& contact : model.contacts())
    near = std::max(near, PositionGrid::for_contact_distance(contact.distance).near_distance);
  // The kernel adds a second limit, squared, and (a + b)² is at most 2 (a² + b²).
  const double unit = grid.quantum / 2, near2 = 2 * near * near;
  return {at, d_place_.data(), d_near_.data(),           d_middle_.data(),         d_species_.data(),
          n,  1 / unit,        static_cast<float>(unit), static_cast<float>(near2)};
}

}  // namespace dropmd
