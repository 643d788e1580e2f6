#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {

/// Throws OutputError for a run that a format with the same atoms in all frames cannot hold: one that may add atoms,
/// one with more than 2^28 atoms, and, where the file has no frames yet, one that atoms have left. contents.particles
/// must not be null. has_frames: whether the file is continued after frames.
void require_constant_atoms(const std::filesystem::path& path, const TrajectoryContents& contents, bool has_frames);

/// The positions of a trajectory whose format has the same atoms in all frames: all that the run began with, in the
/// order of their ids. An atom that has left the run stays where the frame before had it.
class ConstantAtoms {
 public:
  /// scale: factor from the run's unit of length to the file's. Until the first frame the positions are those of
  /// contents.particles, which must not be null.
  ConstantAtoms(std::filesystem::path path, const TrajectoryContents& contents, double scale);

  std::size_t size() const { return positions_.size() / 3; }
  /// Whether atoms have left.
  bool are_missing(const Particles& particles) const { return particles.size() < size(); }
  /// Takes the positions of the atoms that are still there. Throws OutputError for an atom that was added.
  void place(const Particles& particles);

  /// [n_atoms][3], in the file's unit of length.
  std::vector<float>& positions() { return positions_; }

 private:
  std::filesystem::path path_;
  double scale_;
  std::vector<float> positions_;
};

}  // namespace dropmd
