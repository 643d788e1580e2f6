#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/topologies/gromacs/gromacs_options.h"

namespace dropmd::gromacs {

/// Where #include looks: the folder of the including file, that of the topology, those of the options, those of the
/// environment variable GMXLIB (separated by colons) or, if that is not set, GROMACS' own folder, if it is installed.
class IncludeSearch {
 public:
  IncludeSearch(const GromacsOptions& options, const std::filesystem::path& topology);

  /// Returns the first file of that name.
  std::optional<std::filesystem::path> find(std::string_view name, const std::filesystem::path& including_folder) const;
  /// Returns the folders in which find() looks, for messages.
  std::string folders_text(const std::filesystem::path& including_folder) const;

 private:
  std::vector<std::filesystem::path> folders_for(const std::filesystem::path& including_folder) const;

  std::vector<std::filesystem::path> folders_;
};

}  // namespace dropmd::gromacs
