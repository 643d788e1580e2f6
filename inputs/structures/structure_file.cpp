#include "inputs/structures/structure_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/errors.h"
#include "inputs/structures/cif_file.h"
#include "inputs/structures/droplet_file.h"
#include "inputs/structures/extended_xyz.h"
#include "inputs/structures/gro_file.h"
#include "inputs/structures/pdb_file.h"

namespace dropmd {
namespace {

struct Format {
  std::string_view extension;
  Structure (*read)(const std::filesystem::path& path);
  bool is_of_molecules = false;
};

constexpr std::array kFormats = {
    Format{".drop", read_droplet_file},  Format{".xyz", read_extended_xyz},     Format{".extxyz", read_extended_xyz},
    Format{".gro", read_gro_file, true}, Format{".pdb", read_pdb_file, true},   Format{".ent", read_pdb_file, true},
    Format{".cif", read_cif_file, true}, Format{".mmcif", read_cif_file, true},
};

const Format* find_format(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const Format& format) { return format.extension == extension; });
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace

Structure read_structure_file(const std::filesystem::path& path) {
  const Format* const format = find_format(path);
  if (format == nullptr)
    throw InputError(SourcePlace{path.string()}, fmt::format("no structure format has the extension '{}' (known: {})",
                                                             path.extension().string(), structure_extensions()));
  return format->read(path);
}

bool has_structure_format(const std::filesystem::path& path) { return find_format(path) != nullptr; }

std::string_view topology_remedy(const std::filesystem::path& path) {
  const Format* const format = find_format(path);
  const bool is_of_molecules = format != nullptr && format->is_of_molecules;
  return is_of_molecules ? "; or, for molecules, topology = \"FILE\" in [system]" : "";
}

std::string structure_extensions() {
  std::string text;
  for (const Format& format : kFormats) text += (text.empty() ? "" : ", ") + std::string(format.extension);
  return text;
}

}  // namespace dropmd
