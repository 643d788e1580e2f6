#include "inputs/structures/xyz_atom_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "inputs/whole_number.h"

namespace dropmd {

namespace {

/// Whether two columns agree on an atom: ASE writes eight decimals, other programs six digits.
bool agree(double a, double b) {
  constexpr double kRelative = 1e-6, kAbsolute = 1e-8;
  return std::abs(a - b) <= kRelative * std::max(std::abs(a), std::abs(b)) + kAbsolute;
}

}  // namespace

void XyzAtomLines::reserve(std::size_t n_atoms) {
  for (const XyzColumn& column : columns_) {
    if (column.kind == XyzColumnKind::position) structure_.position.reserve(n_atoms);
    if (column.kind == XyzColumnKind::velocity) structure_.velocity.reserve(n_atoms);
    if (column.kind == XyzColumnKind::momentum) structure_.momentum.reserve(n_atoms);
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
      read_species(lines, column, number);
      break;
    case XyzColumnKind::position:
      read_vector(lines, column, number, structure_.position);
      break;
    case XyzColumnKind::velocity:
      read_vector(lines, column, number, structure_.velocity);
      break;
    case XyzColumnKind::momentum:
      read_vector(lines, column, number, structure_.momentum);
      break;
    case XyzColumnKind::charge:
      read_number(lines, column, number, structure_.charge);
      break;
    case XyzColumnKind::mass:
      read_number(lines, column, number, structure_.mass);
      break;
    case XyzColumnKind::id:
      read_id(lines, column, number);
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

double XyzAtomLines::number_of(LineReader& lines, const XyzColumn& column, std::size_t number,
                               const double* earlier) const {
  const Word text = word_of(lines, column, number);
  const double value = parse_number(lines, text, column.name);
  if (column.kind == XyzColumnKind::mass && value < 0)
    throw InputError(lines.place(text),
                     fmt::format("the mass of atom {} is {} (it must be greater than 0; 0 for virtual sites)", number,
                                 shown(text.text)));
  if (earlier != nullptr && !agree(*earlier, value))
    throw InputError(
        lines.place(text),
        fmt::format("atom {} has {} in {}, but {} in another column that means the same (keep one of them)", number,
                    shown(text.text), in_quotes(column.name), *earlier));
  return value;
}

void XyzAtomLines::read_number(LineReader& lines, const XyzColumn& column, std::size_t number,
                               std::vector<double>& values) const {
  const double value = number_of(lines, column, number, column.repeats ? &values.back() : nullptr);
  if (!column.repeats) values.push_back(value);
}

void XyzAtomLines::read_vector(LineReader& lines, const XyzColumn& column, std::size_t number,
                               std::vector<Vec3<double>>& values) const {
  const Vec3<double>* const earlier = column.repeats ? &values.back() : nullptr;
  const double x = number_of(lines, column, number, earlier != nullptr ? &earlier->x : nullptr);
  const double y = number_of(lines, column, number, earlier != nullptr ? &earlier->y : nullptr);
  const double z = number_of(lines, column, number, earlier != nullptr ? &earlier->z : nullptr);
  if (!column.repeats) values.push_back({x, y, z});
}

/// Other programs may mean something else by an id, which is of no use here.
void XyzAtomLines::read_id(LineReader& lines, const XyzColumn& column, std::size_t number) {
  const std::uint32_t id = whole_number<std::uint32_t>(word_of(lines, column, number).text).value_or(0);
  ids_.push_back(id <= kMostAtomIds ? id : 0);
}

void XyzAtomLines::read_species(LineReader& lines, const XyzColumn& column, std::size_t number) {
  const Word word = word_of(lines, column, number);
  const std::uint32_t species = species_index(word.text);
  if (!column.repeats)
    structure_.species.push_back(species);
  else if (structure_.species.back() != species)
    throw InputError(lines.place(word),
                     fmt::format("atom {} is {} in {}, but {} in another column that means the same (keep one of them)",
                                 number, shown(word.text), in_quotes(column.name),
                                 shown(structure_.species_names[structure_.species.back()])));
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
