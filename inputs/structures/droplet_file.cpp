#include "inputs/structures/droplet_file.h"

#include <fmt/core.h>

#include <array>
#include <string_view>

#include "inputs/line_reader.h"

namespace dropmd {
namespace {

constexpr std::string_view kHeaderShape = "a droplet file has a title, the number of atoms, the radius, then x y z q";

/// Returns the only word of the next line.
Word single_word(LineReader& lines, std::string_view what) {
  if (!lines.next_line())
    throw InputError(lines.end_place(), fmt::format("the file ends before {} ({})", what, kHeaderShape));
  const Word word = lines.next_word();
  if (!word) throw InputError(lines.place(word), fmt::format("{} is missing ({})", what, kHeaderShape));
  if (const Word more = lines.next_word())
    throw InputError(lines.place(more), fmt::format("{} after {} (it must be alone on line {})", in_quotes(more.text),
                                                    what, lines.line_number()));
  return word;
}

std::size_t count_lines(LineReader lines) {
  std::size_t n = 0;
  while (lines.next_line()) n += lines.line_is_blank() ? 0 : 1;
  return n;
}

std::size_t read_number_of_atoms(LineReader& lines) {
  constexpr std::size_t kLeastBytesPerAtom = 8;  // "0 0 0 0\n", the last line end may be missing
  constexpr std::string_view kWhat = "the number of atoms";
  const Word word = single_word(lines, kWhat);
  const std::uint64_t n = parse_count(lines, word, kWhat);
  if (n == 0) throw InputError(lines.place(word), "the number of atoms is 0 (it must be at least 1)");
  if (n > (lines.rest().size() + 1) / kLeastBytesPerAtom) {
    const std::size_t below = count_lines(lines);
    throw InputError(lines.place(word),
                     fmt::format("the number of atoms is {}, but the file holds {} lines of atoms (the two must agree)",
                                 n, below > 0 ? below - 1 : 0));
  }
  return n;
}

double read_radius(LineReader& lines) {
  constexpr std::string_view kWhat = "the radius";
  const Word word = single_word(lines, kWhat);
  const double radius = parse_number(lines, word, kWhat);
  if (radius <= 0)
    throw InputError(lines.place(word), fmt::format("the radius is {} (it must be greater than 0)", shown(word.text)));
  return radius;
}

/// Reads the numbers x, y, z, q of the current line.
std::array<double, 4> read_atom(LineReader& lines, std::size_t number, std::size_t n_atoms) {
  constexpr std::array<std::string_view, 4> kNames = {"x", "y", "z", "the charge"};
  std::array<double, 4> values{};
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Word word = lines.next_word();
    if (!word && k == 0)
      throw InputError(lines.place(), fmt::format("blank line (atom {} of {} is expected)", number, n_atoms));
    if (!word)
      throw InputError(lines.place(word), fmt::format("atom {} has no {} (give 4 numbers: x y z q)", number,
                                                      k == 3 ? "charge" : kNames[k]));
    values[k] = parse_number(lines, word, kNames[k]);
  }
  if (const Word more = lines.next_word())
    throw InputError(lines.place(more), fmt::format("{} after the charge of atom {} (give 4 numbers: x y z q)",
                                                    in_quotes(more.text), number));
  return values;
}

void require_only_blank_lines(LineReader& lines, std::size_t n_atoms) {
  while (lines.next_line())
    if (const Word word = lines.next_word())
      throw InputError(lines.place(word),
                       fmt::format("{} after atom {}, the last according to line 2 (only blank lines may follow)",
                                   in_quotes(word.text), n_atoms));
}

}  // namespace

Structure read_droplet_file(const std::filesystem::path& path) {
  const TextSource source = read_text_source(path, "a droplet file");
  LineReader lines(source);
  Structure structure;
  structure.file = source.file;
  lines.next_line();
  structure.title = trimmed(lines.line());
  const std::size_t n = read_number_of_atoms(lines);
  structure.radius = read_radius(lines);
  structure.first_atom_line = lines.line_number() + 1;
  structure.position.reserve(n);
  structure.charge.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (!lines.next_line())
      throw InputError(
          lines.end_place(),
          fmt::format("the file ends after {} of {} atoms (expected: n lines x y z q, with n on line 2)", i, n));
    const auto [x, y, z, q] = read_atom(lines, i + 1, n);
    structure.position.push_back({x, y, z});
    structure.charge.push_back(q);
  }
  require_only_blank_lines(lines, n);
  structure.species.assign(n, 0);
  structure.species_names = {"X"};
  return structure;
}

}  // namespace dropmd
