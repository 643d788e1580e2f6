#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "inputs/run_file/settings/setting.h"

namespace dropmd {

/// A key of the run file and the values that it takes in turn.
struct Variation {
  std::string key;                  ///< SECTION.KEY
  std::vector<std::string> values;  ///< as they were written
  std::vector<Setting> settings;    ///< by value
};

/// Parses "SECTION.KEY=A,B,C", as --vary has it. Commas within brackets and quotes belong to a value. Throws UsageError
/// for anything else, including a value that comes twice.
Variation parse_variation(const std::string& text);

/// Returns the index of the value of each variation, [combinations][variations]: all combinations, in which the last
/// variation changes fastest.
std::vector<std::vector<std::size_t>> combinations_of(std::span<const Variation> variations);

}  // namespace dropmd
