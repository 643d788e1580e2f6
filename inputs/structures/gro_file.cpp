#include "inputs/structures/gro_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "inputs/line_reader.h"
#include "inputs/structures/fixed_columns.h"
#include "inputs/structures/molecule_files.h"
#include "inputs/structures/reduced_units.h"
#include "inputs/structures/species_index.h"
#include "inputs/whole_number.h"

namespace dropmd {
namespace {

/// Factors to the units of the structure.
struct Scales {
  double length, velocity;
};
constexpr Scales kReal{10, 0.01};  // nm, nm/ps in Å, Å/fs
constexpr Scales kReduced{1, 1};
/// Residue number, residue name, atom name and atom number have five columns each.
constexpr std::size_t kNameWidth = 5, kNumbersBegin = 4 * kNameWidth;

std::uint64_t read_number_of_atoms(LineReader& lines) {
  constexpr std::string_view kWhat = "the number of atoms";
  /// A line has four fields of five columns and three numbers of at least two columns.
  constexpr std::size_t kLeastBytesPerAtom = kNumbersBegin + 6;
  if (!lines.next_line())
    throw InputError(lines.end_place(),
                     "the file ends before the number of atoms (expected: title, number of atoms, atoms, box)");
  const Word word = lines.next_word();
  if (!word) throw InputError(lines.place(word), "the number of atoms is missing (line 2 of a .gro file)");
  const std::uint64_t n = parse_count(lines, word, kWhat);
  if (const Word more = lines.next_word())
    throw InputError(lines.place(more),
                     fmt::format("{} after the number of atoms (it must be alone on its line)", in_quotes(more.text)));
  if (n == 0) throw InputError(lines.place(word), "the number of atoms is 0 (it must be at least 1)");
  if (n > lines.rest().size() / kLeastBytesPerAtom + 1) {
    std::size_t below = 0;
    for (LineReader rest = lines; rest.next_line();) ++below;
    throw InputError(
        lines.place(word),
        fmt::format("the number of atoms is {}, but {} lines follow (that many lines must follow, then the box)", n,
                    below));
  }
  return n;
}

/// Returns the width of the numbers of an atom line: the distance between the decimal points of its position.
std::size_t width_of_numbers(const LineReader& lines) {
  const std::string_view line = lines.line();
  const std::size_t x = line.find('.', kNumbersBegin);
  const std::size_t y = x == std::string_view::npos ? x : line.find('.', x + 1);
  const std::size_t z = y == std::string_view::npos ? y : line.find('.', y + 1);
  if (z == std::string_view::npos)
    throw InputError(
        lines.place(std::min(line.size(), kNumbersBegin) + 1),
        "atom 1 does not have three numbers with decimal points from column 21 on (give its position in nm)");
  if (z - y != y - x)
    throw InputError(lines.place(z + 1), fmt::format("the decimal points of x, y and z are {} and {} columns apart "
                                                     "(the distances must be equal: they are the width of the columns)",
                                                     y - x, z - y));
  return y - x;
}

/// Whether a line, no word of which has been read, is one of 3 or 9 numbers.
bool is_box(LineReader lines) {
  std::size_t n_numbers = 0;
  for (; const Word word = lines.next_word(); ++n_numbers)
    if (word.text.find_first_not_of("0123456789.+-eE") != std::string_view::npos) return false;
  return n_numbers == 3 || n_numbers == 9;
}

/// Fills a structure from the atom lines.
class GroAtomLines {
 public:
  /// count_line: the line with the number of atoms, for messages.
  GroAtomLines(Structure& structure, std::size_t width, bool has_velocities, std::size_t count_line)
      : structure_(structure),
        scales_(structure.units == UnitSystem::lj ? kReduced : kReal),
        species_(structure),
        width_(width),
        has_velocities_(has_velocities),
        count_line_(count_line) {}

  /// Whether a line goes on after the position.
  static bool has_velocities(const LineReader& lines, std::size_t width) {
    return bool{word_in_columns(lines, kNumbersBegin + 3 * width, 3 * width)};
  }

  void read(const LineReader& lines, std::size_t number) {
    read_names(lines, number);
    structure_.position.push_back(scales_.length * read_vector(lines, 0, {"x", "y", "z"}, number));
    if (has_velocities(lines, width_) != has_velocities_)
      throw InputError(lines.place(std::min(lines.line().size(), kNumbersBegin + 3 * width_) + 1),
                       has_velocities_
                           ? fmt::format("atom {} has no velocity (atom 1 has one)", number)
                           : fmt::format("atom {} has more than a position (atom 1 has no velocity)", number));
    if (has_velocities_)
      structure_.velocity.push_back(scales_.velocity * read_vector(lines, 3, {"v_x", "v_y", "v_z"}, number));
    constexpr std::string_view::size_type kAll = std::string_view::npos;
    if (const Word more = word_in_columns(lines, kNumbersBegin + 6 * width_, kAll))
      throw InputError(lines.place(more), fmt::format("{} after the velocity of atom {} ({} columns for each number)",
                                                      in_quotes(more.text), number, width_));
  }

 private:
  void read_names(const LineReader& lines, std::size_t number) {
    const Word residue = word_in_columns(lines, 0, kNameWidth);
    if (!residue)
      throw InputError(lines.place(residue), fmt::format("atom {} has no residue number (columns 1 to 5)", number));
    const auto residue_number = whole_number<std::int32_t>(residue.text);
    if (!residue_number && is_box(lines))
      throw InputError(lines.place(),
                       fmt::format("a box instead of atom {} (line {} counts too many atoms, or atoms are missing)",
                                   number, count_line_));
    if (!residue_number)
      throw InputError(
          lines.place(residue),
          fmt::format("the residue number is {}, not a whole number (columns 1 to 5)", in_quotes(residue.text)));
    const Word residue_name = word_in_columns(lines, kNameWidth, kNameWidth);
    const Word atom_name = word_in_columns(lines, 2 * kNameWidth, kNameWidth);
    if (!atom_name)
      throw InputError(lines.place(atom_name), fmt::format("atom {} has no name (columns 11 to 15)", number));
    structure_.residue_number.push_back(*residue_number);
    structure_.residue_name.emplace_back(residue_name.text);
    structure_.atom_name.emplace_back(atom_name.text);
    species_.add_atom(atom_name.text);
  }

  /// Returns three numbers; `first`: number of fields before them.
  Vec3<double> read_vector(const LineReader& lines, std::size_t first, const std::array<std::string_view, 3>& names,
                           std::size_t number) const {
    const auto component = [&](std::size_t k) {
      const Word word = word_in_columns(lines, kNumbersBegin + (first + k) * width_, width_);
      if (!word) throw InputError(lines.place(word), fmt::format("atom {} has no {}", number, names[k]));
      return parse_number(lines, word, names[k]);
    };
    const double x = component(0), y = component(1), z = component(2);
    return {x, y, z};
  }

  Structure& structure_;
  Scales scales_;
  SpeciesIndex species_;
  std::size_t width_;
  bool has_velocities_;
  std::size_t count_line_;
};

/// Reads the box, and adds a warning if there is one. count_line: the line with the number of atoms, for messages.
void read_box(LineReader& lines, std::size_t n_atoms, std::size_t count_line, std::vector<std::string>& warnings) {
  if (!lines.next_line())
    throw InputError(lines.end_place(), fmt::format("the file ends after atom {}, the last according to line {} (the "
                                                    "box must follow, 3 or 9 numbers; 0 0 0: none)",
                                                    n_atoms, count_line));
  if (!is_box(lines))
    throw InputError(
        lines.place(),
        fmt::format("atom {} is the last according to line {}, but what follows is not a box of 3 or 9 numbers (0 0 0: "
                    "none; if it is an atom, line {} counts too few)",
                    n_atoms, count_line, count_line));
  bool is_zero = true;
  while (const Word word = lines.next_word())
    is_zero = parse_number(lines, word, "a number of the box") == 0 && is_zero;
  if (!is_zero) warnings.push_back(box_warning(lines.place()));
}

}  // namespace

Structure read_gro_frame(LineReader& lines, const TextSource& source) {
  Structure structure = empty_molecule_structure(source);
  lines.next_line();
  structure.title = trimmed(lines.line());
  if (place_of_reduced_units(structure.title) != std::string_view::npos) structure.units = UnitSystem::lj;
  structure.units_place = lines.place();
  const std::uint64_t n = read_number_of_atoms(lines);
  const std::size_t count_line = lines.line_number();
  structure.first_atom_line = count_line + 1;
  const auto require_line = [&](std::uint64_t n_read) {
    if (!lines.next_line())
      throw InputError(lines.end_place(), fmt::format("the file ends after {} of {} atoms (their number is on line {})",
                                                      n_read, n, count_line));
  };
  require_line(0);
  const std::size_t width = width_of_numbers(lines);
  GroAtomLines atoms(structure, width, GroAtomLines::has_velocities(lines, width), count_line);
  for (std::uint64_t i = 0; i < n; ++i) {
    if (i > 0) require_line(i);
    atoms.read(lines, i + 1);
  }
  read_box(lines, n, count_line, structure.warnings);
  return structure;
}

Structure read_gro_file(const std::filesystem::path& path) {
  const TextSource source = read_text_source(path, "a .gro file");
  LineReader lines(source);
  Structure structure = read_gro_frame(lines, source);
  structure.title = without_reduced_units(structure.title);
  while (lines.next_line())
    if (!lines.line_is_blank()) {
      structure.warnings.push_back(
          fmt::format("{}: the first frame is read, what follows is not", lines.place().text()));
      break;
    }
  return structure;
}

}  // namespace dropmd
