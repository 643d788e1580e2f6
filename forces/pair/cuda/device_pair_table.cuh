#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "device/buffer.cuh"
#include "forces/pair/pair_table.h"
#include "neighbor/position_grid.h"

namespace dropmd {

/// What kernels need of the pair model besides its forms.
template <class Real, class Coefficients = LjCoefficients<Real>>
struct PairTableView {
  const Coefficients* coefficients;  ///< [n_species][n_species]
  /// [n_species] whether any of a species' Lennard-Jones coefficients is not zero; true in Born-Mayer models.
  const std::uint8_t* has_vdw;
  std::uint32_t n_species;
  Real coulomb_constant;
  Real cutoff2;         ///< square of the larger cutoff, for counting
  Real near_distance2;  ///< square of the distance up to which low-order parts count (PositionGrid)
};

/// The device memory of PairTableView.
template <class Real>
class DevicePairTable {
 public:
  /// Throws InputError if the coefficients exceed the range of Real; waits for the copy.
  DevicePairTable(const Stream& stream, const PairModel& model)
      : d_lj_(stream), d_born_mayer_(stream), d_has_vdw_(stream) {
    const PairTable<Real> table = pair_table<Real>(model);
    const std::vector<std::uint8_t> has_vdw = species_with_vdw(table, model);
    d_lj_.upload(table.lj);
    d_born_mayer_.upload(table.born_mayer);
    d_has_vdw_.upload(has_vdw);
    stream.synchronize("copying the pair coefficients");
    const double cutoff = model.cutoff();
    const double near = PositionGrid::for_contact_distance(model.smallest_r_min()).near_distance;
    view_ = {nullptr,
             d_has_vdw_.data(),
             static_cast<std::uint32_t>(model.n_species),
             static_cast<Real>(model.coulomb_constant),
             static_cast<Real>(cutoff * cutoff),
             static_cast<Real>(near * near)};
  }

  /// Device memory in bytes: the coefficients of the model's van der Waals term, and a flag for each species.
  static std::uint64_t bytes(const PairModel& model) {
    const std::uint64_t n_pairs = std::uint64_t{model.n_species} * model.n_species;
    return (model.born_mayer ? sizeof(BornMayerCoefficients<Real>) : sizeof(LjCoefficients<Real>)) * n_pairs +
           model.n_species;
  }

  /// Returns which species have a van der Waals term with any other: [n_species] 1 or 0.
  static std::vector<std::uint8_t> species_with_vdw(const PairModel& model) {
    return species_with_vdw(pair_table<Real>(model), model);
  }

  /// Returns the view for kernels whose van der Waals term has coefficients of this type.
  template <class Coefficients = LjCoefficients<Real>>
  PairTableView<Real, Coefficients> view() const {
    const Coefficients* d_coefficients;
    if constexpr (std::is_same_v<Coefficients, LjCoefficients<Real>>)
      d_coefficients = d_lj_.data();
    else
      d_coefficients = d_born_mayer_.data();
    return {d_coefficients,         view_.has_vdw, view_.n_species,
            view_.coulomb_constant, view_.cutoff2, view_.near_distance2};
  }

 private:
  static std::vector<std::uint8_t> species_with_vdw(const PairTable<Real>& table, const PairModel& model) {
    if (model.born_mayer) return std::vector<std::uint8_t>(model.n_species, 1);
    std::vector<std::uint8_t> any(model.n_species);
    for (std::size_t k = 0; k < table.lj.size(); ++k)
      if (table.lj[k] != LjCoefficients<Real>{}) any[k / model.n_species] = 1;
    return any;
  }

  DeviceBuffer<LjCoefficients<Real>> d_lj_;
  DeviceBuffer<BornMayerCoefficients<Real>> d_born_mayer_;
  DeviceBuffer<std::uint8_t> d_has_vdw_;
  PairTableView<Real> view_{};
};

}  // namespace dropmd
