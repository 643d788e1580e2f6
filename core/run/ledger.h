#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// What changes the energy of the atoms from outside, and how much it has changed it: positive where energy came in.
namespace dropmd {

/// A bath is a thermostat; a field one that depends on time; recentring and removal of momentum are done to the atoms
/// at intervals. Atoms that are removed or added change the energy by what they had and what held them.
enum class Cause : std::uint8_t { bath, field, recentring, momentum, removed, added };

/// In the order of Cause; the columns of ledger.csv.
inline constexpr std::array<std::string_view, 6> kCauseNames{"bath",     "field",   "recentring",
                                                             "momentum", "removed", "added"};
inline constexpr std::size_t kCauses = kCauseNames.size();
/// The first of them are booked atom by atom; what comes and goes with atoms is booked for the whole system.
inline constexpr std::size_t kAtomCauses = 4;
/// Energies in the order of Cause.
using CauseTotals = std::array<double, kCauses>;

/// The causes that a run has.
class CauseSet {
 public:
  constexpr void insert(Cause cause) { has_[index(cause)] = true; }
  constexpr bool has(Cause cause) const { return has_[index(cause)]; }
  constexpr std::size_t size() const {
    std::size_t n = 0;
    for (const bool has : has_) n += has ? 1 : 0;
    return n;
  }
  constexpr bool any() const { return size() > 0; }
  static constexpr std::size_t index(Cause cause) { return static_cast<std::size_t>(cause); }

  friend bool operator==(const CauseSet&, const CauseSet&) = default;

 private:
  std::array<bool, kCauses> has_{};
};

/// What came in since step 0 was complete, by cause, in the run's energy unit.
struct Ledger {
  CauseSet causes{};  ///< others stay at 0
  CauseTotals booked{};

  double of(Cause cause) const { return booked[CauseSet::index(cause)]; }
  /// In the order of the causes, on which its last digit depends.
  double total() const {
    double sum = 0;
    for (const double energy : booked) sum += energy;
    return sum;
  }
};

/// The same for each atom: [n_atoms] in file order for each cause that the run has, else empty.
struct Bookings {
  std::array<std::vector<double>, kAtomCauses> by_atom{};

  std::vector<double>& of(Cause cause) { return by_atom[CauseSet::index(cause)]; }
  const std::vector<double>& of(Cause cause) const { return by_atom[CauseSet::index(cause)]; }

  friend bool operator==(const Bookings&, const Bookings&) = default;
};

}  // namespace dropmd
