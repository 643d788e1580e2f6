#pragma once

#include "device/shared_memory.cuh"
#include "forces/pair/cuda/cells/cell_forces.cuh"
#include "forces/pair/cuda/cells/cell_kernel.cuh"
#include "forces/pair/with_physics.h"

/// For the files that instantiate CellForces: one per precision, since each holds every pair physics.
namespace dropmd {

template <class Real>
CellForces<Real>::CellForces(const Cuda& cuda, const PairModel& model, WorkShare share) : table_(cuda.stream, model) {
  const int device = cuda.stream.device();
  const auto launch_shape = [](const CellPairsView& cells, const CellBlockShape& block) {
    return LaunchShape{cells.max_cells, 32 * block.warps, cell_shared_bytes<Real>(block, cells.n_offsets, cells.sorted),
                       cells.groups()};
  };
  // In single precision the common case of one species and one cutoff has specialised code. Lists outperform cells, so
  // all other cases share one general instantiation.
  constexpr bool kFast = std::is_same_v<Real, float>;
  const bool fast = kFast && model.n_species == 1 && limits_of(model) == Limits::shared;
  const auto compile = [&]<class Physics>(auto one_species, auto exclusions, const Physics& physics) {
    const auto kernel = cell_forces_kernel<Real, Physics, one_species.value, exclusions.value>;
    allow_shared_memory(kernel, device);
    return [=, table = table_.template view<CoefficientsOf<Physics, Real>>()](
               const Cuda& on, const CellPairsView& cells, const AtomTilesView<Real>& atoms, const StepClock* d_clock,
               const ForceSumsView<Real>& sums) {
      const CellBlockShape block = cell_block_shape<Real>(cells);
      launch_early(on, kernel, launch_shape(cells, block), "computing the pairs of cells", cells, atoms, table, physics,
                   d_clock, share, sums, block.slots);
    };
  };
  if constexpr (kFast) {
    if (fast)
      with_specialized_physics<Real, Limits::shared>(
          model, [&](const auto& physics) { add_forces_ = compile(std::true_type{}, std::false_type{}, physics); });
  }
  with_general_physics<Real>(model, [&]<class Physics>(const Physics& physics) {
    if (!fast) add_forces_ = compile(std::false_type{}, std::false_type{}, physics);
    add_forces_with_exclusions_ = compile(std::false_type{}, std::true_type{}, physics);
    const auto kernel = cell_energies_kernel<Real, Physics>;
    allow_shared_memory(kernel, device);
    energies_ = [=, table = table_.template view<CoefficientsOf<Physics, Real>>()](
                    const Cuda& on, const CellPairsView& cells, const AtomTilesView<Real>& atoms,
                    PartialEnergy* d_partial, std::uint32_t n_partial) {
      const CellBlockShape block = cell_block_shape<Real>(cells);
      const LaunchShape shape = launch_shape(cells, block);
      kernel<<<n_partial, shape.threads, shape.shared_bytes, on.get()>>>(cells, atoms, table, physics, share, d_partial,
                                                                         block.slots);
      DROPMD_CUDA_LAUNCHED("computing the energies of cells");
    };
  });
}

}  // namespace dropmd
