#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

/// The errors a user can meet. Each knows the exit status that `main` returns for it; nothing below `app` exits or
/// prints. `what()` is the whole message but for the leading "dropmd: error: ".
namespace dropmd {

enum class ExitStatus : int {
  done = 0,
  out_of_tolerance = 1,
  usage = 2,
  input = 3,
  device = 4,
  physics = 5,
  output = 6,
  interrupted = 130,
  terminated = 143,
};

class Error : public std::runtime_error {
 public:
  Error(ExitStatus status, const std::string& message) : std::runtime_error(message), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

/// A wrong command line: the message names the word and the remedy.
struct UsageError : Error {
  explicit UsageError(const std::string& message) : Error(ExitStatus::usage, message) {}
};

/// A place in an input file; line and column count from 1, columns in bytes; 0 means the whole file or line.
struct SourcePlace {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;

  /// "FILE:LINE:COLUMN", or as much of it as is known.
  std::string text() const {
    std::string place = file;
    if (line > 0) place += ':' + std::to_string(line);
    if (line > 0 && column > 0) place += ':' + std::to_string(column);
    return place;
  }
  /// "FILE:LINE:COLUMN: message". What was made in code has no file: the message alone.
  std::string with(const std::string& message) const { return file.empty() ? message : text() + ": " + message; }
};

/// A wrong input file: "FILE:LINE:COLUMN: what is wrong (what would be right)". Several mistakes are lines of one
/// message, each with its own place.
struct InputError : Error {
  explicit InputError(const std::string& message) : Error(ExitStatus::input, message) {}
  InputError(const SourcePlace& place, const std::string& message) : Error(ExitStatus::input, place.with(message)) {}
};

/// No usable device, or a failed CUDA call: the message says what was being done.
struct DeviceError : Error {
  explicit DeviceError(const std::string& message) : Error(ExitStatus::device, message) {}
};

/// The physics broke: overlapping atoms, a non-finite number, a move that is too long.
struct PhysicsError : Error {
  explicit PhysicsError(const std::string& message) : Error(ExitStatus::physics, message) {}
};

/// An output could not be written; path and reason are in the message.
struct OutputError : Error {
  explicit OutputError(const std::string& message) : Error(ExitStatus::output, message) {}
};

}  // namespace dropmd
