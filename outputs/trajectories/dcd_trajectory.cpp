#include "outputs/trajectories/dcd_trajectory.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "core/errors.h"
#include "core/version.h"
#include "outputs/files/file_descriptor.h"
#include "outputs/files/file_writer.h"
#include "outputs/trajectories/constant_atoms.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

/// Changes the first bytes of a file to those of a file without frames.
void clear_counts(std::span<char> first) {
  if (first.size() < kDcdCountsEnd) return;
  const std::int32_t every = dcd_counts({first.data(), first.size()}).every;
  std::fill(first.begin() + kDcdCounts, first.begin() + kDcdCountsEnd, '\0');
  std::memcpy(first.data() + kDcdCounts + 8, &every, sizeof every);
}

std::string read_at(const FileDescriptor& file, const fs::path& path, std::uint64_t at, std::size_t n) {
  std::string bytes(n, '\0');
  const ssize_t got = ::pread(file.get(), bytes.data(), n, static_cast<off_t>(at));
  if (got < 0) throw_output_error(path, "cannot read what the run wrote", errno);
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

FileDescriptor open_again(const fs::path& path, int flags) {
  FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC));
  if (!file.is_open()) throw_output_error(path, "cannot continue the file", errno);
  return file;
}

DcdHeader header_of(const TrajectoryContents& contents, std::size_t n_atoms) {
  const bool reduced = contents.units.system == UnitSystem::lj;
  return {.every = static_cast<std::int32_t>(contents.every),
          .timestep = static_cast<float>(reduced ? contents.timestep : contents.timestep / kAkmaTime),
          .n_atoms = static_cast<std::int32_t>(n_atoms),
          .title = fmt::format("REMARKS dropmd {}, {}\n{}", kVersion,
                               reduced ? "units lj: sigma, tau" : "units real: A, AKMA", contents.title)};
}

class DcdTrajectory final : public TrajectoryWriter {
 public:
  DcdTrajectory(const TrajectoryTarget& target, const TrajectoryContents& contents)
      : atoms_(target.path, contents, 1), header_(header_of(contents, atoms_.size())) {
    if (target.after) {
      continue_file(target.path, *target.after);
    } else {
      file_.emplace(target.path, target.overwrite);
      file_->write(header_.bytes());
      file_->flush();
    }
    if (!is_special_file(target.path)) revised_ = open_again(target.path, O_WRONLY);
    if (target.after) revise_header();
  }

  void append(const TrajectoryFrame& frame) override {
    atoms_.place(frame.particles);
    const auto length = static_cast<std::int32_t>(4 * atoms_.size());
    std::string record(static_cast<std::size_t>(length) + 8, '\0');
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::memcpy(record.data(), &length, 4);
      std::memcpy(record.data() + record.size() - 4, &length, 4);
      for (std::size_t i = 0; i < atoms_.size(); ++i)
        std::memcpy(record.data() + 4 + 4 * i, &atoms_.positions()[3 * i + axis], 4);
      file_->write(record);
    }
    file_->flush();
    header_.last_step = static_cast<std::int32_t>(frame.step);
    if (header_.n_frames++ == 0) header_.first_step = header_.last_step;
    revise_header();
  }

  FlushedMark flushed_mark() override { return file_->flushed_mark(); }
  void close() override {
    file_->sync();
    file_->close();
  }

 private:
  void continue_file(const fs::path& path, const FileMark& mark) {
    require_dcd_mark(path, mark);
    const FileDescriptor file = open_again(path, O_RDONLY);
    header_.first_step = dcd_counts(read_at(file, path, 0, kDcdCountsEnd)).first_step;
    header_.n_frames = static_cast<std::int32_t>((mark.bytes - kDcdHeaderBytes) / dcd_frame_bytes(atoms_.size()));
    if (header_.n_frames > 0) {
      header_.last_step = header_.first_step + (header_.n_frames - 1) * header_.every;
      read_last_frame(file, path, mark);
    }
    file_.emplace(path, mark, clear_counts);
  }

  /// Reads the last frame, which has the positions of the atoms that have left.
  void read_last_frame(const FileDescriptor& file, const fs::path& path, const FileMark& mark) {
    const std::uint64_t n_bytes = dcd_frame_bytes(atoms_.size());
    const std::string bytes = read_at(file, path, mark.bytes - n_bytes, n_bytes);
    if (bytes.size() != n_bytes) throw OutputError(path.string() + ": its last frame is cut off");
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t i = 0; i < atoms_.size(); ++i)
        std::memcpy(&atoms_.positions()[3 * i + axis], bytes.data() + axis * n_bytes / 3 + 4 + 4 * i, 4);
  }

  /// Writes the counts of the header, after the frame that they count.
  void revise_header() {
    if (!revised_.is_open()) return;
    const std::string bytes = header_.bytes().substr(0, kDcdCountsEnd);
    ssize_t n = 0;
    do n = ::pwrite(revised_.get(), bytes.data(), bytes.size(), 0);
    while (n < 0 && errno == EINTR);
    if (n < 0) throw_output_error(file_->path(), "cannot write the number of frames", errno);
  }

  ConstantAtoms atoms_;
  DcdHeader header_;
  std::optional<FileWriter> file_;
  FileDescriptor revised_;  ///< of the same file; closed for a pipe, whose header stays without counts
};

}  // namespace

std::unique_ptr<TrajectoryWriter> open_dcd_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents) {
  require_fits_dcd(target, contents);
  return std::make_unique<DcdTrajectory>(target, contents);
}

void require_fits_dcd(const TrajectoryTarget& target, const TrajectoryContents& contents) {
  require_constant_atoms(target.path, contents, target.after && target.after->bytes > kDcdHeaderBytes);
  if (!target.after) return;
  const FileDescriptor file = open_again(target.path, O_RDONLY);
  const std::int32_t every = dcd_counts(read_at(file, target.path, 0, kDcdCountsEnd)).every;
  if (every != contents.every)
    throw OutputError(
        fmt::format("{} has a frame every {} steps, but a .dcd file has only one interval (set trajectory-every "
                    "= {}, or choose another name for the trajectory, or another folder with -o)",
                    target.path.string(), every, every));
}

void require_dcd_mark(const fs::path& path, const FileMark& mark) { require_revised_mark(path, mark, clear_counts); }

}  // namespace dropmd
