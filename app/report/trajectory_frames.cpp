#include "app/report/trajectory_frames.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "core/errors.h"
#include "inputs/structures/extended_xyz.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

/// Returns the number of atoms if a line has nothing but one; 0 for any other line.
std::uint64_t count_in(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  std::uint64_t n = 0;
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), n);
  return error == std::errc{} && rest == line.data() + line.size() ? n : 0;
}

/// Returns the text of the first frame; empty if it is not complete.
std::string first_frame(std::ifstream& file) {
  std::string text, line;
  if (!std::getline(file, line)) return {};
  const std::uint64_t n = count_in(line);
  text = line + '\n';
  for (std::uint64_t k = 0; k < n + 1; ++k) {
    if (!std::getline(file, line) || file.eof()) return {};
    text += line;
    text += '\n';
  }
  return n > 0 ? text : std::string();
}

/// Returns the last complete frame in the end of a file; empty if there is none. A frame begins with a line that has
/// only its number of atoms, and is complete if so many lines and the comment follow.
std::string_view last_frame(std::string_view text) {
  std::size_t lines_behind = 0;  // complete lines behind the present one
  std::size_t end = text.rfind('\n');
  if (end == std::string_view::npos) return {};
  while (end != std::string_view::npos) {
    const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::uint64_t n = count_in(text.substr(begin, end - begin));
    if (n > 0 && lines_behind > n) {
      std::size_t behind = begin;
      for (std::uint64_t k = 0; k < n + 2; ++k) behind = text.find('\n', behind) + 1;
      return text.substr(begin, behind - begin);
    }
    ++lines_behind;
    end = before;
  }
  return {};
}

/// Returns the last complete frame of a file, of whose end twice as much is read until a frame is in it.
std::string last_frame(std::ifstream& file, std::uint64_t size) {
  constexpr std::uint64_t kLeast = 1U << 20U;
  for (std::uint64_t wanted = kLeast;; wanted *= 2) {
    const std::uint64_t length = std::min(wanted, size);
    std::string text(length, '\0');
    file.clear();
    file.seekg(static_cast<std::streamoff>(size - length));
    file.read(text.data(), static_cast<std::streamsize>(length));
    text.resize(static_cast<std::size_t>(file.gcount()));
    // The first line may be the end of one.
    const std::size_t begin = length == size ? 0 : text.find('\n') + 1;
    const std::string_view frame = last_frame(std::string_view(text).substr(begin));
    if (!frame.empty() || length == size) return std::string(frame);
  }
}

}  // namespace

std::optional<Structure> read_trajectory_frame(const fs::path& path, FrameChoice choice) {
  if (path.extension() != ".xyz" && path.extension() != ".extxyz")
    throw InputError({path.string()}, "frames of this format cannot be shown (only those of .xyz)");
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (!file || error) throw InputError({path.string()}, "cannot be read (check the path and its permissions)");
  std::string text = choice == FrameChoice::first ? first_frame(file) : last_frame(file, size);
  if (text.empty()) return std::nullopt;
  XyzFrames frames(TextSource{path.string(), std::move(text)});
  std::optional<XyzFrames::Frame> frame = frames.next();
  if (!frame) return std::nullopt;
  return std::move(frame->structure);
}

}  // namespace dropmd
