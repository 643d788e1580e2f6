#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/droplet/molecule_table.h"
#include "inputs/trajectories/trajectory_reader.h"
#include "outputs/clusters_csv.h"

namespace dropmd {

/// The clusters of the frames of a trajectory, one frame after another.
class FrameClusters {
 public:
  /// whole: the model of the atoms that the run began with; bare: its structure if it has no topology, else null. Both
  /// must outlive this object. distance: of links, length. Throws InputError for a trajectory that cannot be read.
  FrameClusters(const System& whole, const Structure* bare, const std::filesystem::path& trajectory, double distance);

  /// Returns the row of the droplet in the next frame; nullopt after the last complete one. A frame with ids lacks the
  /// atoms that have left; one without ids has all atoms. Throws InputError for a frame of other atoms.
  std::optional<FrameRow> next();
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::optional<InputFrame> next_frame();
  void take_atoms(const InputFrame& frame);

  const System& whole_;
  const Structure* bare_;
  std::unique_ptr<TrajectoryReader> frames_;
  std::vector<std::string> warnings_;
  double distance_;
  std::size_t n_read_ = 0;
  System present_;
  std::vector<std::uint32_t> present_ids_;  ///< [n_atoms] of present_
  MoleculeTable molecules_;
};

}  // namespace dropmd
