#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "inputs/line_reader.h"
#include "inputs/structures/structure.h"

namespace dropmd {

/// Reads the last complete frame of an XYZ or extended XYZ file, so that a run can continue from a trajectory. The
/// columns are those of `Properties=` (species, pos, velocity, momenta, charge, mass and the names that other programs
/// use for them; others are skipped with a warning) or, without it, `element x y z`. The comment line supplies `Time`,
/// `units`, `radius` and `title`; without `Properties=` the line itself is the title. Periodic frames are an error. A
/// frame after the first that ends early, even within its last line, is taken for an interrupted write and skipped with
/// a warning; a first frame that ends early is an error. Throws InputError with FILE:LINE:COLUMN.
Structure read_extended_xyz(const std::filesystem::path& path);

/// The frames of an XYZ or extended XYZ file, one after another.
class XyzFrames {
 public:
  /// Reads the whole file into memory. Throws InputError.
  explicit XyzFrames(const std::filesystem::path& path);
  /// Takes a text that begins with a frame, such as a part of a trajectory.
  explicit XyzFrames(TextSource source);
  XyzFrames(const XyzFrames&) = delete;  // lines_ refers to source_
  XyzFrames& operator=(const XyzFrames&) = delete;

  /// A frame of a trajectory.
  struct Frame {
    Structure structure;
    std::vector<std::uint32_t> ids;  ///< [n_atoms] of the run that wrote it, 0: not one of these; empty: none are given
  };
  /// Returns the next frame; nullopt behind the last complete one. Throws InputError as read_extended_xyz().
  std::optional<Frame> next();
  /// What is to be shown to the user, so far: a last frame that is cut off.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  TextSource source_;
  LineReader lines_;
  std::vector<std::string> warnings_;
  std::size_t n_before_ = 0;  ///< atoms of the frame before
};

}  // namespace dropmd
