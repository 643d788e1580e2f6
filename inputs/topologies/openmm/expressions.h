#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Energies of OpenMM's custom forces, which are formulas in a text.
namespace dropmd::openmm {

/// Returns a formula without white space and without a semicolon at its end.
std::string without_white_space(std::string_view formula);

/// Compares a formula without white space with a pattern, in which # stands for an unsigned number. Returns the numbers
/// in order; nullopt if the formula does not match.
std::optional<std::vector<double>> match_formula(std::string_view formula, std::string_view pattern);

}  // namespace dropmd::openmm
