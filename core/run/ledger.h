#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/vec3.h"

/// Accounts for the energy that the atoms receive from outside: positive where it increases the energy of the atoms.
namespace dropmd {

/// What can change the energy: `bath`, a thermostat; `field`, a field that depends on time; `recentring` and `momentum`
/// (removal of centre-of-mass motion and rotation), applied to the atoms at intervals; `removed` and `added`, the
/// energy that leaves or enters with atoms, including their interaction with the others; `mesh`, a change to a finer
/// mesh for the Coulomb forces, which gives the same atoms a different energy.
enum class Cause : std::uint8_t { bath, field, recentring, momentum, removed, added, mesh };

/// Names in the order of Cause; the columns of ledger.csv.
inline constexpr std::array<std::string_view, 7> kCauseNames{"bath",    "field", "recentring", "momentum",
                                                             "removed", "added", "mesh"};
/// Number of causes.
inline constexpr std::size_t kCauses = kCauseNames.size();
/// The first causes are booked for each atom, the others for the whole system.
inline constexpr std::size_t kAtomCauses = 4;
/// Energies in the order of Cause.
using CauseTotals = std::array<double, kCauses>;

/// The set of causes that occur in a run.
class CauseSet {
 public:
  /// Adds a cause to the set.
  constexpr void insert(Cause cause) { has_[index(cause)] = true; }
  /// Adds the causes of another set.
  constexpr void insert(const CauseSet& causes) {
    for (std::size_t k = 0; k < kCauses; ++k) has_[k] = has_[k] || causes.has_[k];
  }
  /// Whether the set has the cause.
  constexpr bool has(Cause cause) const { return has_[index(cause)]; }
  /// Number of causes in the set.
  constexpr std::size_t size() const {
    std::size_t n = 0;
    for (const bool has : has_) n += has ? 1 : 0;
    return n;
  }
  /// Whether the set has any cause.
  constexpr bool any() const { return size() > 0; }
  /// Index of a cause in CauseTotals and kCauseNames.
  static constexpr std::size_t index(Cause cause) { return static_cast<std::size_t>(cause); }

  friend bool operator==(const CauseSet&, const CauseSet&) = default;

 private:
  std::array<bool, kCauses> has_{};
};

/// What the atoms that left a run took with them. Units are the run's: mass, charge, mass length/time, mass
/// length²/time.
struct RemovedSums {
  double mass = 0, charge = 0;
  Vec3<double> momentum{};
  Vec3<double> angular_momentum{};  ///< about the origin of the step at which they left

  RemovedSums& operator+=(const RemovedSums& o) {
    mass += o.mass, charge += o.charge;
    momentum += o.momentum, angular_momentum += o.angular_momentum;
    return *this;
  }
  friend bool operator==(const RemovedSums&, const RemovedSums&) = default;
};

/// The energy received since step 0, by cause, in the run's energy unit.
struct Ledger {
  CauseSet causes{};      ///< the causes that the run has; all others stay at 0
  CauseTotals booked{};   ///< energy by cause
  RemovedSums removed{};  ///< besides energy

  /// Energy received by this cause.
  double of(Cause cause) const { return booked[CauseSet::index(cause)]; }
  /// Energy received by all causes: the sum in the order of Cause, on which its last digit depends.
  double total() const {
    double sum = 0;
    for (const double energy : booked) sum += energy;
    return sum;
  }

  friend bool operator==(const Ledger&, const Ledger&) = default;
};

/// The same for each atom.
struct Bookings {
  /// By cause; [n_atoms] in the order of Particles for a cause that the run has, else empty.
  std::array<std::vector<double>, kAtomCauses> by_atom{};

  /// The energies of one cause, [n_atoms] or empty.
  std::vector<double>& of(Cause cause) { return by_atom[CauseSet::index(cause)]; }
  const std::vector<double>& of(Cause cause) const { return by_atom[CauseSet::index(cause)]; }

  friend bool operator==(const Bookings&, const Bookings&) = default;
};

}  // namespace dropmd
