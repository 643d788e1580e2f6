#include "inputs/topologies/topology_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "inputs/topologies/gromacs/gromacs_topology.h"
#include "inputs/topologies/openmm/openmm_system.h"

namespace dropmd {

namespace {

struct Format {
  std::string_view extension;
  MolecularModel (*read)(const TopologySettings& settings);
};

MolecularModel read_gromacs(const TopologySettings& settings) {
  GromacsOptions options;
  options.include_folders = settings.include;
  options.defines = settings.define;
  return read_gromacs_topology(settings.file, options);
}

MolecularModel read_openmm(const TopologySettings& settings) {
  for (const auto& [key, given] :
       {std::pair("include", !settings.include.empty()), std::pair("define", !settings.define.empty())})
    if (given)
      throw InputError(
          settings.place,
          fmt::format("'{}' in [system] is for topologies of GROMACS, which have a preprocessor, and {} is "
                      "none (leave it out)",
                      key, settings.file.string()));
  return read_openmm_system(settings.file);
}

constexpr std::array<Format, 2> kFormats{{{".top", read_gromacs}, {".xml", read_openmm}}};

const Format* find_format(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  const auto* const found = std::find_if(kFormats.begin(), kFormats.end(),
                                         [&](const Format& format) { return format.extension == extension; });
  return found == kFormats.end() ? nullptr : found;
}

}  // namespace

MolecularModel read_topology_file(const TopologySettings& settings) {
  const Format* const format = find_format(settings.file);
  if (format == nullptr)
    throw InputError(settings.place, fmt::format("no topology format has the extension of '{}' (known: {})",
                                                 settings.file.string(), topology_extensions()));
  return format->read(settings);
}

bool has_topology_format(const std::filesystem::path& path) { return find_format(path) != nullptr; }

std::string topology_extensions() {
  std::vector<std::string_view> extensions;
  for (const Format& format : kFormats) extensions.push_back(format.extension);
  return fmt::format("{}", fmt::join(extensions, ", "));
}

}  // namespace dropmd
