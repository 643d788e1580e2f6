#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

/// The errors that a user can meet. Each carries the exit status that `main` returns for it; nothing below `app` exits
/// or prints. `what()` is the whole message without the leading "dropmd: error: ".
namespace dropmd {

/// Exit status of the program; docs/file-formats.md describes each.
enum class ExitStatus : int {
  done = 0,  ///< success
  /// A comparison or a self-check exceeded its tolerance, or a minimiser did not converge.
  out_of_tolerance = 1,
  usage = 2,          ///< wrong command line: UsageError
  input = 3,          ///< wrong input: InputError
  device = 4,         ///< no usable device, or a device that failed: DeviceError
  physics = 5,        ///< the simulation broke down: PhysicsError
  output = 6,         ///< an output could not be written: OutputError
  interrupted = 130,  ///< stopped by SIGINT, after a checkpoint
  terminated = 143,   ///< stopped by SIGTERM, after a checkpoint
};

/// Base class of all errors that dropmd throws for reasons outside the program.
class Error : public std::runtime_error {
 public:
  /// message: what is wrong and, in parentheses, what would be right.
  Error(ExitStatus status, const std::string& message) : std::runtime_error(message), status_(status) {}
  /// The exit status with which `dropmd` ends after this error.
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

/// A wrong command line. The message names the word that is wrong and the remedy.
struct UsageError : Error {
  explicit UsageError(const std::string& message) : Error(ExitStatus::usage, message) {}
};

/// A place in an input file. Line and column count from 1, columns in bytes; 0 stands for the whole file or line.
struct SourcePlace {
  std::string file;  ///< path as the user wrote it; empty: no file
  std::size_t line = 0;
  std::size_t column = 0;

  /// Returns "FILE:LINE:COLUMN", or as much of it as is known.
  std::string text() const {
    std::string place = file;
    if (line > 0) place += ':' + std::to_string(line);
    if (line > 0 && column > 0) place += ':' + std::to_string(column);
    return place;
  }
  /// Returns "FILE:LINE:COLUMN: message", or the message alone for input that was made in code and has no file.
  std::string with(const std::string& message) const { return file.empty() ? message : text() + ": " + message; }
};

/// A wrong input file. The message is "FILE:LINE:COLUMN: what is wrong (what would be right)"; several mistakes make
/// one message with a line for each, and each line has its own place.
struct InputError : Error {
  /// message: complete, with the places.
  explicit InputError(const std::string& message) : Error(ExitStatus::input, message) {}
  /// Puts the place in front of the message.
  InputError(const SourcePlace& place, const std::string& message) : Error(ExitStatus::input, place.with(message)) {}
};

/// An input file that is missing or cannot be opened or read, unlike one whose contents are wrong: it may be there at
/// another time.
struct MissingInput : InputError {
  using InputError::InputError;
};

/// There is no usable device, or a CUDA call failed. The message says what was being done.
struct DeviceError : Error {
  explicit DeviceError(const std::string& message) : Error(ExitStatus::device, message) {}
};

/// The simulation broke down: atoms overlap, a number is not finite, or an atom moved too far in one step.
struct PhysicsError : Error {
  explicit PhysicsError(const std::string& message) : Error(ExitStatus::physics, message) {}
};

/// An output could not be written. The message has the path and the reason.
struct OutputError : Error {
  explicit OutputError(const std::string& message) : Error(ExitStatus::output, message) {}
};

}  // namespace dropmd
