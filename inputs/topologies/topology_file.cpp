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
  std::vector<std::filesystem::path> (*files)(const TopologySettings& settings);
};

GromacsOptions gromacs_options(const TopologySettings& settings) {
  GromacsOptions options;
  options.include_folders = settings.include;
  options.defines = settings.define;
  return options;
}

MolecularModel read_gromacs(const TopologySettings& settings) {
  return read_gromacs_topology(settings.file, gromacs_options(settings));
}

std::vector<std::filesystem::path> files_of_gromacs(const TopologySettings& settings) {
  return files_of_gromacs_topology(settings.file, gromacs_options(settings));
}

std::vector<std::filesystem::path> topology_alone(const TopologySettings& settings) { return {settings.file}; }

MolecularModel read_openmm(const TopologySettings& settings) {
  for (const auto& [key, given] :
       {std::pair("include", !settings.include.empty()), std::pair("define", !settings.define.empty())})
    if (given)
      throw InputError(settings.place, fmt::format("'{}' in [system] is for topologies of GROMACS, which have a "
                                                   "preprocessor, but {} is not one of them (leave it out)",
                                                   key, settings.file.string()));
  return read_openmm_system(settings.file);
}

constexpr std::array<Format, 2> kFormats{
    {{".top", read_gromacs, files_of_gromacs}, {".xml", read_openmm, topology_alone}}};

/// Extensions of files that are no topologies here, and what to do with them.
struct OtherFormat {
  std::string_view extension, remedy;
};
constexpr std::string_view kByOpenMM =
    "OpenMM reads it and writes a System, system.xml, which is a topology: docs/molecules.md shows how";
constexpr std::array<OtherFormat, 6> kOtherFormats{
    {{".itp", "a part of a topology: name the .top file that includes it"},
     {".prmtop", kByOpenMM},
     {".parm7", kByOpenMM},
     {".psf", kByOpenMM},
     {".offxml", kByOpenMM},
     {".tpr", "GROMACS' input of one run: name the .top file that it was made from"}}};

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
    throw InputError(settings.place, fmt::format("no topology format has the extension of '{}' {}",
                                                 settings.file.string(), topology_format_remedy(settings.file)));
  return format->read(settings);
}

std::vector<std::filesystem::path> topology_files(const TopologySettings& settings) {
  const Format* const format = find_format(settings.file);
  return format != nullptr ? format->files(settings) : topology_alone(settings);
}

bool has_topology_format(const std::filesystem::path& path) { return find_format(path) != nullptr; }

std::string topology_extensions() {
  std::vector<std::string_view> extensions;
  for (const Format& format : kFormats) extensions.push_back(format.extension);
  return fmt::format("{}", fmt::join(extensions, ", "));
}

std::string topology_format_remedy(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  for (const OtherFormat& other : kOtherFormats)
    if (other.extension == extension) return fmt::format("({})", other.remedy);
  return fmt::format("(known: {})", topology_extensions());
}

}  // namespace dropmd
