#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/execution.h"
#include "core/particles.h"
#include "forces/force_term.h"

namespace dropmd {

struct Cuda;
template <class Real>
class DeviceForceTerm;

/// A force term of many atoms beside the pair forces - bonds, a mesh - as a model has it: it makes the term for the
/// processor that computes. Its energy depends on differences of positions alone, so that recentring leaves it as it
/// is; what holds atoms in space is a term of one atom (forces/fields/atom_terms.h).
///
/// The particles of a run may change between its segments, and each segment makes its terms again. A term therefore
/// names atoms by their ids, and leaves out what belongs to atoms that are gone.
class ManyAtomTerm {
 public:
  virtual ~ManyAtomTerm() = default;

  /// Names of the energies, with static storage; columns of energy.csv behind those of the pairs.
  virtual std::vector<std::string_view> energy_names() const = 0;

  /// The term on these particles, which outlive it.
  virtual std::unique_ptr<ForceTerm> on_host(Cpu cpu, const Particles& particles) const = 0;

  /// The same for steps on a GPU, in mixed and in double precision. Throws DeviceError where there is no memory.
  virtual std::unique_ptr<DeviceForceTerm<float>> on_gpu_in_mixed(const Cuda& cuda,
                                                                  const Particles& particles) const = 0;
  virtual std::unique_ptr<DeviceForceTerm<double>> on_gpu_in_double(const Cuda& cuda,
                                                                    const Particles& particles) const = 0;
  /// Device memory that one of them takes, in bytes.
  virtual std::uint64_t device_bytes(std::size_t n_atoms) const = 0;
};

/// The terms of many atoms of a model, in the order in which they add their forces.
using ManyAtomTerms = std::vector<std::shared_ptr<const ManyAtomTerm>>;

}  // namespace dropmd
