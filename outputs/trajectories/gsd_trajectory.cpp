#include "outputs/trajectories/gsd_trajectory.h"

#if DROPMD_HAS_GSD

#include <fmt/core.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <string>
#include <utility>

#include "core/errors.h"
#include "outputs/files/atomic_file.h"
#include "outputs/files/file_writer.h"
#include "outputs/trajectories/hoomd_frame.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

/// Returns the mark of the same file with one more frame.
FileMark with_frame(FileMark mark, const GsdFrame& frame) {
  const auto add = [&](const void* data, std::size_t bytes) {
    mark.crc = static_cast<std::uint32_t>(crc32_z(mark.crc, static_cast<const unsigned char*>(data), bytes));
  };
  for (const GsdChunk& chunk : frame) {
    add(chunk.name, std::char_traits<char>::length(chunk.name));
    add(&chunk.n, sizeof chunk.n);
    add(chunk.data.data(), chunk.data.size());
    mark.bytes += chunk.data.size();
  }
  return mark;
}

[[noreturn]] void refuse_mark(const fs::path& path, std::string_view what) {
  throw OutputError(fmt::format("{} {} (put back the file that the run wrote, or continue in another folder with -o)",
                                path.string(), what));
}

/// Calls visit(frame) for each frame before a mark, and returns their number. Throws unless they are those that the
/// mark counted.
template <class Visit>
std::uint64_t read_to_mark(GsdFile& file, const fs::path& path, const FileMark& mark, const Visit& visit) {
  FileMark read;
  std::uint64_t n_frames = 0;
  while (read.bytes < mark.bytes) {
    if (n_frames == file.n_frames()) refuse_mark(path, "has fewer frames than recorded in the checkpoint");
    const GsdFrame frame = file.read(n_frames++, kHoomdNames);
    if (frame.empty()) refuse_mark(path, "was changed: it has a frame without atoms");
    read = with_frame(read, frame);
    visit(frame);
  }
  if (read != mark) refuse_mark(path, "was changed: its first frames are not those recorded in the checkpoint");
  return n_frames;
}

/// Copies the frames before a mark to a new file, which then replaces the other one.
GsdFile copied_to_mark(GsdFile& from, const fs::path& path, const FileMark& mark) {
  std::error_code ignored;
  const fs::path target = fs::canonical(path, ignored);
  fs::path temporary = target;
  temporary.replace_filename(fmt::format(".{}.{}-0.tmp", target.filename().string(), ::getpid()));
  try {
    GsdFile copy(temporary, GsdFile::Open::create, path);
    read_to_mark(from, path, mark, [&](const GsdFrame& frame) { copy.write(frame); });
    copy.flush();
    if (::rename(temporary.c_str(), target.c_str()) != 0)
      throw_output_error(path, "cannot move the shortened file into place", errno);
    return copy;
  } catch (...) {
    fs::remove(temporary, ignored);
    throw;
  }
}

class GsdTrajectory final : public TrajectoryWriter {
 public:
  GsdTrajectory(const TrajectoryTarget& target, const TrajectoryContents& contents)
      : file_(target.after ? continued(target.path, *target.after)
                           : GsdFile(target.path, target.overwrite ? GsdFile::Open::replace : GsdFile::Open::create,
                                     target.path)),
        mark_(target.after.value_or(FileMark{})),
        ids_(contents.ids),
        units_(contents.units) {
    if (file_.n_frames() > 0) first_ = file_.read(0, kHoomdNames);
  }

  void append(const TrajectoryFrame& frame) override {
    GsdFrame chunks = hoomd_frame(frame, ids_);
    const FileMark mark = mark_;
    if (mark.bytes > 0)
      drop_repeated(chunks, first_);
    else
      chunks.push_back(units_chunk(units_));
    file_.write(chunks);
    file_.flush();
    mark_ = with_frame(mark, chunks);
    if (mark.bytes == 0) first_ = std::move(chunks);
  }
  FlushedMark flushed_mark() override { return {mark_, {}}; }  // flush() waits for the storage
  void close() override { file_.close(); }

 private:
  static GsdFile continued(const fs::path& path, const FileMark& mark) {
    remove_leftovers(path);
    std::optional<GsdFile> before(std::in_place, path, GsdFile::Open::read, path);
    const std::uint64_t n_frames = read_to_mark(*before, path, mark, [](const GsdFrame&) {});
    if (n_frames < before->n_frames()) return copied_to_mark(*before, path, mark);
    before.reset();
    return {path, GsdFile::Open::append, path};
  }

  GsdFile file_;
  FileMark mark_;
  bool ids_;
  Units units_;
  GsdFrame first_;  ///< the first frame
};

}  // namespace

std::unique_ptr<TrajectoryWriter> open_gsd_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents) {
  require_fits_gsd(target, contents);
  return std::make_unique<GsdTrajectory>(target, contents);
}

void require_gsd_mark(const fs::path& path, const FileMark& mark) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) refuse_mark(path, "is missing");
  GsdFile file(path, GsdFile::Open::read, path);
  read_to_mark(file, path, mark, [](const GsdFrame&) {});
}

void require_fits_gsd(const TrajectoryTarget& target, const TrajectoryContents&) {
  if (is_special_file(target.path))
    throw OutputError(fmt::format("{}: a .gsd file cannot be a pipe or a device (use a trajectory that ends in .xyz)",
                                  target.path.string()));
}

/// With ids, and after atoms have left; positions and velocities alone are 24 bytes.
std::uint64_t gsd_frame_bytes(std::size_t n_atoms) {
  constexpr std::uint64_t kAtom = 40, kIndex = 400;
  return kIndex + kAtom * n_atoms;
}

}  // namespace dropmd

#endif
