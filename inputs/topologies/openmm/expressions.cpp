#include "inputs/topologies/openmm/expressions.h"

#include <fast_float/fast_float.h>

#include <cmath>

namespace dropmd::openmm {

std::string without_white_space(std::string_view formula) {
  std::string text;
  for (const char c : formula)
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') text += c;
  while (text.ends_with(';')) text.pop_back();
  return text;
}

std::optional<std::vector<double>> match_formula(std::string_view formula, std::string_view pattern) {
  std::vector<double> numbers;
  for (const char c : pattern) {
    if (formula.empty()) return std::nullopt;
    if (c != '#') {
      if (formula.front() != c) return std::nullopt;
      formula.remove_prefix(1);
      continue;
    }
    const char first = formula.front();
    if (first != '.' && (first < '0' || first > '9')) return std::nullopt;
    double value = 0;
    const auto result = fast_float::from_chars(formula.data(), formula.data() + formula.size(), value);
    if (result.ec != std::errc() || !std::isfinite(value)) return std::nullopt;
    formula.remove_prefix(static_cast<std::size_t>(result.ptr - formula.data()));
    numbers.push_back(value);
  }
  if (!formula.empty()) return std::nullopt;
  return numbers;
}

}  // namespace dropmd::openmm
