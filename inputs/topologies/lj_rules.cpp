#include "inputs/topologies/lj_rules.h"

#include <cmath>

#include "inputs/topologies/topology_units.h"

namespace dropmd {
namespace {

/// From C6 and C12: σ = (C12/C6)^(1/6), ε = C6²/(4 C12).
LjParameters from_c6_c12(double c6, double c12) {
  if (c12 == 0) return {};
  if (c6 > 0) return {kcal_of(c6 * c6 / (4 * c12)), angstrom_of(std::pow(c12 / c6, 1.0 / 6)), true};
  // Only ε σ¹² matters. With this ε, atoms overlap at the distance r_min.
  constexpr double kEpsilon = 0.1;  // kcal/mol
  return {kEpsilon, angstrom_of(std::pow(kcal_of(c12) / (4 * kEpsilon), 1.0 / 12)), false};
}

}  // namespace

std::optional<std::string> fault_of(CombinationRule rule, const LjNumbers& numbers) {
  if (rule != CombinationRule::c6_c12) {
    if (numbers.w < 0)
      return "epsilon is negative (it must be at least 0; a negative sigma switches the attraction off)";
    return std::nullopt;
  }
  if (numbers.v < 0 || numbers.w < 0) return "C6 or C12 is negative (they must be at least 0)";
  if (numbers.v > 0 && numbers.w == 0) return "C6 without C12 attracts without limit (give C12)";
  return std::nullopt;
}

LjNumbers combined(CombinationRule rule, const LjNumbers& a, const LjNumbers& b) {
  const double w = std::sqrt(a.w * b.w);
  if (rule == CombinationRule::c6_c12) return {std::sqrt(a.v * b.v), w};
  const double s = std::abs(a.v), t = std::abs(b.v);
  const double sigma = rule == CombinationRule::lorentz ? (s + t) / 2 : std::sqrt(s * t);
  return {a.v < 0 || b.v < 0 ? -sigma : sigma, w};
}

LjNumbers scaled(CombinationRule rule, const LjNumbers& numbers, double factor) {
  return {rule == CombinationRule::c6_c12 ? numbers.v * factor : numbers.v, numbers.w * factor};
}

LjParameters lj_parameters(CombinationRule rule, const LjNumbers& numbers) {
  if (rule == CombinationRule::c6_c12) return from_c6_c12(numbers.v, numbers.w);
  if (numbers.v == 0) return {};
  return {kcal_of(numbers.w), angstrom_of(std::abs(numbers.v)), numbers.v > 0};
}

}  // namespace dropmd
