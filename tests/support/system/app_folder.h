#pragma once

#include <filesystem>
#include <string_view>

#include "tests/support/system/child_process.h"
#include "tests/support/system/needed_file.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {

/// A working directory for the program, with the samples in inputs/samples/. Without the program, a test is skipped.
class AppFolder : public TempFolder {
 public:
  AppFolder() {
    needed_file(DROPMD_BINARY);
    source_file("inputs/samples");
    std::filesystem::create_directory_symlink(source_file("inputs"), path() / "inputs");
  }

  Outcome run(std::string_view line, const std::string& out = {}) const { return run_line(path(), line, out); }
  std::string text(std::string_view name) const { return text_of(path() / name); }
  bool has(std::string_view name) const { return std::filesystem::exists(path() / name); }
};

}  // namespace dropmd
