#pragma once

#include <string>
#include <string_view>

/// Texts as fields of CSV files (RFC 4180).
namespace dropmd {

/// Returns the field for a text: in quotes if it has commas, quotes or line ends.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c == '\n' || c == '\r' ? ' ' : c;  // a row is a line
  }
  return field + '"';
}

/// Returns the length of the field with which a line begins, up to its comma or the line's end.
inline std::size_t csv_field_length(std::string_view line) {
  if (!line.starts_with('"')) return line.substr(0, line.find(',')).size();
  std::size_t at = 1;
  for (; at < line.size(); ++at) {
    if (line[at] != '"') continue;
    if (line.substr(at + 1, 1) != "\"") break;  // two quotes stand for one
    ++at;
  }
  const std::size_t comma = line.find(',', at);
  return comma == std::string_view::npos ? line.size() : comma;
}

/// Returns the text of a field.
inline std::string text_of_csv_field(std::string_view field) {
  if (field.size() < 2 || !field.starts_with('"') || !field.ends_with('"')) return std::string(field);
  std::string text;
  for (std::size_t at = 1; at + 1 < field.size(); ++at) {
    text += field[at];
    if (field[at] == '"') ++at;
  }
  return text;
}

}  // namespace dropmd
