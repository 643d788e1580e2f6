#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/execution.h"
#include "core/run/energies.h"
#include "core/vec3.h"
#include "forces/atom_sums.h"
#include "forces/want.h"

namespace dropmd {

/// Where the atoms are when forces are wanted.
struct Moment {
  std::span<const Vec3<double>> position;  ///< [n_atoms][3] in file order
  double time = 0;                         ///< in the run's unit; minimisers stay at 0
};

/// Motions of all atoms together that leave the energy of a term as it is. Beside a term that is not invariant nothing
/// is recentred unless the user asks.
struct Invariance {
  bool translation = true;
  bool rotation = true;
};

/// One contribution to the forces, on the host: pair forces, a wall, an external field. The terms of a run stand in one
/// list (ForceField) and add to the same forces in its order; nothing outside a term knows what it computes.
class ForceTerm {
 public:
  virtual ~ForceTerm() = default;

  /// Names of the energies that evaluate() adds, with static storage; columns of energy.csv in this order.
  virtual std::vector<std::string_view> energy_names() const = 0;
  virtual Invariance invariance() const = 0;

  /// Adds the forces of this moment to `force` [n_atoms][3], or overwrites it where `first` says that no other term has
  /// been there; adds its energies where they are wanted. Throws DeviceError.
  virtual void evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force,
                        Energies& energies) = 0;

  /// Adds the exact forces on some atoms, in fp64 and without approximations: sample: indices of atoms [n], sums: [n].
  virtual void add_reference(Cpu cpu, const Moment& now, std::span<const std::uint32_t> sample,
                             std::span<AtomSums> sums) const = 0;

  /// Host memory beside the atoms, of the last evaluation.
  virtual std::uint64_t bytes() const { return 0; }
};

}  // namespace dropmd
