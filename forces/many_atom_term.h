#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/execution.h"
#include "core/particles.h"
#include "core/run/invariance.h"
#include "forces/force_term.h"

namespace dropmd {

struct Cuda;
template <class Real>
class DeviceForceTerm;

/// A force term of many atoms besides the pair forces, such as bonds or a mesh, as part of a model: it constructs the
/// term for the processor that computes it.
///
/// The particles of a run may change between its segments, and each segment constructs its terms again. A term must
/// therefore name atoms by their ids, and ignore data of atoms that have been removed.
class ManyAtomTerm {
 public:
  virtual ~ManyAtomTerm() = default;

  /// Names of the energies, in static storage; columns of energy.csv after those of the pairs. A term may add to the
  /// pair energies `vdw` and `coulomb`, as a far field does; every other name belongs to one term.
  virtual std::vector<std::string_view> energy_names() const = 0;
  /// The motions of all atoms that leave its energies unchanged: both for a term that depends on nothing but distances
  /// and angles between atoms, and neither for one that is fixed in space.
  virtual Invariance invariance() const { return {}; }
  /// Whether its forces vary so slowly that a run may compute them at its outer steps alone (core/outer_steps.h).
  virtual bool is_slow() const { return false; }

  /// Returns the term for these particles on the host. The particles must outlive it.
  virtual std::unique_ptr<ForceTerm> on_host(Cpu cpu, const Particles& particles) const = 0;

  /// The same for steps on a GPU, in mixed and in double precision. Throws DeviceError if memory does not suffice.
  virtual std::unique_ptr<DeviceForceTerm<float>> on_gpu_in_mixed(const Cuda& cuda,
                                                                  const Particles& particles) const = 0;
  virtual std::unique_ptr<DeviceForceTerm<double>> on_gpu_in_double(const Cuda& cuda,
                                                                    const Particles& particles) const = 0;
  /// Device memory of such a term in bytes.
  virtual std::uint64_t device_bytes(std::size_t n_atoms) const = 0;
};

/// The terms of many atoms that a model has, in the order in which they add their forces.
using ManyAtomTerms = std::vector<std::shared_ptr<const ManyAtomTerm>>;

}  // namespace dropmd
