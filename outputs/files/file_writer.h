#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/run/checkpoint.h"
#include "outputs/files/file_descriptor.h"

namespace dropmd {

/// Buffered writing to a file, every call checked: what fails throws OutputError with path, reason and byte counts.
///
/// A file that another program cuts while it is written is an error. What the reader of a pipe does not take before it
/// leaves, or before the program is told to stop, is dropped (pipe_output.h).
///
/// flush() marks the end of a record (a row, a frame). When a write fails, the file is cut back to the last such mark,
/// so that a full disk leaves whole records only.
class FileWriter {
 public:
  /// Creates the file. One that exists is an error unless `overwrite`, then it is emptied; a device or pipe is written
  /// to as it is.
  FileWriter(std::filesystem::path path, bool overwrite);
  /// Goes on behind a mark of the file, which is cut back to it. Throws as require_mark().
  FileWriter(std::filesystem::path path, const FileMark& mark);
  /// Writes to an open, empty file that messages call `path`.
  FileWriter(FileDescriptor file, std::filesystem::path path);
  FileWriter(FileWriter&&) noexcept = default;
  FileWriter& operator=(FileWriter&&) = delete;
  /// Writes what is buffered if it can, without a word if it cannot: close() is the checked way.
  ~FileWriter();

  void write(std::string_view text);
  /// Hands all that was written to the operating system.
  void flush();
  /// flush(), and waits until the storage has it.
  void sync();
  /// flush() and close; writing on is an error.
  void close();

  /// What is in the file up to the last flush(). synced_mark(): and what the storage has, also after close().
  FileMark mark() const { return {static_cast<std::uint64_t>(recorded_), recorded_crc_}; }
  FileMark synced_mark();

  const std::filesystem::path& path() const { return path_; }

 private:
  bool require_uncut();  ///< whether it is a regular file, which has all that was written
  void drain();

  std::filesystem::path path_;
  FileDescriptor file_;
  std::string buffer_;
  std::int64_t written_ = 0;   ///< bytes in the file
  std::int64_t recorded_ = 0;  ///< bytes in the file up to the last complete record
  std::uint32_t written_crc_ = 0, recorded_crc_ = 0;
};

/// Throws OutputError unless a file begins with what was marked.
void require_mark(const std::filesystem::path& path, const FileMark& mark);

/// Whether writing to `path` replaces nothing: a device, a pipe or a socket, also behind a symbolic link.
bool is_special_file(const std::filesystem::path& path);

/// The message for an output that is in the way: path and remedy.
std::string exists_message(const std::filesystem::path& path);

/// Throws OutputError "PATH: ACTION: REASON" with the reason of an errno value.
[[noreturn]] void throw_output_error(const std::filesystem::path& path, std::string_view action, int error_number);

/// Creates a folder and those above it; one that is there is no error.
void create_folder(const std::filesystem::path& path);

}  // namespace dropmd
