#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/errors.h"
#include "forces/pair/born_mayer.h"
#include "forces/pair/pair_model.h"

namespace dropmd {

/// The coefficients of a model's van der Waals term, [n_species][n_species] or as a traversal arranges them. Those of
/// the other term are empty.
template <class Lane>
struct PairTable {
  std::vector<LjCoefficients<Lane>> lj{};
  std::vector<BornMayerCoefficients<Lane>> born_mayer{};

  /// Returns the coefficients of one type.
  template <class Coefficients, class Self>
  static auto& in(Self& table) {
    if constexpr (std::is_same_v<Coefficients, LjCoefficients<Lane>>)
      return table.lj;
    else
      return table.born_mayer;
  }
  template <class Coefficients>
  const std::vector<Coefficients>& of() const {
    return in<Coefficients>(*this);
  }
  template <class Coefficients>
  std::vector<Coefficients>& of() {
    return in<Coefficients>(*this);
  }
};

/// Returns the coefficients of a model in double precision.
template <class Coefficients>
std::vector<Coefficients> exact_coefficients(const PairModel& model) {
  if constexpr (std::is_same_v<Coefficients, LjCoefficients<double>>)
    return model.lj_coefficients();
  else
    return model.born_mayer_coefficients();
}

/// Return whether a kernel's precision can hold the coefficients.
template <class Real>
bool is_in_range(const LjCoefficients<double>& c) {
  return c.f12 == 0 || (c.f12 <= std::numeric_limits<Real>::max() && c.f12 >= std::numeric_limits<Real>::min() &&
                        (c.f6 == 0 || c.f6 >= std::numeric_limits<Real>::min()));
}

template <class Real>
bool is_in_range(const BornMayerCoefficients<double>& c) {
  const auto fits = [](double x) {
    return x == 0 || (x >= std::numeric_limits<Real>::min() && x <= std::numeric_limits<Real>::max());
  };
  return fits(c.repulsion) && fits(c.c6) && fits(c.c8);
}

/// Return the coefficients, rounded to a kernel's precision.
template <class Real>
LjCoefficients<Real> rounded(const LjCoefficients<double>& c) {
  return LjCoefficients<Real>::template made<double>([&](auto member) { return static_cast<Real>(c.*member); });
}

template <class Real>
BornMayerCoefficients<Real> rounded(const BornMayerCoefficients<double>& c) {
  auto r =
      BornMayerCoefficients<Real>::template made<double>([&](auto member) { return static_cast<Real>(c.*member); });
  r.decay_low = static_cast<Real>(c.decay - static_cast<double>(r.decay));
  return r;
}

/// Returns the model's coefficients [n_species][n_species] in the precision of a kernel. Throws InputError where they
/// exceed its range: ε σ¹² of very large or very small atoms, A exp(σ/ρ) of very hard ones in fp32.
template <class Real>
PairTable<Real> pair_table(const PairModel& model) {
  PairTable<Real> table;
  if (!model.born_mayer)
    for (const LjCoefficients<double>& c : model.lj_coefficients()) {
      if (!is_in_range<Real>(c))
        throw InputError(
            "epsilon and sigma give a Lennard-Jones term that single precision cannot hold "
            "(use --precision double, or other units of length)");
      table.lj.push_back(rounded<Real>(c));
    }
  else
    for (const BornMayerCoefficients<double>& c : model.born_mayer_coefficients()) {
      if (!is_in_range<Real>(c))
        throw InputError(
            "A, rho and sigma, C or D give a Born-Mayer term that single precision cannot hold "
            "(use --precision double, or other units of length)");
      table.born_mayer.push_back(rounded<Real>(c));
    }
  return table;
}

}  // namespace dropmd
