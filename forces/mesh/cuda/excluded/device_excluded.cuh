#pragma once

#include <cstddef>
#include <cstdint>

#include "core/particles.h"
#include "core/topology/excluded_pairs.h"
#include "device/buffer.cuh"
#include "forces/device_force_term.cuh"
#include "forces/pair/coulomb_short_range.h"
#include "forces/term_atoms.cuh"

namespace dropmd {

/// The correction for excluded pairs of charges, whose smooth part L of the Coulomb potential a mesh counts, in steps
/// on a GPU: −k_e q_i q_j L(r_ij), in fp64. The two forces of a pair are exactly opposite when they are added to the
/// sums. Energies are added in the order of the host's arrays.
template <class Real>
class DeviceExcluded {
 public:
  /// form: gives L. Waits.
  DeviceExcluded(const Cuda& cuda, const ExcludedPairs& excluded, const Particles& particles,
                 const CoulombShortRange<double>& form, double coulomb_constant);

  /// Like the functions of DeviceForceTerm.
  void reordered(const Cuda& cuda, const DeviceMoment<Real>& now) const { atoms_.reordered(cuda, now); }
  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const;
  /// Adds the energy of all pairs. d_energy: [1].
  void add_energy(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy) const;

  /// Device memory for at most n_pairs pairs, bytes.
  static std::uint64_t bytes(std::size_t n_atoms, std::size_t n_pairs);

 private:
  std::uint32_t n_pairs_ = 0;
  CoulombShortRange<double> form_;
  double coulomb_;
  TermAtoms atoms_;                 ///< [2][n_pairs]
  DeviceBuffer<double> d_partial_;  ///< [n_blocks] energies of blocks of pairs
};

extern template class DeviceExcluded<float>;
extern template class DeviceExcluded<double>;

}  // namespace dropmd
