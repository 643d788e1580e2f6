#include "outputs/trajectories/xyz_trajectory.h"

#include "outputs/structures/extended_xyz.h"
#include "outputs/trajectories/one_file_trajectory.h"

namespace dropmd {
namespace {

class XyzTrajectory final : public OneFileTrajectory {
 public:
  XyzTrajectory(const TrajectoryTarget& target, const TrajectoryContents& contents)
      : OneFileTrajectory(target), units_(contents.units), ids_(contents.ids) {}
  void append(const TrajectoryFrame& frame) override {
    write_frame(file_, frame.particles, &units_, {.step = frame.step, .time = frame.time, .ids = ids_});
  }

 private:
  Units units_;
  bool ids_;
};

}  // namespace

std::unique_ptr<TrajectoryWriter> open_xyz_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents) {
  return std::make_unique<XyzTrajectory>(target, contents);
}

std::uint64_t xyz_frame_bytes(std::size_t n_atoms) { return kXyzBytesPerAtom * n_atoms; }

}  // namespace dropmd
