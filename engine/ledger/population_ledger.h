#pragma once

#include "core/particles.h"
#include "core/run/ledger.h"

namespace dropmd {

/// The part of a run's ledger that belongs to no present atom: what was booked for removed atoms, and the causes that
/// are booked for the whole system between two segments. An executor keeps the other part, for the atoms of its
/// segment.
class PopulationLedger {
 public:
  /// Makes this a cause of the run from now on. Its total begins at zero unless there is one already.
  void open(Cause cause) { carried_.causes.insert(cause); }
  /// Takes over the totals of a saved state. Causes that only this ledger has stay, at zero.
  void resume(const Ledger& carried);
  /// The causes that were opened, and totals.
  const Ledger& carried() const { return carried_; }

  /// Returns the bookings for the atoms `after` a change from those for the atoms `before`: remaining atoms keep
  /// theirs, and added ones begin at zero. What was booked for removed atoms is added to the totals. Ids must ascend in
  /// both.
  Bookings pass_on(const Bookings& booked, const Particles& before, const Particles& after);
  /// Books the energy of the change itself, if its cause was opened.
  void book(Cause cause, double energy);
  /// Books what removed atoms took with them, in a run from which atoms are removed.
  void book(const RemovedSums& removed);

  /// Returns the whole ledger of the run: these totals and `of_atoms`.
  Ledger with_atoms(Ledger of_atoms) const;

 private:
  Ledger carried_;
};

}  // namespace dropmd
