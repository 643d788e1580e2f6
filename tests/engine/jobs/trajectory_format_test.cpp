#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "core/errors.h"
#include "engine/observers.h"
#include "outputs/trajectories/trajectory_writer.h"
#include "tests/outputs/output_files.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/short_run.h"
#include "tests/support/system/temp_folder.h"

/// A trajectory format needs nothing but its own source: here a binary one that only this test has. Like many it begins
/// with a header that counts the frames and is revised with each of them, so that the bytes of a mark change later.
namespace dropmd {
namespace {

namespace fs = std::filesystem;

struct Header {
  std::uint64_t n_frames = 0, n_atoms = 0;
  std::int64_t every = 0;
  double timestep = 0;
};

/// Bytes of a frame: the step, the time, and the positions.
std::uint64_t counted_frame_bytes(std::size_t n_atoms) { return 16 + 24 * n_atoms; }

/// The bytes that the file had at a mark: those before it, with the number of frames of that time.
std::string bytes_at(const fs::path& path, const FileMark& mark) {
  std::string bytes = read_text(path).substr(0, mark.bytes);
  Header header;
  if (bytes.size() < mark.bytes || bytes.size() < sizeof header) throw OutputError(path.string() + " is too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  header.n_frames = (bytes.size() - sizeof header) / counted_frame_bytes(header.n_atoms);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

FileMark mark_of(const std::string& bytes) {
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  return {bytes.size(), static_cast<std::uint32_t>(crc32_z(0, data, bytes.size()))};
}

void require_counted_mark(const fs::path& path, const FileMark& mark) {
  if (mark_of(bytes_at(path, mark)) != mark) throw OutputError(path.string() + " was changed");
}

class CountedTrajectory final : public TrajectoryWriter {
 public:
  CountedTrajectory(const TrajectoryTarget& target, const TrajectoryContents& contents) : path_(target.path) {
    if (contents.ids) throw OutputError(path_.string() + ": this format holds as many atoms in all frames");
    header_ = {.every = contents.every, .timestep = contents.timestep};
    std::string bytes(reinterpret_cast<const char*>(&header_), sizeof header_);
    if (target.after) {
      require_counted_mark(path_, *target.after);
      bytes = bytes_at(path_, *target.after);
      std::memcpy(&header_, bytes.data(), sizeof header_);
    }
    std::ofstream(path_, std::ios::binary) << bytes;
    file_.open(path_, std::ios::binary | std::ios::in | std::ios::out);
  }
  void append(const TrajectoryFrame& frame) override {
    file_.seekp(0, std::ios::end);
    write(frame.step);
    write(frame.time.value());
    for (const Vec3<double>& x : frame.particles.position) write(x);
    header_.n_atoms = frame.particles.size();
    ++header_.n_frames;
    file_.seekp(0);
    write(header_);
    file_.flush();
  }
  FlushedMark flushed_mark() override { return {mark_of(read_text(path_)), {}}; }
  void close() override { file_.close(); }

 private:
  void write(const auto& value) { file_.write(reinterpret_cast<const char*>(&value), sizeof value); }

  fs::path path_;
  Header header_{};
  std::fstream file_;
};

std::unique_ptr<TrajectoryWriter> open_counted(const TrajectoryTarget& target, const TrajectoryContents& contents) {
  return std::make_unique<CountedTrajectory>(target, contents);
}

constexpr TrajectoryFormat kCounted{".counted", open_counted, require_counted_mark, counted_frame_bytes};

/// What a checkpoint of a run stores of it.
struct Saved {
  RunState state;
  FileMark mark;
};

/// Runs to step `last` with a frame every 10 steps; saves at step 30. from: where it resumes; null: at the start.
Saved run_to(std::int64_t last, const fs::path& path, const Saved* from = nullptr) {
  const RunConfig config = lj_run(verlet(0.004), last);
  System system = build_system(config, structure_of(fcc_ball(6)));
  Timings timings;
  StepLoop simulation(system, config, fp64_method(), timings, nullptr, from != nullptr ? &from->state : nullptr);
  const TrajectoryTarget target{.path = path, .after = from != nullptr ? std::optional(from->mark) : std::nullopt};
  auto writer = std::make_unique<TrajectoryObserver>(
      kCounted.open(target, {.units = system.units, .every = 10, .timestep = simulation.timestep()}), 10);
  TrajectoryObserver& trajectory = *writer;
  simulation.add_observer(std::move(writer));
  Saved saved;
  const auto save = [&] { saved = {simulation.state(), trajectory.flushed_mark()}; };
  simulation.add_observer(std::make_unique<CheckpointObserver>(save, CheckpointIntervals{.steps = 30}));
  EXPECT_EQ(simulation.run(never_stop), RunEnd::finished);
  return saved;
}

Header header_of(const fs::path& path) {
  Header header;
  std::memcpy(&header, read_text(path).data(), sizeof header);
  return header;
}

TEST(TrajectoryFormat, ARunWritesAFormatThatNobodyElseKnows) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.counted";
  run_to(60, path);
  const Header header = header_of(path);
  EXPECT_EQ(header.n_frames, 7U) << "steps 0 to 60";
  EXPECT_EQ(header.every, 10);
  EXPECT_EQ(header.timestep, 0.004);
  EXPECT_EQ(fs::file_size(path), sizeof header + 7 * kCounted.frame_bytes(header.n_atoms));
}

/// The first run was killed at step 50: frames 40 and 50 are behind its checkpoint.
TEST(TrajectoryFormat, AResumedRunContinuesItsFile) {
  const TempFolder folder;
  const fs::path whole = folder.path() / "whole.counted", cut = folder.path() / "cut.counted";
  run_to(60, whole);
  const Saved saved = run_to(50, cut);
  EXPECT_EQ(header_of(cut).n_frames, 6U);
  EXPECT_NO_THROW(kCounted.require_mark(cut, saved.mark));
  run_to(60, cut, &saved);
  EXPECT_TRUE(read_text(cut) == read_text(whole));
}

TEST(TrajectoryFormat, AFileThatWasChangedIsNotContinued) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.counted";
  const Saved saved = run_to(50, path);
  std::string bytes = read_text(path);
  bytes[sizeof(Header) + 20] ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_THROW(run_to(60, path, &saved), OutputError);
  EXPECT_TRUE(read_text(path) == bytes) << "it was touched";
}

/// It says so before the first step.
TEST(TrajectoryFormat, AFormatMayRefuseWhatItCannotHold) {
  const TempFolder folder;
  EXPECT_THROW(kCounted.open({.path = folder.path() / "a.counted"}, {.units = kLjUnits, .ids = true}), OutputError);
}

}  // namespace
}  // namespace dropmd
