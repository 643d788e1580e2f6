#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/errors.h"

namespace dropmd {

/// The bytes of an input file, without a UTF-8 byte order mark.
struct TextSource {
  std::string file;  ///< the path as the user wrote it, for messages
  std::string text;
};

/// Reads a regular text file whole. `kind` says what is expected ("a droplet file"). Throws InputError if the file is
/// missing, no regular file, unreadable, empty, larger than memory, or binary (has NUL bytes).
TextSource read_text_source(const std::filesystem::path& path, std::string_view kind);

/// The same text as UTF-8: U+FFFD stands for each byte that belongs to no character of it, as in names of files.
std::string as_utf8(std::string_view text);

/// A word for messages, without commands to a terminal; long words are cut and end with "...".
std::string shown(std::string_view word);

/// The same as "'word'".
std::string in_quotes(std::string_view word);

}  // namespace dropmd
