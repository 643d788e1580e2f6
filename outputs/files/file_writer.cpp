#include "outputs/files/file_writer.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "outputs/files/pipe_output.h"

namespace dropmd {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;

FileDescriptor create_file(const std::filesystem::path& path, bool overwrite) {
  if (is_special_file(path)) return open_special_file(path);
  const int flags = O_WRONLY | O_CLOEXEC | O_CREAT | (overwrite ? O_TRUNC : O_EXCL);
  int fd = -1;
  do fd = ::open(path.c_str(), flags, kFileMode);
  while (fd < 0 && errno == EINTR);
  if (fd < 0 && errno == EEXIST) throw OutputError(exists_message(path));
  if (fd < 0) throw_output_error(path, "cannot create the file", errno);
  return FileDescriptor(fd);
}

int open_again(const std::filesystem::path& path, int flags) {
  int fd = -1;
  do fd = ::open(path.c_str(), flags | O_CLOEXEC);
  while (fd < 0 && errno == EINTR);
  if (fd < 0) throw_output_error(path, "cannot continue the file", errno);
  return fd;
}

void close_descriptor(FileDescriptor& file, const std::filesystem::path& path) {
  // Linux closes the descriptor even if it reports EINTR.
  if (::close(file.release()) != 0 && errno != EINTR) throw_output_error(path, "cannot close the file", errno);
}

void sync_descriptor(int fd, const std::filesystem::path& path) {
  // Devices and pipes cannot be synced: EINVAL.
  if (::fsync(fd) != 0 && errno != EINVAL) throw_output_error(path, "cannot sync the file", errno);
}

std::uint32_t crc_with(std::uint32_t crc, std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

[[noreturn]] void refuse_mark(const std::filesystem::path& path, std::string_view what) {
  throw OutputError(fmt::format("{} {} (put back the file that the run wrote, or continue in another folder with -o)",
                                path.string(), what));
}

}  // namespace

void sync(UnsyncedFile unsynced) {
  if (!unsynced.file.is_open()) return;
  sync_descriptor(unsynced.file.get(), unsynced.path);
  close_descriptor(unsynced.file, unsynced.path);
}

void require_revised_mark(const std::filesystem::path& path, const FileMark& mark, FirstBytes first) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) refuse_mark(path, "is missing");
  if (!std::filesystem::is_regular_file(path, ignored)) refuse_mark(path, "is not a regular file");
  const FileDescriptor file(open_again(path, O_RDONLY));
  std::string buffer(kBufferBytes, '\0');
  std::uint32_t crc = 0;
  for (std::uint64_t left = mark.bytes; left > 0;) {
    const ssize_t n = ::read(file.get(), buffer.data(), std::min<std::uint64_t>(left, buffer.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_output_error(path, "cannot read what the run wrote", errno);
    if (n == 0) refuse_mark(path, fmt::format("is shorter than the {} bytes recorded in the checkpoint", mark.bytes));
    if (first != nullptr && left == mark.bytes) first({buffer.data(), static_cast<std::size_t>(n)});
    crc = crc_with(crc, std::string_view(buffer).substr(0, static_cast<std::size_t>(n)));
    left -= static_cast<std::uint64_t>(n);
  }
  if (crc != mark.crc)
    refuse_mark(path,
                fmt::format("was changed: its first {} bytes are not those recorded in the checkpoint", mark.bytes));
}

void require_mark(const std::filesystem::path& path, const FileMark& mark) {
  require_revised_mark(path, mark, nullptr);
}

FileWriter::FileWriter(std::filesystem::path path, bool overwrite)
    : path_(std::move(path)), file_(create_file(path_, overwrite)) {}

FileWriter::FileWriter(FileDescriptor file, std::filesystem::path path)
    : path_(std::move(path)), file_(std::move(file)) {}

FileWriter::FileWriter(std::filesystem::path path, const FileMark& mark, FirstBytes first) : path_(std::move(path)) {
  require_revised_mark(path_, mark, first);
  file_ = FileDescriptor(open_again(path_, O_WRONLY));
  const auto bytes = static_cast<off_t>(mark.bytes);
  if (::ftruncate(file_.get(), bytes) != 0 || ::lseek(file_.get(), bytes, SEEK_SET) != bytes)
    throw_output_error(path_, "cannot cut the file back to the checkpoint", errno);
  written_ = recorded_ = bytes;
  written_crc_ = recorded_crc_ = mark.crc;
}

FileWriter::~FileWriter() {
  if (!file_.is_open()) return;
  try {
    flush();
  } catch (...) {  // NOLINT(bugprone-empty-catch): a destructor has nobody to tell
  }
}

void FileWriter::write(std::string_view text) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, kBufferBytes - buffer_.size());
    buffer_.append(part);
    text.remove_prefix(part.size());
    if (buffer_.size() == kBufferBytes) drain();
  }
}

void FileWriter::flush() {
  drain();
  recorded_ = written_;
  recorded_crc_ = written_crc_;
}

FlushedMark FileWriter::flushed_mark() {
  if (!file_.is_open()) return {mark(), {}};
  flush();
  // The same open file, so that whoever syncs it is told of an error in writing it.
  UnsyncedFile unsynced{path_, FileDescriptor(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0))};
  if (!unsynced.file.is_open()) sync();  // no more descriptors are left
  return {mark(), std::move(unsynced)};
}

void FileWriter::sync() {
  flush();
  sync_descriptor(file_.get(), path_);
}

void FileWriter::close() {
  flush();
  close_descriptor(file_, path_);
}

/// Writing past the end of a truncated file would fill the gap with NUL bytes.
bool FileWriter::require_uncut() {
  struct stat file {};
  if (::fstat(file_.get(), &file) != 0) throw_output_error(path_, "cannot examine the file", errno);
  if (!S_ISREG(file.st_mode)) return false;
  if (file.st_size >= written_) return true;
  buffer_.clear();
  throw OutputError(
      fmt::format("{}: another program cut it to {} bytes after {} were written (leave a run's files alone while "
                  "it writes them)",
                  path_.string(), file.st_size, written_));
}

void FileWriter::drain() {
  const bool is_regular = require_uncut();
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t n =
        is_regular ? ::write(file_.get(), rest.data(), rest.size()) : write_to_reader(file_.get(), path_, rest);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error_number = errno;
      const std::size_t wanted = buffer_.size();
      buffer_.clear();
      if (::ftruncate(file_.get(), recorded_) == 0 && ::lseek(file_.get(), recorded_, SEEK_SET) == recorded_)
        written_ = recorded_, written_crc_ = recorded_crc_;
      throw_output_error(path_, fmt::format("cannot write ({} of {} bytes written)", wanted - rest.size(), wanted),
                         error_number);
    }
    written_crc_ = crc_with(written_crc_, rest.substr(0, static_cast<std::size_t>(n)));
    rest.remove_prefix(static_cast<std::size_t>(n));
    written_ += n;
  }
  buffer_.clear();
}

bool is_special_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return std::filesystem::is_other(status);
}

std::string exists_message(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool leads_nowhere = std::filesystem::is_symlink(path, ignored) && !std::filesystem::exists(path, ignored);
  return fmt::format("{} {} (use --force to overwrite it, or choose another output)", path.string(),
                     leads_nowhere ? "is a link to a file that does not exist" : "exists");
}

void throw_output_error(const std::filesystem::path& path, std::string_view action, int error_number) {
  throw OutputError(fmt::format("{}: {}: {}", path.string(), action, std::generic_category().message(error_number)));
}

void create_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw_output_error(path, "cannot create the folder", error.value());
}

}  // namespace dropmd
