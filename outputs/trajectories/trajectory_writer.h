#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/errors.h"
#include "core/particles.h"
#include "core/run/checkpoint.h"
#include "core/topology/atom_names.h"
#include "core/units.h"
#include "outputs/files/file_writer.h"

/// What a trajectory format implements.
namespace dropmd {

/// The file of a trajectory, and how it is opened.
struct TrajectoryTarget {
  std::filesystem::path path;
  bool overwrite = false;  ///< whether a new file may replace one that exists
  /// The file is cut back to this mark and continued; nullopt: it is new.
  std::optional<FileMark> after{};
};

/// What all frames of a trajectory have in common, for the header that a format may have.
struct TrajectoryContents {
  Units units{};
  std::string title{};
  std::int64_t every = 1;  ///< steps between frames
  double timestep = 0;     ///< in the run's time unit; 0 for minimisers
  /// Whether atoms leave the run or are added to it: frames then have the ids of their atoms, and their number of atoms
  /// changes.
  bool ids = false;
  /// Whether the run may still add atoms to those that it has.
  bool may_add = false;
  /// The atoms at the step at which the file is opened, which must exist until open() returns; null only for formats
  /// that do without them.
  const Particles* particles = nullptr;
  /// Names of atoms and residues, for formats that have them; null: atoms have the name of their species.
  std::shared_ptr<const AtomNames> names{};
};

/// The format cannot hold a frame, such as one with an atom too far away. Nothing of it was written: the file ends with
/// the frame before.
struct UnfitFrame : OutputError {
  using OutputError::OutputError;
};

struct TrajectoryFrame {
  std::int64_t step;  ///< number of the step
  /// In the run's time unit; 0 for minimisers. nullopt: not known, which formats that need a time write as 0.
  std::optional<double> time;
  const Particles& particles;  ///< of this step
};

/// Writes the frames of one trajectory. A failure throws OutputError.
class TrajectoryWriter {
 public:
  virtual ~TrajectoryWriter() = default;
  /// Appends a frame and passes it to the operating system, so that a disk that gets full leaves only whole frames.
  virtual void append(const TrajectoryFrame& frame) = 0;
  /// Returns the mark of the file with all frames so far. It may also be called after close(). A run that resumes at
  /// the checkpoint with this mark continues the file after these frames, whatever was appended since.
  virtual FlushedMark flushed_mark() = 0;
  /// Waits until all frames are on the storage, and closes the file.
  virtual void close() = 0;
};

/// One trajectory format.
struct TrajectoryFormat {
  std::string_view extension;  ///< of its files: ".xyz"
  /// Opens a file. Throws OutputError if that fails, and for contents that the format cannot hold.
  std::unique_ptr<TrajectoryWriter> (*open)(const TrajectoryTarget& target, const TrajectoryContents& contents);
  /// Throws OutputError unless open() can continue a file after this mark; the file is not changed. For a format that
  /// only appends this is require_mark() of outputs/files/file_writer.h. One that revises what it has written, such as
  /// a number of frames at the start, decides by itself which bytes belong to a mark.
  void (*require_mark)(const std::filesystem::path& path, const FileMark& mark);
  /// Estimated bytes of a frame of this many atoms, for --dry-run.
  std::uint64_t (*frame_bytes)(std::size_t n_atoms);
  /// Throws OutputError, before anything is written, for a file that open() would refuse for its contents; null: the
  /// format holds every run.
  void (*require_fits)(const TrajectoryTarget& target, const TrajectoryContents& contents) = nullptr;
};

}  // namespace dropmd
