#pragma once

#include <string>
#include <string_view>

#include "app/command.h"
#include "app/json_text.h"

namespace dropmd {

/// The result of a benchmark: a table that grows row by row on standard output, or, with --json or into a file, is
/// written as a whole. Its title and heading come with the first row, so that an error before it stands alone.
class BenchTable {
 public:
  /// what: of `dropmd bench`. options and streams outlive it.
  BenchTable(std::string_view what, int device, const std::string& heading, const GivenOptions& options,
             Streams& streams);

  void add(const std::string& line, Json row);
  void finish();

 private:
  std::string_view what_;
  int device_;
  const GivenOptions& options_;
  Streams& streams_;
  bool live_;
  std::string text_;  ///< that is not shown yet
  Json::List rows_;
};

}  // namespace dropmd
