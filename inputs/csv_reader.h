#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dropmd {

/// Reads a table that dropmd writes (energy.csv, ensemble.csv, ...), row by row, so that its length does not matter.
///
/// A run that is in progress or was killed may leave a last row without its line end, which is passed over. A damaged
/// disk may leave worse: rows whose number of fields is not that of the columns are counted in skipped().
class CsvReader {
 public:
  /// text_column: the name of a column whose text may contain commas; empty: there is none. Throws InputError for a
  /// file that cannot be read or does not begin with a comment and a line of names.
  explicit CsvReader(std::filesystem::path path, std::string_view text_column = {});

  /// The first line without "# ": program, version and units.
  const std::string& header() const { return header_; }
  /// Names of the columns.
  const std::vector<std::string>& names() const { return names_; }
  /// Index of a column; names().size() if the table does not have it.
  std::size_t column(std::string_view name) const;

  /// Reads the next complete row, whose fields are then in fields(). Returns false at the end.
  bool next();
  /// The fields of the row, [names().size()]; they are valid until the next call of next(). Fields in quotes keep the
  /// quotes (text_of_csv_field()).
  std::span<const std::string_view> fields() const { return fields_; }
  /// Counts the current row as damaged, for example because it has a word where a number belongs.
  void reject() { ++skipped_; }
  /// Whether a last row without its line end was passed over.
  bool cut_row() const { return cut_row_; }
  /// Number of damaged rows so far.
  std::uint64_t skipped() const { return skipped_; }

 private:
  bool next_line();
  void divide();

  std::filesystem::path path_;
  std::ifstream file_;
  std::string line_, header_;
  std::vector<std::string> names_;
  std::size_t text_column_;
  std::vector<std::string_view> fields_;
  std::uint64_t skipped_ = 0;
  bool cut_row_ = false;
};

/// Reads a number, nan and inf included; returns false for any other text.
bool read_number(std::string_view text, double& value);

}  // namespace dropmd
