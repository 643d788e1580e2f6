#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "core/form.h"
#include "forces/pair/lj_coefficients.h"

namespace dropmd {

/// From here on a cutoff counts as none: far from atoms that are not there (1e15), as lists pad themselves.
inline constexpr double kLongestCutoff = 1e12;

/// The pair interactions of a run, as chosen at run time (host only).
struct PairModel {
  std::size_t n_species = 1;
  std::optional<FormChoice> lj;             ///< treatment at the cutoff; none: no van der Waals term
  std::vector<LjParameters> lj_parameters;  ///< [n_species][n_species], symmetric; used if `lj`
  std::optional<FormChoice> coulomb;        ///< none: charges do not interact
  double coulomb_constant = 1;              ///< k_e of the units

  const LjParameters& parameters(std::size_t a, std::size_t b) const { return lj_parameters[a * n_species + b]; }

  /// Cutoff of a term, infinite where it has none; 0 where the term is absent.
  static double cutoff_of(const std::optional<FormChoice>& term) {
    return term ? term->value_or("cutoff", std::numeric_limits<double>::infinity()) : 0.0;
  }
  /// The distance from which on no term acts: the larger cutoff; infinite where a term has none.
  double cutoff() const;

  /// The smallest r_min of interacting species, or none without a van der Waals term: the scale of contact distances.
  std::optional<double> smallest_r_min() const;

  /// Coefficients [n_species][n_species] as the kernels use them (all zero without a van der Waals term).
  std::vector<LjCoefficients<double>> lj_coefficients() const;
};

/// Forms that this build offers, for the run file's reader and the help.
FormList lennard_jones_forms();
FormList coulomb_forms();

}  // namespace dropmd
