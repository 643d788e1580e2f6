#include "outputs/atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "core/errors.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

/// An open file of a name of its own in the folder of `path`, removed unless it was moved into place.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)), file_(create()) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!moved_) ::unlink(temporary_.c_str());
  }

  FileDescriptor take_file() { return std::move(file_); }

  void move_into_place(bool overwrite) {
    int result = ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), overwrite ? 0U : RENAME_NOREPLACE);
    // Some file systems do not know RENAME_NOREPLACE.
    if (result != 0 && errno == EINVAL) result = ::rename(temporary_.c_str(), path_.c_str());
    if (result != 0 && errno == EEXIST) throw OutputError(exists_message(path_));
    if (result != 0) throw_output_error(path_, "cannot move the new file into place", errno);
    moved_ = true;
  }

 private:
  FileDescriptor create() {
    constexpr int kAttempts = 100;  // other names in use are leftovers of killed processes
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      temporary_ = path_;
      temporary_.replace_filename(fmt::format(".{}.{}-{}.tmp", path_.filename().string(), ::getpid(), attempt));
      const int fd = ::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, kFileMode);
      if (fd >= 0) return FileDescriptor(fd);
      if (errno != EEXIST && errno != EINTR) break;
    }
    throw_output_error(path_, "cannot create a temporary file in its folder", errno);
  }

  fs::path path_;
  fs::path temporary_;
  FileDescriptor file_;
  bool moved_ = false;
};

/// A rename lasts once its folder is on the storage.
void sync_folder(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const FileDescriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) throw_output_error(folder, "cannot open the folder", errno);
  // Some file systems cannot synchronise a folder: EINVAL.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL) throw_output_error(folder, "cannot sync the folder", errno);
}

}  // namespace

void write_atomically(const fs::path& path, bool overwrite, const std::function<void(FileWriter&)>& fill) {
  if (is_special_file(path)) {
    FileWriter writer(path, overwrite);
    fill(writer);
    writer.close();
    return;
  }
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw_output_error(path, "cannot create the file", EISDIR);
  if (!overwrite && fs::exists(fs::symlink_status(path, ignored))) throw OutputError(exists_message(path));

  // Behind a symbolic link, the file it names is replaced and the link stays.
  const fs::path target = fs::exists(path, ignored) ? fs::canonical(path) : path;
  TemporaryFile temporary(target);
  FileWriter writer(temporary.take_file(), path);
  fill(writer);
  writer.sync();
  writer.close();
  temporary.move_into_place(overwrite);
  sync_folder(target);
}

}  // namespace dropmd
