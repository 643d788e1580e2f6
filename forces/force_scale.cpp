#include "forces/force_scale.h"

#include <algorithm>
#include <cmath>

namespace dropmd {

namespace {

/// Returns the largest van der Waals force of a pair of species in contact: 24 ε/σ, the Lennard-Jones force at r = σ;
/// for the Born-Mayer term, which is about as steep, the same multiple of its energy over its contact distance.
double van_der_waals_contact_force(const PairModel& model) {
  const double per_slope = 24 * std::exp2(1.0 / 6.0);  // r_min = 2^(1/6) σ
  double force = 0;
  for (const Contact& contact : model.contacts())
    force = std::max(force, per_slope * contact.energy / contact.distance);
  return force;
}

double with_charges(const PairModel& model, double van_der_waals, double squared_charge, double contact) {
  double force = van_der_waals;
  if (model.coulomb) force = std::max(force, model.coulomb_constant * squared_charge / (contact * contact));
  return force > 0 && std::isfinite(force) ? force : 1.0;
}

}  // namespace

double largest_contact_force(const PairModel& model, std::span<const double> charge) {
  double largest = 0;
  for (const double q : charge) largest = std::max(largest, std::abs(q));
  return with_charges(model, van_der_waals_contact_force(model), largest * largest,
                      model.smallest_r_min().value_or(1.0));
}

double typical_contact_force(const PairModel& model, std::span<const double> charge) {
  double square = 0, contact = 0;
  for (const double q : charge) square += q * q / static_cast<double>(charge.size());
  for (const Contact& c : model.contacts()) contact = std::max(contact, c.distance);
  return with_charges(model, van_der_waals_contact_force(model), square, contact > 0 ? contact : 1.0);
}

ForceScaleRange ForceScaleRange::of(const PairModel& model, std::span<const double> charge) {
  constexpr int kAboveContact = 2;   // hot liquids
  constexpr int kBelowContact = 26;  // ions 8,000 contact distances apart
  const int coarsest = std::ilogb(typical_contact_force(model, charge)) + kAboveContact;
  return {std::min(std::ilogb(largest_contact_force(model, charge)) - kBelowContact, coarsest), coarsest};
}

int fitting_scale(int scale, double mean_square, const ForceScaleRange& range) {
  constexpr int kMeasured = 12;  // terms this far below the scale are still known to a few digits
  int below = kMeasured;
  if (mean_square > 0) below = std::min(-std::ilogb(std::sqrt(mean_square)), kMeasured);
  if (below == 0 || below == 1) return scale;
  return std::clamp(scale - below, range.finest, range.coarsest);
}

}  // namespace dropmd
