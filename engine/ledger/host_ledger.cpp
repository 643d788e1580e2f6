#include "engine/ledger/host_ledger.h"

#include "core/ordered_sum.h"
#include "integrators/kinetic_change.h"

namespace dropmd {

HostLedger::HostLedger(Cpu cpu, const IntegrationSettings& settings, const System& system)
    : cpu_(cpu),
      n_atoms_(system.particles.size()),
      terms_(system.fields, system.units),
      per_mv2_(0.5 / system.units.acceleration),
      causes_(atom_causes_of(settings, system)) {
  clear();
}

void HostLedger::set(const Bookings& bookings) {
  for (std::size_t k = 0; k < kAtomCauses; ++k) {
    std::vector<double>& mine = bookings_.by_atom[k];
    mine = bookings.by_atom[k];
    mine.resize(causes_.has(static_cast<Cause>(k)) ? n_atoms_ : 0, 0.0);
  }
}

Ledger HostLedger::totals() const {
  Ledger ledger{.causes = causes_};
  for (std::size_t k = 0; k < kAtomCauses; ++k) {
    const std::vector<double>& mine = bookings_.by_atom[k];
    ledger.booked[k] = ordered_sum<double>(cpu_, mine.size(), [&](std::size_t i) { return mine[i]; });
  }
  return ledger;
}

void HostLedger::book_driven_work(const Particles& p, double from, double to, bool of_sites) {
  std::vector<double>& booked = bookings_.of(Cause::field);
  for_each_index(cpu_, n_atoms_, [&](std::size_t i) {
    if ((p.mass[i] == 0) != of_sites) return;
    booked[i] += terms_.driven_work(atom_point(p, i, before_[i], from), atom_point(p, i, p.position[i], to));
  });
}

void HostLedger::book_displacement(const Particles& p, double time) {
  std::vector<double>& booked = bookings_.of(Cause::recentring);
  for_each_index(cpu_, n_atoms_, [&](std::size_t i) {
    booked[i] += terms_.energy_change(atom_point(p, i, before_[i], time), atom_point(p, i, p.position[i], time));
  });
}

void HostLedger::book_kinetic_change(const Particles& p) {
  std::vector<double>& booked = bookings_.of(Cause::momentum);
  for_each_index(cpu_, n_atoms_,
                 [&](std::size_t i) { booked[i] += kinetic_change(per_mv2_, p.mass[i], before_[i], p.velocity[i]); });
}

}  // namespace dropmd
