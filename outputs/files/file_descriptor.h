#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <utility>

namespace dropmd {

/// Permissions of a new file, before the umask is applied.
inline constexpr mode_t kFileMode = 0666;

/// Owner of a POSIX file descriptor.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = kClosed) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (is_open()) ::close(fd_);
  }

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  /// Releases ownership; the caller must close the descriptor.
  int release() { return std::exchange(fd_, kClosed); }

 private:
  static constexpr int kClosed = -1;
  int fd_;
};

}  // namespace dropmd
