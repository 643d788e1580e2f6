#include "engine/ledger/population_ledger.h"

#include <cstddef>
#include <vector>

#include "core/topology/present_atoms.h"

namespace dropmd {

void PopulationLedger::resume(const Ledger& carried) {
  carried_.causes.insert(carried.causes);
  carried_.booked = carried.booked;
  carried_.removed = carried.removed;
}

Bookings PopulationLedger::pass_on(const Bookings& booked, const Particles& before, const Particles& after) {
  Bookings passed;
  const PresentAtoms now(after);
  for (std::size_t k = 0; k < kAtomCauses; ++k) {
    const std::vector<double>& of = booked.by_atom[k];
    if (of.empty()) continue;
    std::vector<double>& to = passed.by_atom[k];
    to.assign(after.size(), 0.0);
    double left = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (const std::uint32_t at = now.of(before.id_of(i) - 1); at != PresentAtoms::kAbsent)
        to[at] = of[i];
      else
        left += of[i];
    carried_.booked[k] += left;
  }
  return passed;
}

void PopulationLedger::book(Cause cause, double energy) {
  if (carried_.causes.has(cause)) carried_.booked[CauseSet::index(cause)] += energy;
}

void PopulationLedger::book(const RemovedSums& removed) {
  if (carried_.causes.has(Cause::removed)) carried_.removed += removed;
}

Ledger PopulationLedger::with_atoms(Ledger of_atoms) const {
  of_atoms.causes.insert(carried_.causes);
  for (std::size_t k = 0; k < kCauses; ++k) of_atoms.booked[k] += carried_.booked[k];
  of_atoms.removed = carried_.removed;
  return of_atoms;
}

}  // namespace dropmd
