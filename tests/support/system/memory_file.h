#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace dropmd {

/// A file that exists in memory only, with a path by which this process can open it.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("memory-file", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written <= 0) {
        const int reason = errno;
        ::close(descriptor_);
        throw std::system_error(reason, std::generic_category(), "write");
      }
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const {
    return "/proc/self/task/" + std::to_string(::gettid()) + "/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

}  // namespace dropmd
