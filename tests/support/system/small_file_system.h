#pragma once

#include <sched.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

namespace dropmd {

/// A file system in memory of a few bytes, mounted on a folder during its lifetime and visible only to this process and
/// its children. Mounting needs a privilege; without it, reason() says so.
class SmallFileSystem {
 public:
  SmallFileSystem(std::filesystem::path folder, std::size_t bytes) : folder_(std::move(folder)) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        !mount(bytes, 0))
      reason_ = std::string("no file system can be mounted here: ") + std::strerror(errno);
  }
  ~SmallFileSystem() {
    if (reason_.empty()) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;

  const std::string& reason() const { return reason_; }
  bool grow(std::size_t bytes) { return mount(bytes, MS_REMOUNT); }

 private:
  bool mount(std::size_t bytes, unsigned long flags) const {
    return ::mount("none", folder_.c_str(), "tmpfs", flags, ("size=" + std::to_string(bytes)).c_str()) == 0;
  }

  std::filesystem::path folder_;
  std::string reason_;
};

}  // namespace dropmd
