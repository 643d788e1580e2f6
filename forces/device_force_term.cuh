#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/step_clock.h"
#include "core/vec3.h"
#include "device/cuda.cuh"
#include "forces/force_sums.cuh"
#include "neighbor/displacement_check.h"

namespace dropmd {

/// Where the atoms on a GPU are when forces are wanted: device memory, fp64, atoms by storage index.
struct DeviceMoment {
  const Vec3<double>* position;     ///< [n_atoms]
  const double* charge;             ///< [n_atoms]
  const std::uint32_t* host_index;  ///< [n_atoms] index in the host's arrays of the atom at a storage index
  std::uint32_t n_atoms;
  const StepClock* clock;     ///< of the atoms; null: forces are wanted in any case
  const SearchState* search;  ///< of the pair forces; null where all pairs are summed

#if defined(__CUDACC__)
  /// Whether a kernel that stands in a loop of steps is to add its forces: where a search for neighbours decides how
  /// far the steps come, steps behind the last one, and those whose search has become stale, are launched in vain.
  __device__ bool wants_forces() const {
    return search == nullptr || (search->usable() && (clock == nullptr || clock->moved()));
  }
#endif
};

/// One contribution of many atoms to the forces in the steps of a GPU, beside the pair forces (DevicePairs). What it
/// enqueues neither waits nor allocates, and may be captured in a graph. Its results do not depend on the order of the
/// atoms in memory, or of threads: forces are integer sums, energies are added in an order of its own.
template <class Real>
class DeviceForceTerm {
 public:
  virtual ~DeviceForceTerm() = default;

  /// As ManyAtomTerm::energy_names().
  virtual std::vector<std::string_view> energy_names() const = 0;

  /// The atoms lie in another order than before, or for the first time.
  virtual void reordered(const Cuda& cuda, const DeviceMoment& now) = 0;
  /// Adds the forces to the sums where now.wants_forces().
  virtual void add_forces(const Cuda& cuda, const DeviceMoment& now, const ForceSumsView<Real>& sums) const = 0;
  /// Sets the energies; d_energy: [energy_names().size()].
  virtual void energies(const Cuda& cuda, const DeviceMoment& now, double* d_energy) const = 0;
};

}  // namespace dropmd
