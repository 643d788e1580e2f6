#include "inputs/structures/extended_xyz.h"

#include <fmt/core.h>

#include <optional>
#include <string>
#include <vector>

#include "inputs/line_reader.h"
#include "inputs/structures/xyz_frame.h"

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

/// Returns the next complete frame and moves past it; it reads only the number of atoms and counts lines. Returns
/// nullopt at the end of the file and, with a warning, for a later frame that is cut off. n_before: number of atoms of
/// the previous frame, 0 if there is none.
std::optional<FrameLines> next_frame(LineReader& lines, std::size_t n_before, std::vector<std::string>& warnings) {
  if (only_blank_lines_follow(lines)) {
    if (n_before > 0) return std::nullopt;
    throw InputError(lines.end_place(), "only blank lines (the number of atoms of a frame is expected)");
  }
  lines.next_line();
  const LineReader start = lines;
  LineReader numbers = lines;
  const std::size_t n = read_xyz_atom_count(numbers, n_before);
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
  throw InputError(lines.end_place(), fmt::format("the file ends after {} of {} atoms (the number is on line {})",
                                                  below > 0 ? below - 1 : 0, n, start.line_number()));
}

}  // namespace

Structure read_extended_xyz(const std::filesystem::path& path) {
  const TextSource source = read_text_source(path, "an XYZ file");
  LineReader lines(source);
  std::vector<std::string> warnings;
  std::optional<FrameLines> last;
  while (const std::optional<FrameLines> frame = next_frame(lines, last ? last->n_atoms : 0, warnings))
    last.emplace(*frame);
  Structure structure = read_xyz_frame(last->lines, last->n_atoms, source.file).structure;
  structure.warnings.insert(structure.warnings.begin(), warnings.begin(), warnings.end());
  return structure;
}

}  // namespace dropmd
