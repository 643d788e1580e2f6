#pragma once

#include <span>
#include <vector>

#include "core/execution.h"
#include "core/particles.h"
#include "core/run/ledger.h"
#include "core/run/run_settings.h"
#include "engine/actions/action.h"
#include "engine/ledger/causes.h"
#include "engine/model/system.h"
#include "forces/fields/atom_terms.h"

namespace dropmd {

/// The bookings of a run for the steps that the host performs. Whatever changes an atom's energy books the change at
/// once, atom by atom; causes that the run does not have cost nothing.
class HostLedger {
 public:
  /// system: must outlive this object.
  HostLedger(Cpu cpu, const IntegrationSettings& settings, const System& system);

  const CauseSet& causes() const { return causes_; }

  /// The array to which a bath adds the energy that it gives to each atom: [n_atoms], or empty.
  std::span<double> heat() { return bookings_.of(Cause::bath); }
  /// Calls move(), which moves the atoms from one time to the next, and books the energy from oscillating fields
  /// meanwhile.
  template <class Move>
  void book_move(const Particles& particles, double from, double to, const Move& move) {
    if (causes_.has(Cause::field)) before_ = particles.position;
    move();
    if (causes_.has(Cause::field)) book_driven_work(particles, from, to, /*of_sites=*/false);
  }
  /// The same for virtual sites, which have no mass and follow the atoms after the move: calls place().
  template <class Place>
  void book_sites(const Particles& particles, double from, double to, const Place& place) {
    if (causes_.has(Cause::field)) before_ = particles.position;
    place();
    if (causes_.has(Cause::field)) book_driven_work(particles, from, to, /*of_sites=*/true);
  }
  /// Calls act(), which performs the action, and books the change of the one-body energy.
  template <class Act>
  void book(const Recentring&, const Particles& particles, double time, const Act& act) {
    if (causes_.has(Cause::recentring)) before_ = particles.position;
    act();
    if (causes_.has(Cause::recentring)) book_displacement(particles, time);
  }
  /// The same; books the change of the kinetic energy.
  template <class Act>
  void book(const MomentumRemoval&, const Particles& particles, double, const Act& act) {
    if (causes_.has(Cause::momentum)) before_ = particles.velocity;
    act();
    if (causes_.has(Cause::momentum)) book_kinetic_change(particles);
  }

  Ledger totals() const;
  const Bookings& bookings() const { return bookings_; }
  /// Continues from these bookings; a cause without bookings begins at zero.
  void set(const Bookings& bookings);
  /// Continues from zero.
  void clear() { set({}); }

 private:
  void book_driven_work(const Particles& particles, double from, double to, bool of_sites);
  void book_displacement(const Particles& particles, double time);
  void book_kinetic_change(const Particles& particles);

  Cpu cpu_;
  std::size_t n_atoms_;
  AtomTerms terms_;
  double per_mv2_;  ///< kinetic energy per mass (length/time)²
  CauseSet causes_;
  Bookings bookings_;
  std::vector<Vec3<double>> before_;  ///< positions or velocities before a change
};

}  // namespace dropmd
