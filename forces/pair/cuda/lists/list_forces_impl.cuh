#pragma once

#include "device/shared_memory.cuh"
#include "forces/pair/cuda/lists/list_forces.cuh"
#include "forces/pair/cuda/lists/list_kernel.cuh"
#include "forces/pair/with_physics.h"

/// For the files that instantiate ListForces: one per precision, since each holds every pair physics.
namespace dropmd {

template <class Real>
ListForces<Real>::ListForces(const Cuda& cuda, const PairModel& model) : table_(cuda.stream, model) {
  constexpr std::uint32_t kThreads = 32 * ListTuning<Real>::kWarps;
  const int device = cuda.stream.device();
  // In single precision there is fast code for the usual case, one species and one cutoff, and code for all others.
  constexpr bool kFast = std::is_same_v<Real, float>;
  const bool one = model.n_species == 1, fast = kFast && one && limits_of(model) == Limits::shared;
  const bool without_species = !kFast && one;  // in the code for all others
  const auto compile = [&](auto one_species, const auto& physics) {
    using Physics = std::decay_t<decltype(physics)>;
    const auto kernel = list_forces_kernel<Real, Physics, one_species.value>;
    allow_shared_memory(kernel, device);
    add_forces_ = [=, table = table_.template view<CoefficientsOf<Physics, Real>>()](
                      const Cuda& on, const PairListView& list, const AtomTilesView<Real>& tiles,
                      const StepClock* d_clock, const ForceSumsView<Real>& sums) {
      launch_early(on, kernel,
                   {list.max_items, kThreads, list_shared_bytes<Real>(list.slots(), fast || without_species)},
                   "computing the pairs of a list", list, tiles, table, physics, d_clock, sums);
    };
  };
  if constexpr (kFast) {
    if (fast)
      with_specialized_physics<Real, Limits::shared>(model,
                                                     [&](const auto& physics) { compile(std::true_type{}, physics); });
  }
  with_cut_physics<Real>(model, [&]<class Physics>(const Physics& physics) {
    if (!fast) compile(std::false_type{}, physics);
    const auto kernel = list_energies_kernel<Real, Physics>;
    allow_shared_memory(kernel, device);
    energies_ = [=, table = table_.template view<CoefficientsOf<Physics, Real>>()](
                    const Cuda& on, const PairListView& list, const AtomTilesView<Real>& tiles,
                    PartialEnergy* d_partial) {
      kernel<<<tiles.n_tiles() * kEnergyBlocksPerTile, kThreads, list_shared_bytes<Real>(list.slots(), without_species),
               on.get()>>>(list, tiles, table, physics, d_partial);
      DROPMD_CUDA_LAUNCHED("computing the energies of a pair list");
    };
  });
}

}  // namespace dropmd
