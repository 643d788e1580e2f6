#pragma once

#include <cstdint>
#include <string_view>

#include "core/run/method_choice.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// choices.csv: how a run found its pairs, and from which step on. It has one row per choice, complete when append()
/// returns, and comments with the reasons. Numbers have 17 significant digits, which reproduce the same double.
class ChoicesCsv {
 public:
  /// Writes the two header lines to an empty file; a resumed file already has them.
  explicit ChoicesCsv(FileWriter writer);

  /// Appends a row. neighbor, list_form: the words of the choice.
  void append(const MethodChoice& choice, std::string_view neighbor, std::string_view list_form);
  void comment(std::int64_t step, std::string_view text);
  /// Syncs and closes the file; throws OutputError if that fails.
  void close();
  FlushedMark flushed_mark() { return writer_.flushed_mark(); }

 private:
  FileWriter writer_;
};

}  // namespace dropmd
