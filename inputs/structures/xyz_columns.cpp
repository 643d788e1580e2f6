#include "inputs/structures/xyz_columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>

#include "inputs/nearest_word.h"
#include "inputs/whole_number.h"

namespace dropmd {
namespace {

/// A property that is used, with the names that programs give it.
struct KnownProperty {
  XyzColumnKind kind;
  std::string_view name;
  std::string_view type_and_count;
};

constexpr std::array kKnownProperties = {
    KnownProperty{XyzColumnKind::species, "species", "S:1"},
    KnownProperty{XyzColumnKind::species, "element", "S:1"},
    KnownProperty{XyzColumnKind::position, "pos", "R:3"},
    KnownProperty{XyzColumnKind::position, "positions", "R:3"},
    KnownProperty{XyzColumnKind::velocity, "velocity", "R:3"},
    KnownProperty{XyzColumnKind::velocity, "velocities", "R:3"},
    KnownProperty{XyzColumnKind::velocity, "velo", "R:3"},
    KnownProperty{XyzColumnKind::velocity, "vel", "R:3"},
    KnownProperty{XyzColumnKind::momentum, "momenta", "R:3"},
    KnownProperty{XyzColumnKind::charge, "charge", "R:1"},
    KnownProperty{XyzColumnKind::charge, "charges", "R:1"},
    KnownProperty{XyzColumnKind::charge, "initial_charges", "R:1"},
    KnownProperty{XyzColumnKind::charge, "Charge", "R:1"},
    KnownProperty{XyzColumnKind::charge, "q", "R:1"},
    KnownProperty{XyzColumnKind::mass, "mass", "R:1"},
    KnownProperty{XyzColumnKind::mass, "masses", "R:1"},
    KnownProperty{XyzColumnKind::mass, "Mass", "R:1"},
    KnownProperty{XyzColumnKind::id, "id", "I:1"},
};

/// A part of the description and its place.
struct Field {
  std::string_view text;
  SourcePlace place;
};

std::vector<Field> split_at_colons(const XyzPair& properties) {
  std::vector<Field> fields;
  const std::string_view text = properties.value;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    SourcePlace place = properties.value_place;
    place.column += begin;
    fields.push_back({text.substr(begin, end - begin), place});
    begin = end + 1;
  }
  return fields;
}

std::size_t parse_column_count(const Field& field) {
  const std::uint16_t count = whole_number<std::uint16_t>(field.text).value_or(0);
  if (count == 0)
    throw InputError(field.place, fmt::format("{} is not a number of columns (give a whole number of at least 1)",
                                              in_quotes(field.text)));
  return count;
}

XyzColumn parse_column(std::span<const Field, 3> fields) {
  const Field &name = fields[0], &type = fields[1], &count = fields[2];
  if (name.text.empty()) throw InputError(name.place, "a property without a name (write name:type:count)");
  if (type.text != "R" && type.text != "I" && type.text != "S" && type.text != "L")
    throw InputError(type.place,
                     fmt::format("{} is not a type of a property (use R, I, S or L)", in_quotes(type.text)));
  XyzColumn column{.name = std::string(name.text), .count = parse_column_count(count), .place = name.place};
  const auto known = std::find_if(kKnownProperties.begin(), kKnownProperties.end(),
                                  [&](const KnownProperty& property) { return property.name == name.text; });
  if (known == kKnownProperties.end()) return column;
  const bool is_text = type.text == "S";
  const bool wants_text = known->type_and_count.front() == 'S';
  const bool fits = type.text != "L" && is_text == wants_text &&
                    column.count == static_cast<std::size_t>(known->type_and_count.back() - '0');
  if (!fits && known->kind == XyzColumnKind::id) return column;  // of another program
  if (!fits)
    throw InputError(name.place, fmt::format("property {}:{}:{} (expected: {}:{})", name.text, type.text,
                                             shown(count.text), name.text, known->type_and_count));
  column.kind = known->kind;
  return column;
}

bool has_kind(const std::vector<XyzColumn>& columns, XyzColumnKind kind) {
  return std::any_of(columns.begin(), columns.end(), [kind](const XyzColumn& column) { return column.kind == kind; });
}

bool has_name(const std::vector<XyzColumn>& columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(), [name](const XyzColumn& column) { return column.name == name; });
}

/// Returns the name of a column, with the known name that may have been meant.
std::string described(const XyzColumn& column) {
  std::vector<std::string_view> known;
  for (const KnownProperty& property : kKnownProperties) known.push_back(property.name);
  const auto nearest = nearest_word(column.name, known);
  return nearest ? fmt::format("{} (did you mean '{}'?)", in_quotes(column.name), *nearest) : in_quotes(column.name);
}

}  // namespace

std::optional<std::string> skipped_columns_warning(const std::vector<XyzColumn>& columns) {
  constexpr std::size_t kMostNames = 10;
  std::string names;
  std::size_t n_skipped = 0;
  const XyzColumn* first = nullptr;
  for (const XyzColumn& column : columns) {
    if (column.kind != XyzColumnKind::skipped || column.name == "id") continue;
    if (first == nullptr) first = &column;
    if (++n_skipped <= kMostNames) names += (names.empty() ? "" : ", ") + described(column);
  }
  if (first == nullptr) return std::nullopt;
  if (n_skipped > kMostNames) names += fmt::format(" and {} more", n_skipped - kMostNames);
  return fmt::format("{}: {} {} (only species, positions, velocities or momenta, charges and masses are read)",
                     first->place.text(), n_skipped == 1 ? "the column is skipped:" : "columns are skipped:", names);
}

std::vector<XyzColumn> xyz_columns(const XyzComment& comment) {
  const XyzPair* const properties = comment.find({"Properties", "properties"});
  if (properties == nullptr) return {{XyzColumnKind::species, "species", 1}, {XyzColumnKind::position, "pos", 3}};
  const std::vector<Field> fields = split_at_colons(*properties);
  if (fields.size() % 3 != 0)
    throw InputError(
        properties->value_place,
        fmt::format("Properties has {} fields, not a multiple of 3 (write name:type:count for each property)",
                    fields.size()));
  std::vector<XyzColumn> columns;
  for (std::size_t i = 0; i < fields.size(); i += 3) {
    XyzColumn column = parse_column(std::span(fields).subspan(i).first<3>());
    if (column.kind != XyzColumnKind::skipped && has_name(columns, column.name))
      throw InputError(column.place,
                       fmt::format("the column {} is given twice (once is enough)", in_quotes(column.name)));
    column.repeats = column.kind != XyzColumnKind::skipped && has_kind(columns, column.kind);
    columns.push_back(std::move(column));
  }
  if (!has_kind(columns, XyzColumnKind::position))
    throw InputError(properties->value_place, "Properties has no positions (add pos:R:3)");
  return columns;
}

}  // namespace dropmd
