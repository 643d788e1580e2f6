#pragma once

#include <optional>

#include "core/particles.h"
#include "core/run/ledger.h"
#include "engine/population/population_change.h"

namespace dropmd {

/// The part of a run's ledger that belongs to no atom: what was booked for atoms that have left, and what left and came
/// with atoms. An executor keeps the other part, and knows the atoms of its segment alone.
class PopulationLedger {
 public:
  /// The population may change from now on: `removed` and `added` are causes of the run. Begins at zero; what is
  /// carried already stays.
  void open();
  /// As a state had it; where it carried nothing, this stays as it is.
  void resume(const std::optional<CauseTotals>& carried);
  /// None before open(), in a run whose population never changes.
  const std::optional<CauseTotals>& carried() const { return carried_; }

  /// The bookings for the atoms `after` a change of those `before`: atoms that stay keep theirs, added ones begin at
  /// zero, and what was booked for atoms that leave is carried on. Ids ascend in both.
  Bookings pass_on(const Bookings& booked, const Particles& before, const Particles& after);
  /// What the change itself took or brought.
  void book(const PopulationBooking& booking);

  /// The whole ledger, from that of the atoms.
  Ledger with_atoms(Ledger of_atoms) const;

 private:
  std::optional<CauseTotals> carried_;
};

}  // namespace dropmd
