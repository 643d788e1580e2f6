#include "engine/ledger/population_ledger.h"

#include <cstddef>
#include <vector>

namespace dropmd {

void PopulationLedger::resume(const Ledger& carried) {
  carried_.causes.insert(carried.causes);
  carried_.booked = carried.booked;
  carried_.removed = carried.removed;
}

Bookings PopulationLedger::pass_on(const Bookings& booked, const Particles& before, const Particles& after) {
  Bookings passed;
  for (std::size_t k = 0; k < kAtomCauses; ++k) {
    const std::vector<double>& of = booked.by_atom[k];
    if (of.empty()) continue;
    std::vector<double>& to = passed.by_atom[k];
    to.reserve(after.size());
    double left = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (to.size() < after.size() && after.id_of(to.size()) == before.id_of(i))
        to.push_back(of[i]);
      else
        left += of[i];
    to.resize(after.size(), 0.0);
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
