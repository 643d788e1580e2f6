#include "forces/force_scale.h"

#include <algorithm>
#include <cmath>

namespace dropmd {

namespace {

/// The largest Lennard-Jones force at r = σ of a pair of species.
double lj_contact_force(const PairModel& model) {
  double force = 0;
  if (model.lj)
    for (const LjParameters& p : model.lj_parameters) force = std::max(force, 24 * p.epsilon / p.sigma);
  return force;
}

double with_charges(const PairModel& model, double lj_force, double squared_charge, double contact) {
  double force = lj_force;
  if (model.coulomb) force = std::max(force, model.coulomb_constant * squared_charge / (contact * contact));
  return force > 0 && std::isfinite(force) ? force : 1.0;
}

}  // namespace

double largest_contact_force(const PairModel& model, std::span<const double> charge) {
  double largest = 0;
  for (const double q : charge) largest = std::max(largest, std::abs(q));
  return with_charges(model, lj_contact_force(model), largest * largest, model.smallest_r_min().value_or(1.0));
}

double typical_contact_force(const PairModel& model, std::span<const double> charge) {
  double square = 0, contact = 0;
  for (const double q : charge) square += q * q / static_cast<double>(charge.size());
  if (model.lj)
    for (const LjParameters& p : model.lj_parameters)
      if (p.epsilon > 0) contact = std::max(contact, p.r_min());
  return with_charges(model, lj_contact_force(model), square, contact > 0 ? contact : 1.0);
}

ForceScaleRange ForceScaleRange::of(const PairModel& model, std::span<const double> charge) {
  constexpr int kAboveContact = 2;   // hot liquids
  constexpr int kBelowContact = 26;  // ions 8,000 contact distances apart
  const int coarsest = std::ilogb(typical_contact_force(model, charge)) + kAboveContact;
  return {std::min(std::ilogb(largest_contact_force(model, charge)) - kBelowContact, coarsest), coarsest};
}

int fitting_scale(int scale, double mean_square, const ForceScaleRange& range) {
  constexpr int kMeasured = 12;  // as far below the scale terms are known to some digits
  int below = kMeasured;
  if (mean_square > 0) below = std::min(-std::ilogb(std::sqrt(mean_square)), kMeasured);
  if (below == 0 || below == 1) return scale;
  return std::clamp(scale - below, range.finest, range.coarsest);
}

}  // namespace dropmd
