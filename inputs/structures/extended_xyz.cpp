#include "inputs/structures/extended_xyz.h"

#include <fmt/core.h>

#include <optional>
#include <string_view>
#include <utility>

#include "inputs/line_reader.h"
#include "inputs/structures/xyz_atom_lines.h"
#include "inputs/structures/xyz_comment.h"

namespace dropmd {
namespace {

/// A complete frame; `lines` is at the line with its number of atoms.
struct FrameLines {
  LineReader lines;
  std::size_t n_atoms;
};

bool only_blank_lines_follow(LineReader lines) {
  while (lines.next_line())
    if (!lines.line_is_blank()) return false;
  return true;
}

/// Reads the number of atoms, which must be alone on the current line. `n_before`: number of atoms of the previous
/// frame, 0 if there is none.
std::size_t read_number_of_atoms(LineReader& lines, std::size_t n_before) {
  constexpr std::string_view kWhat = "the number of atoms";
  const Word word = lines.next_word();
  if (!word) throw InputError(lines.place(), "blank line (the number of atoms of a frame is expected)");
  const Word more = lines.next_word();
  if (more && n_before > 0)
    throw InputError(lines.place(word),
                     fmt::format("{} after atom {}, the last of its frame (only a next frame may follow)",
                                 in_quotes(word.text), n_before));
  const std::uint64_t n = parse_count(lines, word, kWhat);
  if (n == 0) throw InputError(lines.place(word), "the number of atoms is 0 (at least 1)");
  if (more)
    throw InputError(lines.place(more),
                     fmt::format("{} after the number of atoms (it stands alone)", in_quotes(more.text)));
  return n;
}

/// Returns the next complete frame and moves behind it; it reads only the number of atoms and counts lines. Returns
/// nullopt at the end of the file, and for a later frame that is cut off, of which it warns. n_before: number of atoms
/// of the frame before, 0 if there is none.
std::optional<FrameLines> next_frame(LineReader& lines, std::size_t n_before, std::vector<std::string>& warnings) {
  if (only_blank_lines_follow(lines)) {
    if (n_before > 0) return std::nullopt;
    throw InputError(lines.end_place(), "only blank lines (the number of atoms of a frame is expected)");
  }
  lines.next_line();
  const LineReader start = lines;
  LineReader numbers = lines;
  const std::size_t n = read_number_of_atoms(numbers, n_before);
  std::size_t below = 0;  // lines read after the number of atoms, including the comment
  while (below <= n && lines.next_line()) ++below;
  if (below > n && lines.line_is_terminated()) return FrameLines{start, n};
  if (n_before > 0) {  // an interrupted write
    warnings.push_back(fmt::format("{}: this frame is cut off: the one before it is read", start.place().text()));
    return std::nullopt;
  }
  if (below > n)
    throw InputError(lines.place(lines.line().size() + 1),
                     "the file ends without a line end, perhaps within a number (end the line if it is complete)");
  throw InputError(lines.end_place(), fmt::format("the file ends after {} of {} atoms (the number stands on line {})",
                                                  below > 0 ? below - 1 : 0, n, start.line_number()));
}

std::optional<double> number_in(const XyzPair* pair) {
  if (pair == nullptr) return std::nullopt;
  return parse_number(pair->value, pair->value_place, pair->key);
}

/// Without `Properties=` the comment is free text, in which the word may mean something else.
void read_units(const XyzComment& comment, Structure& structure) {
  const XyzPair* const units = comment.find({"units"});
  if (units == nullptr) return;
  structure.units = unit_system_named(units->value);
  structure.units_place = units->key_place;
  if (!structure.units && comment.find({"Properties", "properties"}) != nullptr)
    throw InputError(units->value_place, fmt::format("units {} (real or lj; convert numbers in other units first)",
                                                     in_quotes(units->value)));
}

void read_comment(const XyzComment& comment, std::string_view line, Structure& structure) {
  require_open_boundaries(comment);
  structure.time = number_in(comment.find({"Time", "time"}));
  read_units(comment, structure);
  const XyzPair* const radius = comment.find({"radius", "Radius"});
  structure.radius = number_in(radius);
  if (structure.radius && *structure.radius <= 0)
    throw InputError(radius->value_place,
                     fmt::format("the radius is {} (it must be greater than 0)", shown(radius->value)));
  if (const XyzPair* const title = comment.find({"title", "Title"}))
    structure.title = title->value;
  else if (comment.find({"Properties", "properties"}) == nullptr)
    structure.title = trimmed(line);
}

/// Reads the comment and the atoms of a frame.
XyzFrames::Frame read_frame(FrameLines frame, const std::string& file) {
  XyzFrames::Frame read;
  Structure& structure = read.structure;
  structure.file = file;
  frame.lines.next_line();
  const XyzComment comment(frame.lines);
  read_comment(comment, frame.lines.line(), structure);
  std::vector<XyzColumn> columns = xyz_columns(comment);
  if (const auto warning = skipped_columns_warning(columns)) structure.warnings.push_back(*warning);
  structure.first_atom_line = frame.lines.line_number() + 1;
  XyzAtomLines atoms(structure, std::move(columns));
  atoms.reserve(frame.n_atoms);
  for (std::size_t i = 0; i < frame.n_atoms; ++i) {
    frame.lines.next_line();
    atoms.read(frame.lines, i + 1);
  }
  if (structure.species_names.empty()) {
    structure.species.assign(frame.n_atoms, 0);
    structure.species_names = {"X"};
  }
  read.ids = atoms.ids();
  return read;
}

}  // namespace

Structure read_extended_xyz(const std::filesystem::path& path) {
  const TextSource source = read_text_source(path, "an XYZ file");
  LineReader lines(source);
  std::vector<std::string> warnings;
  std::optional<FrameLines> last;
  while (const std::optional<FrameLines> frame = next_frame(lines, last ? last->n_atoms : 0, warnings))
    last.emplace(*frame);
  Structure structure = read_frame(*last, source.file).structure;
  structure.warnings.insert(structure.warnings.begin(), warnings.begin(), warnings.end());
  return structure;
}

XyzFrames::XyzFrames(const std::filesystem::path& path) : XyzFrames(read_text_source(path, "an XYZ trajectory")) {}

XyzFrames::XyzFrames(TextSource source) : source_(std::move(source)), lines_(source_) {}

std::optional<XyzFrames::Frame> XyzFrames::next() {
  const std::optional<FrameLines> frame = next_frame(lines_, n_before_, warnings_);
  if (!frame) return std::nullopt;
  n_before_ = frame->n_atoms;
  return read_frame(*frame, source_.file);
}

}  // namespace dropmd
