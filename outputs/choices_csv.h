#pragma once

#include <cstdint>
#include <string_view>

#include "core/run/method_choice.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// choices.csv: how a run found its pairs from which step on; one row a choice, complete when append() returns, and
/// comments that say why. Numbers have 17 significant digits, which is enough to get the same double back.
class ChoicesCsv {
 public:
  /// In an empty file it begins with the two lines; one that goes on has them.
  explicit ChoicesCsv(FileWriter writer);

  /// neighbor, list_form: the words of the choice.
  void append(const MethodChoice& choice, std::string_view neighbor, std::string_view list_form);
  void comment(std::int64_t step, std::string_view text);
  /// Syncs and closes, checked.
  void close();
  FileMark synced_mark() { return writer_.synced_mark(); }

 private:
  FileWriter writer_;
};

}  // namespace dropmd
