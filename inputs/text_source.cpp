#include "inputs/text_source.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <stdexcept>
#include <system_error>

#include "core/terminal_text.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

std::string read_bytes(const fs::path& path) {
  const SourcePlace place{path.string()};
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    const std::string reason = std::strerror(errno);
    throw MissingInput(place, "cannot be opened: " + reason + " (check its permissions)");
  }
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) throw MissingInput(place, "cannot be read: " + error.message() + " (check the disk)");
  std::string text;
  try {
    text.resize(size);
  } catch (const std::bad_alloc&) {
    throw InputError(place, "is larger than the memory (" + std::to_string(size) + " bytes)");
  } catch (const std::length_error&) {
    throw InputError(place, "is larger than the memory (" + std::to_string(size) + " bytes)");
  }
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) throw MissingInput(place, "cannot be read to its end (check the disk)");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

SourcePlace place_of_byte(const TextSource& source, std::size_t offset) {
  const std::string_view before = std::string_view(source.text).substr(0, offset);
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  return {source.file, line, offset - line_begin + 1};
}

/// Returns the length in bytes of the UTF-8 character at the beginning of the text (Unicode 15, table 3-7); 0 if there
/// is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
  const auto continues = [&](std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to; ++k)
      if ((byte(k) & 0xC0U) != 0x80) return false;
    return true;
  };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1, 2) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0, surrogate = first == 0xED && second > 0x9F;
    return !overlong && !surrogate && continues(1, 3) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && second < 0x90, beyond = first == 0xF4 && second > 0x8F;
    return !overlong && !beyond && continues(1, 4) ? 4 : 0;
  }
  return 0;
}

}  // namespace

void require_regular_file(const fs::path& path, std::string_view kind) {
  const SourcePlace place{path.string()};
  const std::string expected(kind);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw MissingInput(place, "no such file (check the path)");
  if (error) throw MissingInput(place, "cannot be read: " + error.message() + " (check the path and its permissions)");
  if (fs::is_directory(status)) throw InputError(place, "is a directory (" + expected + " is expected)");
  if (!fs::is_regular_file(status))
    throw InputError(place, "is a device or a pipe (" + expected + " is expected; copy the data to a file)");
}

TextSource read_text_source(const fs::path& path, std::string_view kind) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::string expected(kind);
  require_regular_file(path, kind);
  TextSource source{path.string(), read_bytes(path)};
  if (source.text.starts_with(kByteOrderMark)) source.text.erase(0, kByteOrderMark.size());
  if (source.text.empty()) throw InputError({source.file, 1, 1}, "the file is empty (" + expected + " is expected)");
  if (const std::size_t nul = source.text.find('\0'); nul != std::string::npos)
    throw InputError(place_of_byte(source, nul), "binary data, a NUL byte (" + expected + " is text)");
  return source;
}

void require_file(const fs::path& path, const SourcePlace& place) {
  if (place.file.empty()) return;
  std::error_code error;
  if (fs::status(path, error).type() == fs::file_type::not_found)
    throw MissingInput(place, "no such file: " + in_quotes(path.string()) +
                                  " (check the path; a relative one starts from the folder of the run file)");
}

std::string as_utf8(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string utf8;
  for (std::size_t k = 0; k < text.size();) {
    const std::size_t n = utf8_length(text.substr(k));
    utf8 += n > 0 ? text.substr(k, n) : kReplacement;
    k += std::max<std::size_t>(n, 1);
  }
  return utf8;
}

std::string shown(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  std::size_t end = std::min(word.size(), kLongest);
  while (end < word.size() && end > 0 && continues(word[end])) --end;  // drops a partial UTF-8 character
  const std::string text = without_commands(word.substr(0, end));
  return end < word.size() ? text + "..." : text;
}

std::string in_quotes(std::string_view word) { return '\'' + shown(word) + '\''; }

}  // namespace dropmd
