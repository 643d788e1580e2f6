#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

#include "outputs/files/file_descriptor.h"

namespace dropmd {

/// While it exists, keeps other processes, and other users of the folder in this one, from writing to it.
class FolderLock {
 public:
  /// How long to wait for a locked folder. A killed process may still be ending when whoever killed it goes on: mpirun
  /// returns before its ranks are gone, and a GPU's context takes a moment to be destroyed.
  static constexpr std::chrono::milliseconds kWait{2000};

  FolderLock() = default;
  /// folder: should exist; otherwise nothing is locked. what: what writes there, such as "run". Throws OutputError if
  /// the folder stays locked.
  FolderLock(const std::filesystem::path& folder, std::string_view what);

  /// Whether there was a folder.
  bool is_open() const { return folder_.is_open(); }
  /// False also if the file system has no locks; there is then no protection.
  bool holds() const { return holds_; }

 private:
  FileDescriptor folder_;
  bool holds_ = false;
};

}  // namespace dropmd
