#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "inputs/structures/structure.h"

/// What a reader of a trajectory format implements.
namespace dropmd {

/// One frame of a trajectory. What the file does not say is empty.
struct InputFrame {
  /// The atoms in the order of the file. Without names they are of the species X. Momenta have become velocities where
  /// the frame has masses.
  Structure structure;
  std::optional<std::int64_t> step;
  /// [n_atoms] ids of the atoms in the run that wrote the file; 0: the file has something else there.
  std::vector<std::uint32_t> ids;
};

/// The last frame of a file is incomplete, like that of a run that is in progress or was killed. The frames before it
/// are complete.
struct CutOffFrame : InputError {
  using InputError::InputError;
};

/// What to do about a frame that is cut off, for messages.
inline constexpr std::string_view kCutOffRemedy =
    "as with a run that is in progress or was killed; the frames before it are complete";

/// How much of a file has been read, in bytes or frames.
struct ReadShare {
  std::size_t done, of;
};

/// Reads the frames of one file, one after another; memory holds one of them. The bytes that it allocates are in
/// proportion to those that the file has, whatever its headers say.
class TrajectoryReader {
 public:
  virtual ~TrajectoryReader() = default;

  /// Returns the next frame; nullopt after the last. Throws InputError with the place, and CutOffFrame where the file
  /// ends within a frame other than the first.
  virtual std::optional<InputFrame> next() = 0;
  /// Passes over the next frame without all the checks of next(); false: there is none. Throws as next().
  virtual bool skip() { return next().has_value(); }
  virtual ReadShare share() const = 0;
};

}  // namespace dropmd
