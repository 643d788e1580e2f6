#pragma once

#include <optional>

#include "core/particles.h"
#include "core/run/ledger.h"
#include "engine/population/population_change.h"

namespace dropmd {

/// The part of a run's ledger that belongs to no present atom: what was booked for removed atoms, and the energy that
/// atoms took with them or brought. An executor keeps the other part, for the atoms of its segment.
class PopulationLedger {
 public:
  /// From now on the population may change: `removed` and `added` become causes of the run. The totals begin at zero
  /// unless there are some already.
  void open();
  /// Takes over the totals of a saved state; if it has none, the present ones stay.
  void resume(const std::optional<CauseTotals>& carried);
  /// Totals by cause; nullopt before open(), in a run whose population never changes.
  const std::optional<CauseTotals>& carried() const { return carried_; }

  /// Returns the bookings for the atoms `after` a change from those for the atoms `before`: remaining atoms keep
  /// theirs, and added ones begin at zero. What was booked for removed atoms is added to the totals. Ids must ascend in
  /// both.
  Bookings pass_on(const Bookings& booked, const Particles& before, const Particles& after);
  /// Books the energy of the change itself.
  void book(const PopulationBooking& booking);

  /// Returns the whole ledger of the run: these totals and `of_atoms`.
  Ledger with_atoms(Ledger of_atoms) const;

 private:
  std::optional<CauseTotals> carried_;
};

}  // namespace dropmd
