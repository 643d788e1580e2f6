#include "inputs/csv_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/csv_field.h"
#include "core/errors.h"

namespace dropmd {

namespace {

constexpr std::string_view kComment = "# ";

/// quotes: whether a field in quotes may have commas.
std::vector<std::string_view> parts_of(std::string_view line, bool quotes) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t length = quotes ? csv_field_length(line) : line.substr(0, line.find(',')).size();
    parts.push_back(line.substr(0, length));
    if (length == line.size()) return parts;
    line.remove_prefix(length + 1);
  }
}

}  // namespace

CsvReader::CsvReader(std::filesystem::path path, std::string_view text_column)
    : path_(std::move(path)), file_(path_, std::ios::binary) {
  if (!file_) throw MissingInput({path_.string()}, "cannot be read (check the path and its permissions)");
  if (!next_line() || !line_.starts_with(kComment))
    throw InputError({path_.string(), 1},
                     "the first line is not a comment (expected: a table that a run of dropmd wrote)");
  header_ = line_.substr(kComment.size());
  if (!next_line())
    throw InputError({path_.string(), 2},
                     "the names of the columns are missing (expected: a table that a run of dropmd wrote)");
  for (const std::string_view name : parts_of(line_, /*quotes=*/true)) names_.push_back(text_of_csv_field(name));
  text_column_ = text_column.empty() ? names_.size() : column(text_column);
}

std::size_t CsvReader::column(std::string_view name) const {
  return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
}

bool CsvReader::next_line() {
  if (!std::getline(file_, line_)) return false;
  cut_row_ = file_.eof();  // the line has no end, so it may have been cut
  if (cut_row_) return false;
  if (line_.ends_with('\r')) line_.pop_back();
  return true;
}

void CsvReader::divide() {
  const bool has_text = text_column_ < names_.size();
  fields_ = parts_of(line_, !has_text);
  if (!has_text || fields_.size() <= names_.size()) return;
  // The extra commas belong to the text.
  const std::size_t extra = fields_.size() - names_.size();
  const std::string_view first = fields_[text_column_], last = fields_[text_column_ + extra];
  fields_[text_column_] = {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
  const auto behind = fields_.begin() + static_cast<std::ptrdiff_t>(text_column_) + 1;
  fields_.erase(behind, behind + static_cast<std::ptrdiff_t>(extra));
}

bool CsvReader::next() {
  while (next_line()) {
    divide();
    if (fields_.size() == names_.size()) return true;
    ++skipped_;
  }
  return false;
}

bool read_number(std::string_view text, double& value) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end;
}

}  // namespace dropmd
