#include "inputs/structures/xyz_frame.h"

#include <fmt/core.h>

#include <optional>
#include <string_view>
#include <utility>

#include "inputs/structures/xyz_atom_lines.h"
#include "inputs/structures/xyz_comment.h"
#include "inputs/whole_number.h"

namespace dropmd {
namespace {

std::optional<double> number_in(const XyzPair* pair) {
  if (pair == nullptr) return std::nullopt;
  return parse_number(pair->value, pair->value_place, pair->key);
}

/// Without `Properties=` the comment is free text, in which the word `units` may mean something else.
void read_units(const XyzComment& comment, Structure& structure) {
  const XyzPair* const units = comment.find({"units"});
  if (units == nullptr) return;
  structure.units = unit_system_named(units->value);
  structure.units_place = units->key_place;
  if (!structure.units && comment.find({"Properties", "properties"}) != nullptr)
    throw InputError(units->value_place,
                     fmt::format("unknown units {} (use real or lj; convert numbers in other units first)",
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

}  // namespace

std::size_t read_xyz_atom_count(LineReader& lines, std::size_t n_before) {
  constexpr std::string_view kWhat = "the number of atoms";
  const Word word = lines.next_word();
  if (!word) throw InputError(lines.place(), "blank line (the number of atoms of a frame is expected)");
  const Word more = lines.next_word();
  if (more && n_before > 0)
    throw InputError(lines.place(word),
                     fmt::format("{} after atom {}, the last of its frame (only another frame may follow)",
                                 in_quotes(word.text), n_before));
  const std::uint64_t n = parse_count(lines, word, kWhat);
  if (n == 0) throw InputError(lines.place(word), "the number of atoms is 0 (it must be at least 1)");
  if (more)
    throw InputError(lines.place(more),
                     fmt::format("{} after the number of atoms (it must be alone on its line)", in_quotes(more.text)));
  return n;
}

XyzFrame read_xyz_frame(LineReader lines, std::size_t n_atoms, const std::string& file) {
  XyzFrame read;
  Structure& structure = read.structure;
  structure.file = file;
  lines.next_line();
  const XyzComment comment(lines);
  read_comment(comment, lines.line(), structure);
  if (const XyzPair* const step = comment.find({"step"})) read.step = whole_number<std::int64_t>(step->value);
  std::vector<XyzColumn> columns = xyz_columns(comment);
  if (const auto warning = skipped_columns_warning(columns)) structure.warnings.push_back(*warning);
  structure.first_atom_line = lines.line_number() + 1;
  XyzAtomLines atoms(structure, std::move(columns));
  atoms.reserve(n_atoms);
  for (std::size_t i = 0; i < n_atoms; ++i) {
    lines.next_line();
    atoms.read(lines, i + 1);
  }
  if (structure.species_names.empty()) {
    structure.species.assign(n_atoms, 0);
    structure.species_names = {"X"};
  }
  read.ids = atoms.ids();
  return read;
}

}  // namespace dropmd
