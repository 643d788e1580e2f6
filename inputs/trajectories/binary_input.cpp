#include "inputs/trajectories/binary_input.h"

#include <cerrno>
#include <system_error>

#include "inputs/text_source.h"

namespace dropmd {

BinaryInput::BinaryInput(const std::filesystem::path& path, std::string_view kind) : file_(path.string()) {
  require_regular_file(path, kind);
  in_.open(path, std::ios::binary);
  if (!in_) {
    const std::string reason = std::strerror(errno);
    fail("cannot be opened: " + reason + " (check its permissions)");
  }
  std::error_code error;
  size_ = std::filesystem::file_size(path, error);
  if (error) fail("cannot be read: " + error.message() + " (check the disk)");
  if (size_ == 0) fail("the file is empty (" + std::string(kind) + " is expected)");
}

bool BinaryInput::read(std::vector<char>& bytes, std::uint64_t n) {
  if (n > rest()) return false;
  bytes.resize(n);
  in_.read(bytes.data(), static_cast<std::streamsize>(n));
  if (in_.gcount() != static_cast<std::streamsize>(n)) fail("cannot be read to its end (check the disk)");
  taken_ += n;
  return true;
}

bool BinaryInput::skip(std::uint64_t n) {
  if (n > rest()) return false;
  in_.seekg(static_cast<std::streamoff>(n), std::ios::cur);
  taken_ += n;
  return true;
}

}  // namespace dropmd
