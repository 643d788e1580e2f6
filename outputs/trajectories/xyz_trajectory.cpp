#include "outputs/trajectories/xyz_trajectory.h"

#include <utility>

#include "outputs/structures/extended_xyz.h"

namespace dropmd {
namespace {

class XyzTrajectory final : public TrajectoryWriter {
 public:
  XyzTrajectory(FileWriter file, const TrajectoryContents& contents)
      : file_(std::move(file)), units_(contents.units), ids_(contents.ids) {}
  void append(const TrajectoryFrame& frame) override {
    write_frame(file_, frame.particles, &units_, {.step = frame.step, .time = frame.time, .ids = ids_});
  }
  FileMark synced_mark() override { return file_.synced_mark(); }
  void close() override {
    file_.sync();
    file_.close();
  }

 private:
  FileWriter file_;
  Units units_;
  bool ids_;
};

}  // namespace

std::unique_ptr<TrajectoryWriter> open_xyz_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents) {
  FileWriter file = target.after ? FileWriter(target.path, *target.after) : FileWriter(target.path, target.overwrite);
  return std::make_unique<XyzTrajectory>(std::move(file), contents);
}

std::uint64_t xyz_frame_bytes(std::size_t n_atoms) { return kXyzBytesPerAtom * n_atoms; }

}  // namespace dropmd
