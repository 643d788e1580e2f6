#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "core/execution.h"
#include "core/run/energies.h"
#include "core/vec3.h"
#include "forces/atom_sums.h"
#include "forces/want.h"

namespace dropmd {

/// Positions and time for which forces are computed.
struct Moment {
  std::span<const Vec3<double>> position;  ///< [n_atoms][3] length, in file order
  double time = 0;                         ///< in the run's time unit; 0 for minimisers
};

/// One contribution to the forces, computed on the host: pair forces, a wall, an external field. The terms of a run are
/// in one list (ForceField) and add to the same forces in its order; only a term itself knows its physics.
class ForceTerm {
 public:
  virtual ~ForceTerm() = default;

  /// Names of the energies that evaluate() adds, in static storage; columns of energy.csv in this order.
  virtual std::vector<std::string_view> energy_names() const = 0;

  /// Adds the forces to `force`, [n_atoms][3] energy/length, or overwrites it if `first` says that this is the first
  /// term; adds the energies if they are wanted. Throws DeviceError.
  virtual void evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force,
                        Energies& energies) = 0;

  /// Adds the exact forces on some atoms, in fp64 without approximations. sample: [n] indices of atoms; sums: [n].
  virtual void add_reference(Cpu cpu, const Moment& now, std::span<const std::uint32_t> sample,
                             std::span<AtomSums> sums) const = 0;
  /// Adds the exact energies of all atoms, in fp64 without approximations.
  virtual void add_reference_energies(Cpu cpu, const Moment& now, Energies& energies) const = 0;

  /// Returns the numbers that evaluate() keeps from earlier positions and on which its results depend, if only in
  /// rounding; a checkpoint stores them. A term that is given them continues to the same bytes as one that was not
  /// interrupted. Empty for a term whose results depend on nothing but the moment. Only evaluate() changes the numbers,
  /// whatever is wanted of it, and a second evaluation of the same moment leaves them unchanged.
  virtual std::vector<double> state() const { return {}; }
  /// Takes the numbers that state() of a term of the same model has returned. Throws std::invalid_argument if they
  /// cannot be such numbers.
  virtual void set_state(std::span<const double> state) {
    if (!state.empty()) throw std::invalid_argument("a state was given to a force term that has none");
  }

  /// Bytes of host memory besides the atoms, of the last evaluation.
  virtual std::uint64_t bytes() const { return 0; }
};

}  // namespace dropmd
