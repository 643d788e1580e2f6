#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/topology/topology.h"

namespace dropmd {

/// Writes atoms and bonds into messages: ids, which count from 1, and names where there are any.
class AtomLabels {
 public:
  explicit AtomLabels(std::span<const std::string> names) : names_(names) {}

  /// Returns "17" or "17 (CA)".
  std::string atom(std::uint32_t number) const;
  /// Returns "17-18", or "17 (CA)-18 (CB)".
  std::string bond(const Constraint& constraint) const;
  /// Returns "1-2, 2-3 and 3-4"; of more than eight bonds the first eight and the number of the others.
  std::string bonds(std::span<const Constraint> constraints) const;

 private:
  std::span<const std::string> names_;
};

}  // namespace dropmd
