#pragma once

#include <string>
#include <string_view>

#include "app/command.h"
#include "app/json_text.h"

namespace dropmd {

/// The result of a benchmark: a table that is written row by row to standard output or, with --json or to a file, as a
/// whole at the end. Title and heading are written with the first row, so that an earlier error message stands alone.
class BenchTable {
 public:
  /// what: argument of `dropmd bench`. options and streams must outlive the table.
  BenchTable(std::string_view what, int device, const std::string& heading, const GivenOptions& options,
             Streams& streams);

  /// Adds a row, as a line of the table and as JSON.
  void add(const std::string& line, Json row);
  /// Writes what is still to be written.
  void finish();

 private:
  std::string_view what_;
  int device_;
  const GivenOptions& options_;
  Streams& streams_;
  bool live_;
  std::string text_;  ///< lines that are not yet written
  Json::List rows_;
};

}  // namespace dropmd
