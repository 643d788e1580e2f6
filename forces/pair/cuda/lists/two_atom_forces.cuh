#pragma once

#include <cstdint>
#include <functional>

#include "core/step_clock.h"
#include "forces/force_sums.cuh"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "forces/pair/cuda/partial_energy.cuh"
#include "forces/pair/pair_model.h"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/lists/two_atom_list.cuh"

namespace dropmd {

/// Pairs of a list of two-atom clusters, in mixed precision; the interface is that of ListForces.
class TwoAtomForces {
 public:
  /// Throws std::logic_error for a model with a Coulomb term, or without a van der Waals term.
  TwoAtomForces(const Cuda& cuda, const PairModel& model);

  /// Adds the forces of the list's pairs to the sums if the list is valid and the atoms' clock says that they have
  /// moved.
  void add_forces(const Cuda& cuda, const TwoAtomListView& list, const AtomTilesView<float>& atoms,
                  const StepClock* d_clock, const ForceSumsView<float>& sums) const {
    (atoms.excluded.any() ? add_forces_with_exclusions_ : add_forces_)(cuda, list, atoms, d_clock, sums);
  }
  /// Computes the energies of the list's pairs. d_partial: [TwoAtomList::n_partial_energies()].
  void energies(const Cuda& cuda, const TwoAtomListView& list, const AtomTilesView<float>& atoms,
                PartialEnergy* d_partial, std::uint32_t /*n_partial*/) const {
    energies_(cuda, list, atoms, d_partial);
  }

 private:
  DevicePairTable<float> table_;
  std::function<void(const Cuda&, const TwoAtomListView&, const AtomTilesView<float>&, const StepClock*,
                     const ForceSumsView<float>&)>
      add_forces_, add_forces_with_exclusions_;
  std::function<void(const Cuda&, const TwoAtomListView&, const AtomTilesView<float>&, PartialEnergy*)> energies_;
};

}  // namespace dropmd
