#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/run/checkpoint.h"
#include "outputs/files/file_descriptor.h"

namespace dropmd {

/// Changes the first bytes of a file, which a program revises while it appends others, to those that a mark counts. It
/// gets as many bytes as the file has, or at least all that are revised.
using FirstBytes = void (*)(std::span<char> first);

/// A file of which the operating system has everything that was written, but the storage may not.
struct UnsyncedFile {
  std::filesystem::path path;
  FileDescriptor file{};  ///< closed: the storage has everything
};

/// Waits until everything is on the storage, and closes the descriptor. It may be called in another thread than the
/// writer's. Throws OutputError.
void sync(UnsyncedFile unsynced);

/// A mark of a file, and what must be synced for the mark to hold after a power cut.
struct FlushedMark : FileMark {
  UnsyncedFile unsynced;
};

/// Buffered writing to a file, with every call checked: failures throw OutputError with path, reason and byte counts.
///
/// If another program truncates the file while it is being written, that is an error. What the reader of a pipe has not
/// read when it leaves, or when the program is told to stop, is dropped (pipe_output.h).
///
/// flush() marks the end of a record (a row, a frame). If a write fails, the file is truncated to the last such mark,
/// so that a full disk leaves only whole records.
class FileWriter {
 public:
  /// Creates the file. An existing file is an error unless `overwrite`, in which case it is emptied; a device or pipe
  /// is written to as it is.
  FileWriter(std::filesystem::path path, bool overwrite);
  /// Continues after a mark of the file, which is truncated to it. Throws like require_mark().
  FileWriter(std::filesystem::path path, const FileMark& mark, FirstBytes first = nullptr);
  /// Writes to an open, empty file that messages call `path`.
  FileWriter(FileDescriptor file, std::filesystem::path path);
  FileWriter(FileWriter&&) noexcept = default;
  FileWriter& operator=(FileWriter&&) = delete;
  /// Writes buffered data if possible, and ignores failures: close() is the checked way.
  ~FileWriter();

  void write(std::string_view text);
  /// Passes everything written so far to the operating system.
  void flush();
  /// Flushes, and waits until the data are on the storage.
  void sync();
  /// Flushes and closes the file; writing afterwards is an error.
  void close();

  /// The contents of the file up to the last flush().
  FileMark mark() const { return {static_cast<std::uint64_t>(recorded_), recorded_crc_}; }
  /// The same, after a flush. It may also be called after close().
  FlushedMark flushed_mark();

  const std::filesystem::path& path() const { return path_; }

 private:
  bool require_uncut();  ///< returns whether it is a regular file; throws if that was truncated
  void drain();

  std::filesystem::path path_;
  FileDescriptor file_;
  std::string buffer_;
  std::int64_t written_ = 0;   ///< bytes in the file
  std::int64_t recorded_ = 0;  ///< bytes in the file up to the last complete record
  std::uint32_t written_crc_ = 0, recorded_crc_ = 0;
};

/// Throws OutputError unless a file begins with the marked part.
void require_mark(const std::filesystem::path& path, const FileMark& mark);
/// The same for a file whose first bytes are revised; first: null if they are not.
void require_revised_mark(const std::filesystem::path& path, const FileMark& mark, FirstBytes first);

/// Whether writing to `path` replaces nothing: a device, a pipe or a socket, also via a symbolic link.
bool is_special_file(const std::filesystem::path& path);

/// Returns the message for an existing output: path and remedy.
std::string exists_message(const std::filesystem::path& path);

/// Throws OutputError "PATH: ACTION: REASON" with the reason of an errno value.
[[noreturn]] void throw_output_error(const std::filesystem::path& path, std::string_view action, int error_number);

/// Creates a folder and its parents; it is not an error if they exist.
void create_folder(const std::filesystem::path& path);

}  // namespace dropmd
