#include "inputs/trajectories/text_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace dropmd {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18U;

}  // namespace

TextStream::TextStream(const std::filesystem::path& path, std::string_view kind) : file_(path.string()), kind_(kind) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  require_regular_file(path, kind);
  in_.open(path, std::ios::binary);
  if (!in_) {
    const std::string reason = std::strerror(errno);
    throw InputError({file_}, "cannot be opened: " + reason + " (check its permissions)");
  }
  std::error_code error;
  size_ = std::filesystem::file_size(path, error);
  if (error) throw InputError({file_}, "cannot be read: " + error.message() + " (check the disk)");
  if (fill() && buffered().starts_with(kByteOrderMark)) begin_ += kByteOrderMark.size();
  taken_ = begin_;
  if (begin_ == end_) throw InputError({file_, 1, 1}, "the file is empty (" + kind_ + " is expected)");
}

bool TextStream::fill() {
  if (begin_ < end_) return true;
  buffer_.resize(std::min<std::uint64_t>(kBufferBytes, std::max<std::uint64_t>(size_, 1)));
  in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  if (in_.bad()) throw InputError({file_}, "cannot be read to its end (check the disk)");
  begin_ = 0, end_ = static_cast<std::size_t>(in_.gcount());
  return end_ > 0;
}

bool TextStream::take_line(std::string& text) {
  if (!fill()) return false;
  ++n_lines_;
  const std::size_t line_begin = text.size();
  for (bool ended = false; !ended && fill();) {
    const std::string_view rest = buffered();
    const std::size_t line_end = rest.find('\n');
    ended = line_end != std::string_view::npos;
    const std::size_t n = ended ? line_end + 1 : rest.size();
    text.append(rest, 0, n);
    begin_ += n, taken_ += n;
  }
  if (const std::size_t nul = text.find('\0', line_begin); nul != std::string::npos)
    throw InputError({file_, n_lines_, nul - line_begin + 1}, "binary data, a NUL byte (" + kind_ + " is text)");
  return true;
}

bool TextStream::pass_blank_lines() {
  for (std::string line; take_line(line); line.clear())
    if (!trimmed(std::string_view(line).substr(0, line.find('\n'))).empty()) return false;
  return true;
}

}  // namespace dropmd
