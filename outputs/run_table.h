#pragma once

#include <string>
#include <string_view>

#include "core/units.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// Returns the comment line with version and units with which tables begin.
std::string units_line(const Units& units);

/// A CSV file that a run extends row by row: a comment line with version and units, the column names, then the rows.
/// Each row is in the file when append_line() returns.
class RunTable {
 public:
  /// names: of the columns, with commas. An empty file gets the two header lines; a resumed one already has them.
  RunTable(FileWriter writer, const Units& units, std::string_view names);

  /// Syncs and closes the file; throws OutputError if that fails.
  void close();
  FlushedMark flushed_mark() { return writer_.flushed_mark(); }

 protected:
  /// Appends a row, given without its line end.
  void append_line(std::string_view line);

 private:
  FileWriter writer_;
};

}  // namespace dropmd
