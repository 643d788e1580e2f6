#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "outputs/file_writer.h"

namespace dropmd {

/// choices.csv: how a run found its pairs from which step on; one row a choice, complete when append() returns, and
/// comments that say why. The skin has 17 significant digits, which is enough to get the same double back.
class ChoicesCsv {
 public:
  ChoicesCsv(const std::filesystem::path& path, bool overwrite);

  void append(std::int64_t step, std::string_view neighbor, double skin);
  void comment(std::int64_t step, std::string_view text);
  /// Syncs and closes, checked.
  void close();

 private:
  FileWriter writer_;
};

}  // namespace dropmd
