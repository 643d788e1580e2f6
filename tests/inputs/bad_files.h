#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>

#include "core/errors.h"
#include "tests/support/system/temp_folder.h"

/// Tables of wrong input files and the messages that they must give.
namespace dropmd {

struct BadFile {
  std::string_view name;
  std::string_view text;
  std::string_view message;  ///< the whole message, with FILE for the file's path

  friend std::ostream& operator<<(std::ostream& out, const BadFile& file) { return out << file.name; }
};

/// The message of the InputError that `call` throws, with FILE for the path; "no error" if it throws none.
template <class Call>
std::string input_error_of(const std::filesystem::path& path, Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    std::string message = error.what();
    for (std::size_t at = message.find(path.string()); at != std::string::npos; at = message.find(path.string()))
      message.replace(at, path.string().size(), "FILE");
    return message;
  }
  return "no error";
}

/// The message that `read` gives for a file with the text; `file_name` decides the extension.
template <class Read>
std::string message_for_text(std::string_view file_name, std::string_view text, Read&& read) {
  const TempFolder folder;
  const std::filesystem::path path = folder.write(file_name, text);
  return input_error_of(path, [&] { read(path); });
}

/// Names a test after the entry of the table.
inline std::string bad_file_name(const testing::TestParamInfo<BadFile>& info) { return std::string(info.param.name); }

}  // namespace dropmd
