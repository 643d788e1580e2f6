#include "outputs/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/terminal_text.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

/// Parts of the names of temporary files for `path`, before and after process and attempt.
std::string temporary_prefix(const fs::path& path) { return "." + path.filename().string() + "."; }
constexpr std::string_view kTemporarySuffix = ".tmp";

/// Returns the process in the name of a temporary file for `path`, with process and attempt as in create() below;
/// nullopt if it is not such a name.
std::optional<::pid_t> process_in_name(std::string_view name, const fs::path& path) {
  const std::string prefix = temporary_prefix(path);
  if (!name.starts_with(prefix) || !name.ends_with(kTemporarySuffix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  name.remove_suffix(std::min(name.size(), kTemporarySuffix.size()));
  const std::size_t dash = name.find('-');
  const auto is_number = [](std::string_view digits, std::size_t most_digits) {
    return !digits.empty() && digits.size() <= most_digits &&
           digits.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (dash == std::string_view::npos || !is_number(name.substr(0, dash), 10) || !is_number(name.substr(dash + 1), 2))
    return std::nullopt;
  ::pid_t process = 0;
  std::from_chars(name.data(), name.data() + dash, process);
  return process;
}

/// Whether a process exists; false for a number that no process can have.
bool is_running(::pid_t process) { return process > 0 && (::kill(process, 0) == 0 || errno == EPERM); }

/// An open file with a unique name in the folder of `target`, which is removed unless it was moved into place; messages
/// call it `path`.
class TemporaryFile {
 public:
  TemporaryFile(fs::path target, fs::path path) : target_(std::move(target)), path_(std::move(path)), file_(create()) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!moved_) ::unlink(temporary_.c_str());
  }

  FileDescriptor take_file() { return std::move(file_); }
  const fs::path& temporary() const { return temporary_; }

  void move_into_place(bool overwrite) {
    int result =
        ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), overwrite ? 0U : RENAME_NOREPLACE);
    // Some file systems do not support RENAME_NOREPLACE.
    if (result != 0 && errno == EINVAL) result = ::rename(temporary_.c_str(), target_.c_str());
    if (result != 0 && errno == EEXIST) throw OutputError(exists_message(path_));
    if (result != 0) throw_output_error(path_, "cannot move the new file into place", errno);
    moved_ = true;
  }

 private:
  FileDescriptor create() {
    constexpr int kAttempts = 100;  // other names in use are leftovers of killed processes
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      temporary_ = target_;
      temporary_.replace_filename(
          fmt::format("{}{}-{}{}", temporary_prefix(target_), ::getpid(), attempt, kTemporarySuffix));
      const int fd = ::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, kFileMode);
      if (fd >= 0) return FileDescriptor(fd);
      if (errno != EEXIST && errno != EINTR) break;
    }
    throw_output_error(path_, "cannot create a temporary file in its folder", errno);
  }

  fs::path target_, path_, temporary_;
  FileDescriptor file_;
  bool moved_ = false;
};

/// If the path is a symbolic link, the file it names is replaced and the link stays.
fs::path replaced_by(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? fs::canonical(path) : path;
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

/// A rename is durable once its folder is on the storage; messages call the file `path`.
void sync_folder(const fs::path& file, const fs::path& path) {
  const fs::path folder = folder_of(file);
  const FileDescriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) throw_output_error(path, "cannot open its folder", errno);
  // Some file systems cannot sync a folder: EINVAL.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL) throw_output_error(path, "cannot sync its folder", errno);
}

}  // namespace

namespace {

void require_may_replace(const fs::path& path, bool overwrite) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw_output_error(path, "cannot create the file", EISDIR);
  if (!overwrite && fs::exists(fs::symlink_status(path, ignored))) throw OutputError(exists_message(path));
}

/// Whether a file begins with this text, or does not exist.
bool begins_with_if_there(const fs::path& path, std::string_view begin) {
  std::error_code error;
  if (!fs::exists(path, error)) return !error;
  if (!fs::is_regular_file(path, error)) return false;
  std::string found(begin.size(), '\0');
  return std::ifstream(path).read(found.data(), static_cast<std::streamsize>(found.size())) && found == begin;
}

}  // namespace

void write_atomically_at(const fs::path& path, bool overwrite, const std::function<void(const fs::path&)>& fill) {
  if (is_special_file(path)) {
    fill(path);
    return;
  }
  require_may_replace(path, overwrite);
  const fs::path target = replaced_by(path);
  TemporaryFile temporary(target, path);
  try {
    fill(temporary.temporary());
  } catch (const OutputError& error) {
    std::string message = error.what();
    const std::string name = temporary.temporary().string();
    if (const std::size_t at = message.find(name); at != std::string::npos)
      message.replace(at, name.size(), path.string());
    throw OutputError(message);
  }
  temporary.move_into_place(overwrite);
  sync_folder(target, path);
}

void write_atomically(const fs::path& path, bool overwrite, const std::function<void(FileWriter&)>& fill) {
  if (is_special_file(path)) {
    FileWriter writer(path, overwrite);
    fill(writer);
    writer.close();
    return;
  }
  require_may_replace(path, overwrite);
  const fs::path target = replaced_by(path);
  TemporaryFile temporary(target, path);
  FileWriter writer(temporary.take_file(), path);
  fill(writer);
  writer.sync();
  writer.close();
  temporary.move_into_place(overwrite);
  sync_folder(target, path);
}

void replace_without_sync(const fs::path& path, std::string_view text, std::string_view begin) {
  if (!begins_with_if_there(path, begin)) return;
  try {
    TemporaryFile temporary(replaced_by(path), path);
    FileWriter writer(temporary.take_file(), path);
    writer.write(text);
    writer.close();
    temporary.move_into_place(/*overwrite=*/true);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): as promised
  }
}

void require_folder(const fs::path& path) {
  if (is_special_file(path)) return;
  std::error_code error;
  if (fs::is_directory(path, error)) throw_output_error(path, "cannot create the file", EISDIR);
  const fs::path folder = folder_of(replaced_by(path));
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found && error != std::errc::not_a_directory)
    throw OutputError(fmt::format("{}: there is no folder {} (mkdir -p {})", path.string(), folder.string(),
                                  shell_word(folder.string())));
  if (!fs::status_known(status)) throw_output_error(path, "cannot open its folder", error.value());
  if (!fs::is_directory(status)) throw_output_error(path, "cannot create it in its folder", ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw_output_error(path, "cannot create it in its folder", errno);
}

namespace {

/// Removes the leftovers of processes for which is_gone(process) is true.
template <class IsGone>
void remove_where(const fs::path& path, const std::vector<fs::path>& keep, const IsGone& is_gone) {
  const fs::path target = replaced_by(path);
  std::error_code ignored;
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator entry(folder_of(target), ignored), end; entry != end; entry.increment(ignored))
    if (const auto process = process_in_name(entry->path().filename().string(), target);
        process && is_gone(*process) && fs::is_regular_file(entry->symlink_status(ignored)))
      leftovers.push_back(entry->path());
  for (const fs::path& leftover : leftovers)
    if (std::none_of(keep.begin(), keep.end(), [&](const fs::path& kept) {
          std::error_code is_missing;
          return fs::equivalent(kept, leftover, is_missing);
        }))
      fs::remove(leftover, ignored);
}

}  // namespace

void remove_leftovers(const fs::path& path, const std::vector<fs::path>& keep) {
  remove_where(path, keep, [](::pid_t) { return true; });
}

void remove_leftovers_of_killed(const fs::path& path, const std::vector<fs::path>& keep) {
  remove_where(path, keep, [](::pid_t process) { return !is_running(process); });
}

}  // namespace dropmd
