#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "core/form.h"
#include "forces/pair/born_mayer_parameters.h"
#include "forces/pair/lj_coefficients.h"

namespace dropmd {

/// From here on a cutoff counts as none: far from atoms that are not there (1e15), as lists pad themselves.
inline constexpr double kLongestCutoff = 1e12;

template <class Lane>
struct BornMayerCoefficients;

/// Where a pair of species is in contact, and the energy of its van der Waals term there (ε, or the repulsion).
struct Contact {
  double distance = 0;
  double energy = 0;
};

/// The pair interactions of a run, as chosen at run time (host only).
struct PairModel {
  std::size_t n_species = 1;
  /// The van der Waals term, one or neither of two: treatment at the cutoff.
  std::optional<FormChoice> lj{}, born_mayer{};
  std::vector<LjParameters> lj_parameters{};                 ///< [n_species][n_species], symmetric; used if `lj`
  std::vector<BornMayerParameters> born_mayer_parameters{};  ///< the same, if `born_mayer`
  std::optional<FormChoice> coulomb{};                       ///< none: charges do not interact
  double coulomb_constant = 1;                               ///< k_e of the units

  /// Treatment at the cutoff of the van der Waals term; none: there is no such term.
  const std::optional<FormChoice>& vdw() const { return born_mayer ? born_mayer : lj; }

  /// Cutoff of a term, infinite where it has none; 0 where the term is absent.
  static double cutoff_of(const std::optional<FormChoice>& term) {
    return term ? term->value_or("cutoff", std::numeric_limits<double>::infinity()) : 0.0;
  }
  /// The distance from which on no term acts: the larger cutoff; infinite where a term has none.
  double cutoff() const;

  /// Of the pairs of species that have a van der Waals term: r_min and ε, or what find_barrier() says and the repulsion
  /// there.
  std::vector<Contact> contacts() const;
  /// The smallest distance of contact (r_min), or none without a van der Waals term: the scale of contact distances.
  std::optional<double> smallest_r_min() const;
  /// Distance below which two atoms of these species collapse; 0: there is none.
  double barrier(std::size_t a, std::size_t b) const {
    return born_mayer ? born_mayer_parameters[a * n_species + b].barrier : 0.0;
  }
  double largest_barrier() const;

  /// Coefficients [n_species][n_species] as the kernels use them: all zero without a van der Waals term, or where it is
  /// none of these.
  std::vector<LjCoefficients<double>> lj_coefficients() const;
  std::vector<BornMayerCoefficients<double>> born_mayer_coefficients() const;
};

/// Forms that this build offers, for the run file's reader and the help.
FormList lennard_jones_forms();
FormList born_mayer_forms();
FormList coulomb_forms();

}  // namespace dropmd
