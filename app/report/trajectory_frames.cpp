#include "app/report/trajectory_frames.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "core/errors.h"
#include "inputs/trajectories/trajectory_source.h"

namespace dropmd {

namespace {

/// Returns the number of complete frames.
std::size_t count_frames(const std::filesystem::path& path) {
  std::size_t n = 0;
  const std::unique_ptr<TrajectoryReader> frames = open_frames(path);
  try {
    while (frames->skip()) ++n;
  } catch (const CutOffFrame&) {  // of a run that goes on
  }
  return n;
}

}  // namespace

std::optional<Structure> read_trajectory_frame(const std::filesystem::path& path, FrameChoice choice,
                                               UnitSystem units) {
  const std::size_t before = choice == FrameChoice::first ? 1 : count_frames(path);
  if (before == 0) return std::nullopt;
  const std::unique_ptr<TrajectoryReader> frames = open_frames(path, units);
  for (std::size_t k = 1; k < before; ++k) frames->skip();
  std::optional<InputFrame> frame = frames->next();
  if (!frame) return std::nullopt;
  // A .gro file of a run in other units has its numbers, but a time that the reader takes for ps.
  if (frame->structure.units && *frame->structure.units != units) frame->structure.time.reset();
  return std::move(frame->structure);
}

}  // namespace dropmd
