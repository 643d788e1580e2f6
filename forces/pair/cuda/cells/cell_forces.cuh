#pragma once

#include <cstdint>
#include <functional>

#include "core/step_clock.h"
#include "device/communicator/work_share.h"
#include "forces/force_sums.cuh"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "forces/pair/cuda/partial_energy.cuh"
#include "forces/pair/pair_model.h"
#include "forces/pair/pair_search.h"
#include "neighbor/cells/cell_pairs.cuh"

namespace dropmd {

/// Returns the parameters of the cells for a model. Throws InputError if a pair term has no cutoff.
inline CellPairsParameters cell_pairs_parameters(const PairModel& model, const PairSearch& search) {
  const bool sorted = search.method == NeighborMethod::sorted_cells;
  const double cutoff = search_cutoff(model);
  // Slightly longer than needed, so that rounding of an atom's cell does not lose a pair.
  constexpr double kMargin = 1 + 1e-6;
  const double contact = model.smallest_r_min().value_or(kUsualContact * cutoff);
  const double edge = kMargin * cell_share_of(model, search) * (cutoff + search.skin), in_contacts = edge / contact;
  constexpr double kDensest = 1.414;  // atoms per cubed contact distance: fcc
  return {cutoff, search.skin, edge, sorted, kDensest * in_contacts * in_contacts * in_contacts};
}

/// Pairs of cells, each computed once (Newton's third law): selects and launches the kernels. After construction
/// nothing waits or allocates, so everything may be captured in a graph.
template <class Real>
class CellForces {
 public:
  /// share: of the work; what other GPUs perform is left out, and its energies are zero.
  CellForces(const Cuda& cuda, const PairModel& model, WorkShare share = {});

  /// Adds the forces of the cells' pairs to the sums if the cells are valid and the atoms' clock says that they have
  /// moved. Of `atoms` it uses positions, charges and species, not the tiles.
  void add_forces(const Cuda& cuda, const CellPairsView& cells, const AtomTilesView<Real>& atoms,
                  const StepClock* d_clock, const ForceSumsView<Real>& sums) const {
    (atoms.excluded.any() ? add_forces_with_exclusions_ : add_forces_)(cuda, cells, atoms, d_clock, sums);
  }
  /// Computes the energies of the cells' pairs. d_partial: [CellPairs::n_partial_energies()].
  void energies(const Cuda& cuda, const CellPairsView& cells, const AtomTilesView<Real>& atoms,
                PartialEnergy* d_partial, std::uint32_t n_partial) const {
    energies_(cuda, cells, atoms, d_partial, n_partial);
  }

 private:
  DevicePairTable<Real> table_;
  std::function<void(const Cuda&, const CellPairsView&, const AtomTilesView<Real>&, const StepClock*,
                     const ForceSumsView<Real>&)>
      add_forces_, add_forces_with_exclusions_;
  std::function<void(const Cuda&, const CellPairsView&, const AtomTilesView<Real>&, PartialEnergy*, std::uint32_t)>
      energies_;
};

extern template class CellForces<float>;
extern template class CellForces<double>;

}  // namespace dropmd
