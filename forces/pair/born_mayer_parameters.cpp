#include "forces/pair/born_mayer_parameters.h"

#include <algorithm>

namespace dropmd {

namespace {

/// The range of distances in which a pair is repelled.
struct Repelled {
  bool anywhere = false;
  double inner = 0;             ///< 0: repelled down to zero distance
  std::optional<double> outer;  ///< nullopt: repelled at any larger distance
};

/// Returns the distance between `low` and `high` at which `sign` changes, to the last digits.
template <class Sign>
double root_between(const Sign& sign, double low, double high) {
  constexpr int kHalvings = 60;  // neighbours on the grid differ by 1%
  const bool above = sign(low) > 0;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    ((sign(middle) > 0) == above ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Returns the range around the strongest repulsion, searched inwards and outwards on a grid of distances.
Repelled repelled_range(const BornMayerParameters& p, double charges) {
  // r² times the radial force, which is finite for charges at any distance.
  const auto force = [&](double r) { return charges - r * r * p.derivative(r); };
  // Beyond 50 ρ from σ the exponential is below 1e-21 of its value there.
  const double first = 1e-3 * p.rho, last = p.sigma + 50 * p.rho, growth = 1.01;
  double strongest = first;
  for (double r = first; r < last; r *= growth)
    if (force(r) > force(strongest)) strongest = r;
  Repelled range;
  range.anywhere = force(strongest) > 0;
  if (!range.anywhere) return range;
  double r = strongest;
  while (r > first && force(r) > 0) r /= growth;
  if (force(r) <= 0) range.inner = root_between(force, r, r * growth);
  r = strongest;
  while (r < last && force(r) > 0) r *= growth;
  if (force(r) <= 0) range.outer = root_between(force, r / growth, r);
  return range;
}

}  // namespace

bool find_barrier(BornMayerParameters& pair, double charges) {
  pair.barrier = 0;
  pair.contact.reset();
  if (pair.a == 0 && pair.c == 0 && pair.d == 0) return true;
  const Repelled range = repelled_range(pair, charges);
  if (!range.anywhere) return false;
  pair.barrier = range.inner;
  pair.contact = range.outer;
  if (!pair.contact) pair.contact = repelled_range(pair, 0).outer.value_or(12 * pair.rho);
  return true;
}

}  // namespace dropmd
