#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/errors.h"

namespace dropmd {

/// The contents of an input file, without a UTF-8 byte order mark.
struct TextSource {
  std::string file;  ///< the path as the user wrote it, for messages
  std::string text;  ///< the bytes of the file
};

/// Reads a whole regular text file. `kind` says what is expected ("a droplet file"). Throws MissingInput if the file is
/// missing or unreadable, and InputError if it is not regular, empty, larger than memory, or binary (has NUL bytes).
TextSource read_text_source(const std::filesystem::path& path, std::string_view kind);

/// Throws unless the path is a regular file or a link to one: MissingInput if there is nothing, else InputError. `kind`
/// says what is expected. To be called before the file is opened, since opening a pipe could wait forever.
void require_regular_file(const std::filesystem::path& path, std::string_view kind);

/// Throws MissingInput with this place, which is that of the key that names the file, if there is no such file. Without
/// a place it does nothing, and whoever reads the file reports that it is missing.
void require_file(const std::filesystem::path& path, const SourcePlace& place);

/// Returns the text as UTF-8, with U+FFFD for each byte that belongs to no UTF-8 character, since file names may
/// contain such bytes.
std::string as_utf8(std::string_view text);

/// Returns a word for messages, without control characters; long words are cut and end with "...".
std::string shown(std::string_view word);

/// Returns the same in quotes: "'word'".
std::string in_quotes(std::string_view word);

}  // namespace dropmd
