#include "forces/pair/cuda/lists/two_atom_forces.cuh"

#include <stdexcept>

#include "device/shared_memory.cuh"
#include "forces/pair/cuda/lists/two_atom_kernel.cuh"
#include "forces/pair/with_physics.h"

namespace dropmd {

namespace {

std::size_t shared_bytes(const TwoAtomListView& list) {
  return (std::size_t{list.max_slots} + 1) * sizeof(TwoAtomSlot);
}

}  // namespace

TwoAtomForces::TwoAtomForces(const Cuda& cuda, const PairModel& model) : table_(cuda.stream, model) {
  if (!model.lj || model.coulomb)
    throw std::logic_error("lists of two-atom clusters are for a van der Waals term only");
  constexpr std::uint32_t kThreads = 32 * kTwoAtomWarps;
  const int device = cuda.stream.device();
  with_lj_physics<float>(model, [&](const auto& physics) {
    using Physics = std::decay_t<decltype(physics)>;
    const auto compile = [&](auto one_species, auto exclusions) {
      const auto kernel = two_atom_forces_kernel<Physics, one_species.value, exclusions.value>;
      allow_shared_memory(kernel, device);
      return [=, table = table_.view()](const Cuda& on, const TwoAtomListView& list, const AtomTilesView<float>& atoms,
                                        const StepClock* d_clock, const ForceSumsView<float>& sums) {
        launch_early(on, kernel, {TwoAtomListView::blocks_of(atoms.n_atoms), kThreads, shared_bytes(list)},
                     "computing the pairs of a list", list, atoms, table, physics, d_clock, sums);
      };
    };
    if (model.n_species == 1)
      add_forces_ = compile(std::true_type{}, std::false_type{});
    else
      add_forces_ = compile(std::false_type{}, std::false_type{});
    add_forces_with_exclusions_ = compile(std::false_type{}, std::true_type{});
    const auto kernel = two_atom_energies_kernel<Physics>;
    allow_shared_memory(kernel, device);
    energies_ = [=, table = table_.view()](const Cuda& on, const TwoAtomListView& list,
                                           const AtomTilesView<float>& atoms, PartialEnergy* d_partial) {
      kernel<<<TwoAtomListView::blocks_of(atoms.n_atoms), kThreads, shared_bytes(list), on.get()>>>(list, atoms, table,
                                                                                                    physics, d_partial);
      DROPMD_CUDA_LAUNCHED("computing the energies of a pair list");
    };
  });
}

}  // namespace dropmd
