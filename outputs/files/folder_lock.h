#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

#include "outputs/files/file_descriptor.h"

namespace dropmd {

/// Keeps other processes, and other users in this one, from writing to a folder, as long as it exists.
class FolderLock {
 public:
  /// How long a locked folder is waited for. A killed process may still be ending when whoever killed it goes on:
  /// mpirun returns before its ranks are gone, and a GPU's context takes a moment to be destroyed.
  static constexpr std::chrono::milliseconds kWait{2000};

  FolderLock() = default;
  /// folder: an existing one; of one that does not exist nothing is locked. what: what writes there, such as "run".
  /// Throws OutputError if the folder stays locked.
  FolderLock(const std::filesystem::path& folder, std::string_view what);

  /// Whether there was a folder.
  bool is_open() const { return folder_.is_open(); }
  /// False also if the file system has no locks: then there is no protection.
  bool holds() const { return holds_; }

 private:
  FileDescriptor folder_;
  bool holds_ = false;
};

}  // namespace dropmd
