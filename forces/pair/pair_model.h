#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "core/forms/form.h"
#include "forces/pair/born_mayer_parameters.h"
#include "forces/pair/lj_coefficients.h"

namespace dropmd {

/// A cutoff of this length or more counts as none. It is far below 1e15, the distance of the absent atoms with which
/// lists are padded.
inline constexpr double kLongestCutoff = 1e12;

template <class Lane>
struct BornMayerCoefficients;

/// The contact distance of a pair of species, and the magnitude of its van der Waals energy there (ε, or the
/// repulsion).
struct Contact {
  double distance = 0;  ///< length
  double energy = 0;    ///< energy
};

/// The pair interactions of a run, as chosen at run time (host only).
struct PairModel {
  std::size_t n_species = 1;  ///< number of species with pair parameters of their own
  /// The van der Waals term, one of two or none: its form at the cutoff.
  std::optional<FormChoice> lj{}, born_mayer{};
  std::vector<LjParameters> lj_parameters{};  ///< [n_species][n_species], symmetric; used if `lj`
  /// [n_species][n_species], symmetric; used if `born_mayer`.
  std::vector<BornMayerParameters> born_mayer_parameters{};
  std::optional<FormChoice> coulomb{};  ///< nullopt: charges do not interact
  double coulomb_constant = 1;          ///< k_e of the units: energy length charge⁻²

  /// The van der Waals term's treatment at the cutoff; nullopt: there is no such term.
  const std::optional<FormChoice>& vdw() const { return born_mayer ? born_mayer : lj; }

  /// Returns the cutoff of a term: infinite if it has none, 0 if the term is absent.
  static double cutoff_of(const std::optional<FormChoice>& term) {
    return term ? term->value_or("cutoff", std::numeric_limits<double>::infinity()) : 0.0;
  }
  /// Returns the distance beyond which no term acts: the larger cutoff; infinite if a term has none.
  double cutoff() const;

  /// Returns the contacts of the pairs of species that have a van der Waals term: r_min and ε of Lennard-Jones pairs,
  /// and the contact distance of find_barrier() with the repulsion there of Born-Mayer pairs.
  std::vector<Contact> contacts() const;
  /// Returns the smallest contact distance (r_min), the length scale of contacts; nullopt without a van der Waals term.
  std::optional<double> smallest_r_min() const;
  /// Returns the distance below which two atoms of these species collapse; 0: there is none.
  double barrier(std::size_t a, std::size_t b) const {
    return born_mayer ? born_mayer_parameters[a * n_species + b].barrier : 0.0;
  }
  /// Returns the largest barrier() of all pairs of species, length.
  double largest_barrier() const;

  /// Return the coefficients [n_species][n_species] as kernels use them; all zero if the van der Waals term is absent
  /// or of the other kind.
  std::vector<LjCoefficients<double>> lj_coefficients() const;
  std::vector<BornMayerCoefficients<double>> born_mayer_coefficients() const;
};

/// The forms of this build, for the reader of run files and the help.
FormList lennard_jones_forms();
FormList born_mayer_forms();
FormList coulomb_forms();

}  // namespace dropmd
