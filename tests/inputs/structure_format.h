#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/structures/droplet_file.h"
#include "inputs/structures/extended_xyz.h"
#include "inputs/structures/structure.h"
#include "tests/inputs/bad_files.h"

/// What the tests of all formats of structures use.
namespace dropmd {

using Vectors = std::vector<Vec3<double>>;
using Names = std::vector<std::string>;

/// A format, as texts that are written to files.
struct StructureFormat {
  std::string_view file_name;
  Structure (*reader)(const std::filesystem::path& path);

  Structure read(std::string_view text) const {
    const TempFolder folder;
    return reader(folder.write(file_name, text));
  }
  /// The message for a wrong text, with FILE for the path.
  std::string message(std::string_view text) const { return message_for_text(file_name, text, reader); }
};

inline constexpr StructureFormat kDroplet{"a.drop", read_droplet_file}, kXyz{"a.xyz", read_extended_xyz};

}  // namespace dropmd
