#pragma once

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/errors.h"
#include "inputs/choices_file.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "inputs/structures/cif_file.h"
#include "inputs/structures/droplet_file.h"
#include "inputs/structures/extended_xyz.h"
#include "inputs/structures/gro_file.h"
#include "inputs/structures/pdb_file.h"
#include "inputs/topologies/gromacs/gromacs_topology.h"
#include "inputs/topologies/openmm/openmm_system.h"
#include "inputs/trajectories/cif_frames.h"
#include "inputs/trajectories/dcd_frames.h"
#include "inputs/trajectories/xtc_frames.h"
#include "outputs/checkpoint/checkpoint_file.h"
#include "tests/support/form_catalog.h"
#include "tests/support/system/memory_file.h"

/// How the readers handle files of any bytes. The fuzz targets and the test of the cases that they found use this.
namespace dropmd {

/// How one format is read, and what that may cost. Reading a file of n bytes takes no more than bytes_per_byte n +
/// fixed_bytes of memory at any time, including the file and what is read from it.
struct HostileReading {
  std::string_view name;  ///< of the target fuzz_NAME and of the folders in tests/data/fuzz and tests/data/found
  void (*read)(const std::filesystem::path& path);
  std::size_t bytes_per_byte;
  std::size_t fixed_bytes = std::size_t{1} << 20U;
  /// The bytes of the file that an input of the fuzzer represents.
  std::string (*file_of)(std::string_view input) = [](std::string_view input) { return std::string(input); };
};

/// A run file that was read can be written as a run file and read again, since checkpoints hold it that way.
inline void read_run_file_twice(const std::filesystem::path& path) {
  const FormCatalog catalog = test_form_catalog();
  const RunConfig config = read_run_file(path, catalog);
  const TextSource resolved{"resolved", resolved_run_toml(config, Invariance{})};
  try {
    parse_run_file(resolved, path, catalog);
  } catch (const InputError& error) {
    throw std::logic_error(std::string("the resolved run cannot be read: ") + error.what() + "\n" + resolved.text);
  }
}

/// Without #include, which would read files of the machine, and with few atoms: a few characters can ask for any number
/// of molecules.
inline void read_lone_topology(const std::filesystem::path& path) {
  GromacsOptions options;
  options.may_include = false;
  options.most_atoms = 40;
  read_gromacs_topology(path, options);
}

/// The first byte tells what the others are: 0x00 to 0x7F the file, other values its HDF5 part, to be put after a valid
/// block. Random changes alone would never find a checksum.
inline std::string checkpoint_of(std::string_view input) {
  if (input.empty()) return {};
  const std::string_view rest = input.substr(1);
  if (static_cast<unsigned char>(input.front()) < 0x80) return std::string(rest);
  const auto crc = crc32_z(0, reinterpret_cast<const unsigned char*>(rest.data()), rest.size());
  std::string block = fmt::format("dropmd checkpoint 1\nbytes {}\ncrc32 {:08x}\n", rest.size(), crc);
  block.resize(512, '\n');
  return block + std::string(rest);
}

/// All frames of a trajectory.
template <class Open>
void read_frames(const Open& open, const std::filesystem::path& path) {
  const std::unique_ptr<TrajectoryReader> reader = open(path, std::nullopt);
  while (reader->next()) {
  }
}

constexpr std::array kHostileReadings = {
    HostileReading{"droplet_file", [](const std::filesystem::path& path) { read_droplet_file(path); }, 16},
    HostileReading{"extended_xyz", [](const std::filesystem::path& path) { read_extended_xyz(path); }, 192},
    HostileReading{"gro_file", [](const std::filesystem::path& path) { read_gro_file(path); }, 64},
    HostileReading{"pdb_file", [](const std::filesystem::path& path) { read_pdb_file(path); }, 64},
    HostileReading{"cif_file", [](const std::filesystem::path& path) { read_cif_file(path); }, 192},
    HostileReading{"cif_frames", [](const std::filesystem::path& path) { read_frames(open_cif_frames, path); }, 256},
    HostileReading{"dcd_frames", [](const std::filesystem::path& path) { read_frames(open_dcd_frames, path); }, 32},
    // An atom takes a bit at least.
    HostileReading{"xtc_frames", [](const std::filesystem::path& path) { read_frames(open_xtc_frames, path); }, 320},
    // The table of types may have 1,024² elements.
    HostileReading{"openmm_system", [](const std::filesystem::path& path) { read_openmm_system(path); }, 128,
                   std::size_t{48} << 20U},
    HostileReading{"run_file", read_run_file_twice, 512},
    HostileReading{"choices_file", [](const std::filesystem::path& path) { read_choices_file(path); }, 192},
    HostileReading{"gromacs_topology", read_lone_topology, 1024},
    HostileReading{"checkpoint", [](const std::filesystem::path& path) { read_checkpoint(path); }, 128,
                   std::size_t{1} << 20U, checkpoint_of},
};

constexpr const HostileReading& hostile_reading(std::string_view name) {
  return *std::find_if(kHostileReadings.begin(), kHostileReadings.end(),
                       [name](const HostileReading& reading) { return reading.name == name; });
}

/// What is wrong with how a file is refused. Empty where it is read, or refused by an InputError each of whose lines
/// begins with the file's name and holds nothing that a terminal would take for a command. Other exceptions pass
/// through.
inline std::string fault_of(const HostileReading& reading, const std::filesystem::path& path) {
  try {
    reading.read(path);
    return {};
  } catch (const InputError& error) {
    const std::string_view message = error.what();
    for (std::size_t begin = 0; begin <= message.size();) {
      const std::size_t end = std::min(message.find('\n', begin), message.size());
      const std::string_view line = message.substr(begin, end - begin);
      const bool is_plain = std::none_of(line.begin(), line.end(),
                                         [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
      if (!line.starts_with(path.string() + ":")) return fmt::format("no file is named: {}", line);
      if (!is_plain) return fmt::format("control characters in a message: {}", line);
      begin = end + 1;
    }
  }
  return {};
}

}  // namespace dropmd
