#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace dropmd {

/// What a user may choose when a GROMACS topology is read.
struct GromacsOptions {
  /// Where #include looks after the folder of the including file and that of the topology, before $GMXLIB.
  std::vector<std::filesystem::path> include_folders;
  /// For the preprocessor: "NAME" or "NAME=VALUE".
  std::vector<std::string> defines;
  /// Whether #include may read other files; without it #include is an error.
  bool may_include = true;
  /// Largest number of atoms of the whole system; more are an error.
  std::size_t most_atoms = std::numeric_limits<std::int32_t>::max();
};

}  // namespace dropmd
