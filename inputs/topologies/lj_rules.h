#pragma once

#include <optional>
#include <string>

#include "core/lj_parameters.h"

/// Lennard-Jones parameters in a topology file: two numbers, whose meaning the combination rule gives.
namespace dropmd {

/// The values are those of GROMACS' column comb-rule of [ defaults ].
enum class CombinationRule {
  c6_c12 = 1,     ///< C6 and C12, geometric means
  lorentz = 2,    ///< σ and ε, arithmetic mean of σ
  geometric = 3,  ///< σ and ε, geometric mean of σ
};

/// C6 (kJ/mol nm⁶) and C12 (kJ/mol nm¹²), GROMACS' columns V and W, or σ (nm) and ε (kJ/mol). A negative σ stands for
/// |σ| without the attractive part.
struct LjNumbers {
  double v = 0;
  double w = 0;

  friend bool operator==(const LjNumbers&, const LjNumbers&) = default;
};

/// Returns what is wrong with the numbers, with the remedy; nullopt: nothing.
std::optional<std::string> fault_of(CombinationRule rule, const LjNumbers& numbers);

/// Returns the numbers of a pair of different types.
LjNumbers combined(CombinationRule rule, const LjNumbers& a, const LjNumbers& b);

/// Returns the numbers of a term that is `factor` times as strong.
LjNumbers scaled(CombinationRule rule, const LjNumbers& numbers, double factor);

/// Returns ε (kcal/mol) and σ (Å). Numbers must have no fault.
LjParameters lj_parameters(CombinationRule rule, const LjNumbers& numbers);

}  // namespace dropmd
