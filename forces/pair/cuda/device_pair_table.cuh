#pragma once

#include <cstdint>

#include "device/buffer.cuh"
#include "forces/pair/pair_table.h"
#include "neighbor/position_grid.h"

namespace dropmd {

/// What kernels know of the pair model beside its forms.
template <class Real>
struct PairTableView {
  const LjCoefficients<Real>* coefficients;  ///< [n_species][n_species]
  std::uint32_t n_species;
  Real coulomb_constant;
  Real cutoff2;         ///< of the larger cutoff, for counting
  Real near_distance2;  ///< up to which what rounding left out counts (PositionGrid)
};

/// Its device memory.
template <class Real>
class DevicePairTable {
 public:
  /// Throws InputError where the coefficients leave the range of Real; waits.
  DevicePairTable(const Stream& stream, const PairModel& model) : d_coefficients_(stream) {
    const std::vector<LjCoefficients<Real>> table = pair_table<Real>(model);
    d_coefficients_.upload(table);
    stream.synchronize("copying the pair coefficients");
    const double cutoff = model.cutoff();
    const double near = PositionGrid::for_contact_distance(model.smallest_r_min()).near_distance;
    view_ = {d_coefficients_.data(), static_cast<std::uint32_t>(model.n_species),
             static_cast<Real>(model.coulomb_constant), static_cast<Real>(cutoff * cutoff),
             static_cast<Real>(near * near)};
  }

  const PairTableView<Real>& view() const { return view_; }

 private:
  DeviceBuffer<LjCoefficients<Real>> d_coefficients_;
  PairTableView<Real> view_{};
};

}  // namespace dropmd
