#pragma once

#include <cstdint>

#include "core/step_clock.h"
#include "core/vec3.h"
#include "device/cuda.cuh"
#include "forces/force_sums.cuh"
#include "neighbor/displacement_check.h"

namespace dropmd {

/// Positions and other data of the atoms for which forces are computed on a GPU, in device memory, by storage index.
struct DeviceMoment {
  const Vec3<double>* position;     ///< [n_atoms][3] fp64, length
  const double* charge;             ///< [n_atoms] fp64, charge
  const std::uint32_t* host_index;  ///< [n_atoms] index of the atom in the host's arrays
  std::uint32_t n_atoms;            ///< number of atoms
  const StepClock* clock;           ///< step that the atoms have reached; null: forces are wanted in any case
  const SearchState* search;        ///< neighbour search of the pair forces; null if all pairs are summed

#if defined(__CUDACC__)
  /// Whether a kernel must add its forces. Loops of steps on the device may launch steps behind the last one, or with a
  /// stale neighbour search; these must have no effect.
  __device__ bool wants_forces() const {
    return search == nullptr || (search->usable() && (clock == nullptr || clock->moved()));
  }
#endif
};

/// A force term of many atoms in the steps on a GPU, besides the pair forces (DevicePairs). Its functions only enqueue
/// work, do not wait or allocate, and may be captured in a graph. Results must not depend on the order of the atoms in
/// memory or of threads: forces are integer sums, and energies must be added in a fixed order.
template <class Real>
class DeviceForceTerm {
 public:
  virtual ~DeviceForceTerm() = default;

  /// Is called when the order of the atoms in memory has changed, and once before the first forces.
  virtual void reordered(const Cuda& cuda, const DeviceMoment& now) = 0;
  /// Adds the forces to the sums if now.wants_forces() is true.
  virtual void add_forces(const Cuda& cuda, const DeviceMoment& now, const ForceSumsView<Real>& sums) const = 0;
  /// Computes the energies. d_energy: [n] in the order of ManyAtomTerm::energy_names(), overwritten.
  virtual void energies(const Cuda& cuda, const DeviceMoment& now, double* d_energy) const = 0;
};

}  // namespace dropmd
