#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/trajectories/trajectory_source.h"
#include "tests/inputs/bad_files.h"

/// What the tests of all formats of trajectories use.
namespace dropmd {

/// All frames of a file.
inline std::vector<InputFrame> frames_in(const std::filesystem::path& path,
                                         std::optional<UnitSystem> units = std::nullopt) {
  std::vector<InputFrame> frames;
  const std::unique_ptr<TrajectoryReader> reader = open_frames(path, units);
  while (std::optional<InputFrame> frame = reader->next()) frames.push_back(std::move(*frame));
  return frames;
}

/// All frames of a file of these bytes; `name` decides the format.
inline std::vector<InputFrame> frames_of(std::string_view name, std::string_view bytes,
                                         std::optional<UnitSystem> units = std::nullopt) {
  const TempFolder folder;
  return frames_in(folder.write(name, bytes), units);
}

/// What a file of these bytes gives before its reader throws, and the message with FILE for the path.
struct PartialReading {
  std::size_t n_frames = 0;
  bool is_cut_off = false;
  std::string message = "no error";
};

inline PartialReading partial_reading(std::string_view name, std::string_view bytes) {
  const TempFolder folder;
  const std::filesystem::path path = folder.write(name, bytes);
  PartialReading reading;
  reading.message = input_error_of(path, [&] {
    const std::unique_ptr<TrajectoryReader> reader = open_frames(path);
    try {
      while (reader->next()) ++reading.n_frames;
    } catch (const CutOffFrame&) {
      reading.is_cut_off = true;
      throw;
    }
  });
  return reading;
}

/// Skips every other frame, and returns the first coordinates of the others.
inline std::vector<double> every_other_x(const std::filesystem::path& path) {
  std::vector<double> x;
  const std::unique_ptr<TrajectoryReader> reader = open_frames(path);
  while (std::optional<InputFrame> frame = reader->next()) {
    x.push_back(frame->structure.position.at(0).x);
    if (!reader->skip()) break;
  }
  return x;
}

}  // namespace dropmd
