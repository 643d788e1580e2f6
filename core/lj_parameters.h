#pragma once

namespace dropmd {

/// ε and σ of a pair of species: U = 4ε[(σ/r)¹² − (σ/r)⁶], r_min = 2^(1/6) σ.
struct LjParameters {
  double epsilon = 0;  ///< energy
  double sigma = 1;    ///< length
  /// Whether the term has its attractive part; without it U = 4ε(σ/r)¹².
  bool attracts = true;

  /// Distance of the minimum of the whole term, length.
  double r_min() const { return sigma * 1.122462048309373; }

  friend bool operator==(const LjParameters&, const LjParameters&) = default;
};

}  // namespace dropmd
