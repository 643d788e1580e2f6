#include "integrators/atom_labels.h"

#include <fmt/core.h>

#include <algorithm>

namespace dropmd {

std::string AtomLabels::atom(std::uint32_t number) const {
  const std::uint64_t id = std::uint64_t{number} + 1;
  return number < names_.size() ? fmt::format("{} ({})", id, names_[number]) : fmt::format("{}", id);
}

std::string AtomLabels::bond(const Constraint& constraint) const {
  return atom(constraint.atom[0]) + '-' + atom(constraint.atom[1]);
}

std::string AtomLabels::bonds(std::span<const Constraint> constraints) const {
  constexpr std::size_t kMost = 8;
  const std::size_t shown = std::min(constraints.size(), kMost), others = constraints.size() - shown;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == constraints.size() ? " and " : ", ";
    text += bond(constraints[i]);
  }
  return others > 0 ? fmt::format("{} and {} more", text, others) : text;
}

}  // namespace dropmd
