#include "inputs/xyz_atom_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

namespace dropmd {

void XyzAtomLines::reserve(std::size_t n_atoms) {
  for (const XyzColumn& column : columns_) {
    if (column.kind == XyzColumnKind::position) structure_.position.reserve(n_atoms);
    if (column.kind == XyzColumnKind::velocity) structure_.velocity.reserve(n_atoms);
    if (column.kind == XyzColumnKind::charge) structure_.charge.reserve(n_atoms);
    if (column.kind == XyzColumnKind::mass) structure_.mass.reserve(n_atoms);
  }
  structure_.species.reserve(n_atoms);
}

void XyzAtomLines::read(LineReader& lines, std::size_t number) {
  if (lines.line_is_blank()) throw InputError(lines.place(), fmt::format("blank line (atom {} is expected)", number));
  for (const XyzColumn& column : columns_) read_column(lines, column, number);
  if (const Word more = lines.next_word())
    throw InputError(lines.place(more), fmt::format("{} after the last column of atom {} ({})", in_quotes(more.text),
                                                    number, columns_text()));
}

void XyzAtomLines::read_column(LineReader& lines, const XyzColumn& column, std::size_t number) {
  switch (column.kind) {
    case XyzColumnKind::species:
      structure_.species.push_back(species_index(word_of(lines, column, number).text));
      break;
    case XyzColumnKind::position:
      structure_.position.push_back(vector_of(lines, column, number));
      break;
    case XyzColumnKind::velocity:
      structure_.velocity.push_back(vector_of(lines, column, number));
      break;
    case XyzColumnKind::charge:
      structure_.charge.push_back(number_of(lines, column, number));
      break;
    case XyzColumnKind::mass:
      structure_.mass.push_back(mass_of(lines, column, number));
      break;
    case XyzColumnKind::skipped:
      for (std::size_t k = 0; k < column.count; ++k) word_of(lines, column, number);
      break;
  }
}

Word XyzAtomLines::word_of(LineReader& lines, const XyzColumn& column, std::size_t number) const {
  const Word word = lines.next_word();
  if (!word)
    throw InputError(lines.place(word), fmt::format("atom {} ends before its {} is complete ({})", number,
                                                    shown(column.name), columns_text()));
  return word;
}

double XyzAtomLines::number_of(LineReader& lines, const XyzColumn& column, std::size_t number) const {
  const Word text = word_of(lines, column, number);
  return parse_number(lines, text, column.name);
}

Vec3<double> XyzAtomLines::vector_of(LineReader& lines, const XyzColumn& column, std::size_t number) const {
  const double x = number_of(lines, column, number);
  const double y = number_of(lines, column, number);
  return {x, y, number_of(lines, column, number)};
}

double XyzAtomLines::mass_of(LineReader& lines, const XyzColumn& column, std::size_t number) const {
  const Word text = word_of(lines, column, number);
  const double mass = parse_number(lines, text, column.name);
  if (mass <= 0)
    throw InputError(lines.place(text),
                     fmt::format("the mass of atom {} is {} (it must be greater than 0)", number, shown(text.text)));
  return mass;
}

std::uint32_t XyzAtomLines::species_index(std::string_view name) {
  const auto [entry, is_new] = species_.try_emplace(name, static_cast<std::uint32_t>(species_.size()));
  if (is_new) structure_.species_names.emplace_back(name);
  return entry->second;
}

std::string XyzAtomLines::columns_text() const {
  constexpr std::size_t kMostColumns = 20;
  std::string text = "columns:";
  for (const XyzColumn& column : std::span(columns_).first(std::min(columns_.size(), kMostColumns)))
    text += column.count == 1 ? fmt::format(" {}", shown(column.name))
                              : fmt::format(" {}[{}]", shown(column.name), column.count);
  return columns_.size() > kMostColumns ? text + " ..." : text;
}

}  // namespace dropmd
