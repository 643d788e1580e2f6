#include "inputs/trajectories/dcd_preamble.h"

#include <fmt/core.h>

#include <cmath>
#include <string_view>

#include "inputs/line_reader.h"

namespace dropmd {
namespace {

/// The first record has "CORD" and 20 integers.
constexpr std::uint32_t kFirstBytes = 84, kFirstStep = 1, kEvery = 2, kFixedAtoms = 8, kTimestep = 9, kCell = 10,
                        kFourthDimension = 11, kCharmmVersion = 19;
constexpr std::size_t kTitleLine = 80;

constexpr std::size_t at_integer(std::uint32_t index) { return 4 + 4 * std::size_t{index}; }

/// The length of the first record tells the byte order.
bool is_swapped(BinaryInput& file, std::vector<char>& bytes) {
  constexpr std::string_view kRemedy = "(a DCD trajectory of CHARMM, X-PLOR, NAMD, OpenMM or LAMMPS is expected)";
  if (!file.read(bytes, 8)) file.fail(fmt::format("is too short for a DCD file {}", kRemedy));
  const std::string_view kind(bytes.data() + 4, 4);
  const bool swapped = number_at<std::uint32_t>(bytes, 0, false) != kFirstBytes;
  if (number_at<std::uint32_t>(bytes, 0, swapped) != kFirstBytes)
    file.fail(fmt::format("is not a DCD file {}", kRemedy));
  if (kind == "VELD") file.fail("is a DCD file of velocities (one of positions is expected)");
  if (kind != "CORD") file.fail(fmt::format("is not a DCD file {}", kRemedy));
  return swapped;
}

/// CHARMM's versions have a float, X-PLOR a double and version 0.
double timestep_of(const std::vector<char>& numbers, bool swapped, bool is_charmm) {
  const double timestep = is_charmm ? number_at<float>(numbers, at_integer(kTimestep), swapped)
                                    : number_at<double>(numbers, at_integer(kTimestep), swapped);
  return std::isfinite(timestep) && timestep > 0 ? timestep : 0;
}

/// Returns the lines of a title from `first_line` on, which counts from 0.
std::string title_of(const std::vector<char>& record, std::size_t first_line = 0) {
  std::string title;
  for (std::size_t begin = 4 + first_line * kTitleLine; begin < record.size(); begin += kTitleLine) {
    const std::string_view line(record.data() + begin, std::min(kTitleLine, record.size() - begin));
    const std::string_view text = trimmed(line.substr(0, line.find('\0')));
    if (!text.empty()) (title += title.empty() ? "" : " ") += text;
  }
  return title;
}

std::optional<UnitSystem> units_in(std::string_view title) {
  if (!title.starts_with("REMARKS dropmd ")) return std::nullopt;
  if (title.find(", units lj") != std::string_view::npos) return UnitSystem::lj;
  if (title.find(", units real") != std::string_view::npos) return UnitSystem::real;
  return std::nullopt;
}

void read_free_atoms(BinaryInput& file, std::uint32_t n_fixed, DcdPreamble& header) {
  std::vector<char> bytes;
  read_dcd_record(file, header.swapped, "the list of free atoms", bytes);
  if (n_fixed >= header.n_atoms || bytes.size() != std::size_t{4} * (header.n_atoms - n_fixed))
    file.fail(fmt::format(
        "{} of {} atoms are fixed, but {} bytes of free ones follow (expected: 4 for each; the file is damaged)",
        n_fixed, header.n_atoms, bytes.size()));
  std::uint32_t last = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    const auto number = number_at<std::uint32_t>(bytes, at, header.swapped);
    if (number <= last || number > header.n_atoms)
      file.fail(fmt::format(
          "the list of free atoms has {} after {} (expected: ascending numbers, at most {}; the file is damaged)",
          number, last, header.n_atoms));
    header.free_atoms.push_back(number - 1);
    last = number;
  }
}

}  // namespace

void read_dcd_record(BinaryInput& file, bool swapped, std::string_view what, std::vector<char>& bytes) {
  if (!file.read(bytes, kDcdMarkBytes)) file.fail(fmt::format("ends before {} (the file is cut off)", what));
  const auto length = number_at<std::uint32_t>(bytes, 0, swapped);
  if (!file.read(bytes, length + kDcdMarkBytes))
    file.fail(fmt::format("{} has {} bytes, but the file ends earlier (it is cut off or damaged)", what, length));
  if (number_at<std::uint32_t>(bytes, length, swapped) != length)
    file.fail(fmt::format("{} has {} bytes, but its end says {} (the file is damaged)", what, length,
                          number_at<std::uint32_t>(bytes, length, swapped)));
  bytes.resize(length);
}

DcdPreamble read_dcd_preamble(BinaryInput& file) {
  DcdPreamble header;
  std::vector<char> bytes;
  header.swapped = is_swapped(file, bytes);
  std::vector<char> numbers = bytes;
  if (!file.read(bytes, kFirstBytes)) file.fail("ends within its header (the file is cut off)");
  numbers.erase(numbers.begin(), numbers.begin() + 4);
  numbers.insert(numbers.end(), bytes.begin(), bytes.end());  // and the length after it
  const auto integer = [&](std::uint32_t index) {
    return number_at<std::int32_t>(numbers, at_integer(index), header.swapped);
  };
  if (number_at<std::uint32_t>(numbers, kFirstBytes, header.swapped) != kFirstBytes)
    file.fail("its first record has no end (the file is damaged)");
  const bool is_charmm = integer(kCharmmVersion) != 0;
  header.first_step = integer(kFirstStep);
  header.every = integer(kEvery);
  header.timestep = timestep_of(numbers, header.swapped, is_charmm);
  header.has_cell = is_charmm && integer(kCell) != 0;
  header.has_fourth_dimension = is_charmm && integer(kFourthDimension) == 1;
  read_dcd_record(file, header.swapped, "the title", bytes);
  header.title = title_of(bytes);
  header.units = units_in(header.title);
  if (header.units) header.title = title_of(bytes, 1);  // the first line is dropmd's
  read_dcd_record(file, header.swapped, "the number of atoms", bytes);
  const std::int32_t n_atoms = bytes.size() == 4 ? number_at<std::int32_t>(bytes, 0, header.swapped) : 0;
  if (n_atoms <= 0)
    file.fail(fmt::format("the number of atoms is {}, in {} bytes (expected: at least 1, in 4; the file is damaged)",
                          n_atoms, bytes.size()));
  header.n_atoms = static_cast<std::uint32_t>(n_atoms);
  if (const std::int32_t n_fixed = integer(kFixedAtoms); n_fixed != 0)
    read_free_atoms(file, static_cast<std::uint32_t>(n_fixed), header);
  return header;
}

}  // namespace dropmd
