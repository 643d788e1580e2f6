#pragma once

#include <cstdint>
#include <functional>

#include "core/step_clock.h"
#include "forces/force_sums.cuh"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "forces/pair/cuda/partial_energy.cuh"
#include "forces/pair/pair_model.h"
#include "forces/pair/pair_search.h"
#include "neighbor/lists/pair_list.cuh"
#include "neighbor/position_grid.h"

namespace dropmd {

/// Returns the parameters of a model's pair list. Throws InputError if a pair term has no cutoff.
inline PairListParameters pair_list_parameters(const PairModel& model, double skin) {
  return {search_cutoff(model), skin, PositionGrid::for_contact_distance(model.smallest_r_min()).near_distance,
          model.n_species > 1};
}

/// Pairs of a list, each computed once (Newton's third law): selects and launches the kernels. After construction
/// nothing waits or allocates, so everything may be captured in a graph. For a part of a list the forces and energies
/// are those of its pairs; those of other parts are zero.
template <class Real>
class ListForces {
 public:
  ListForces(const Cuda& cuda, const PairModel& model);

  /// Adds the forces of the list's pairs to the sums if the list is valid and the atoms' clock says that they have
  /// moved.
  void add_forces(const Cuda& cuda, const PairListView& list, const AtomTilesView<Real>& tiles,
                  const StepClock* d_clock, const ForceSumsView<Real>& sums) const {
    add_forces_(cuda, list, tiles, d_clock, sums);
  }
  /// Computes the energies of the list's pairs. d_partial: [PairList::n_partial_energies()].
  void energies(const Cuda& cuda, const PairListView& list, const AtomTilesView<Real>& tiles, PartialEnergy* d_partial,
                std::uint32_t /*n_partial*/) const {
    energies_(cuda, list, tiles, d_partial);
  }

 private:
  DevicePairTable<Real> table_;
  std::function<void(const Cuda&, const PairListView&, const AtomTilesView<Real>&, const StepClock*,
                     const ForceSumsView<Real>&)>
      add_forces_;
  std::function<void(const Cuda&, const PairListView&, const AtomTilesView<Real>&, PartialEnergy*)> energies_;
};

extern template class ListForces<float>;
extern template class ListForces<double>;

}  // namespace dropmd
