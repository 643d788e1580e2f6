#include "outputs/trajectories/xtc_trajectory.h"

#if DROPMD_HAS_XDR

#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <string>
#include <utility>

#include "core/errors.h"
#include "outputs/trajectories/constant_atoms.h"
#include "outputs/trajectories/one_file_trajectory.h"
#include "outputs/trajectories/xtc_codec.h"

namespace dropmd {
namespace {

/// Factors from the run's units.
struct Scales {
  double length, time;
};
constexpr Scales kReal{0.1, 0.001};  // A and fs in nm and ps
constexpr Scales kReduced{1, 1};
const Scales& scales_of(const Units& units) { return units.system == UnitSystem::lj ? kReduced : kReal; }

std::string read_at(const FileDescriptor& file, const std::filesystem::path& path, std::uint64_t at, std::size_t n) {
  std::string bytes(n, '\0');
  const ssize_t got = ::pread(file.get(), bytes.data(), n, static_cast<off_t>(at));
  if (got < 0) throw_output_error(path, "cannot read its last frame", errno);
  if (got != static_cast<ssize_t>(n)) throw OutputError(path.string() + ": its last frame is cut off");
  return bytes;
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = at; k < at + 4; ++k) value = value << 8U | static_cast<unsigned char>(bytes[k]);
  return value;
}

/// Returns the last frame before a mark; empty: there is none. Frames have no fixed length, so all headers are read.
std::string last_frame(const std::filesystem::path& path, const FileMark& mark) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw_output_error(path, "cannot read its last frame", errno);
  std::uint64_t begin = 0, end = 0;
  while (end < mark.bytes) {
    begin = end;
    const std::uint64_t n_atoms = big_endian(read_at(file, path, begin, kXtcHeaderBytes), kXtcHeaderBytes - 4);
    end += kXtcHeaderBytes;
    if (n_atoms <= kXtcPlainAtoms) {
      end += 12 * n_atoms;
    } else {
      const std::uint64_t n_bytes =
          big_endian(read_at(file, path, end, kXtcCompressionBytes), kXtcCompressionBytes - 4);
      end += kXtcCompressionBytes + (n_bytes + 3) / 4 * 4;
    }
  }
  return read_at(file, path, begin, end - begin);
}

class XtcTrajectory final : public OneFileTrajectory {
 public:
  XtcTrajectory(const TrajectoryTarget& target, const TrajectoryContents& contents)
      : OneFileTrajectory(target),
        scales_(scales_of(contents.units)),
        atoms_(target.path, contents, scales_.length),
        last_(target.after ? last_frame(target.path, *target.after) : std::string()) {}

  /// Atoms that have left are where the last frame has them, rounded to its grid. A run that resumes knows no more than
  /// this, and so writes the same.
  void append(const TrajectoryFrame& frame) override {
    if (atoms_.are_missing(frame.particles) && !last_.empty()) atoms_.positions() = codec_.decode(last_);
    atoms_.place(frame.particles);
    try {
      last_ = codec_.encode(frame.step, scales_.time * frame.time.value_or(0), atoms_.positions());
    } catch (const UnfitFrame& error) {
      throw UnfitFrame(in_frame(frame, error.what()));
    } catch (const OutputError& error) {
      throw OutputError(in_frame(frame, error.what()));
    }
    file_.write(last_);
    file_.flush();
  }

 private:
  std::string in_frame(const TrajectoryFrame& frame, std::string_view what) const {
    return fmt::format("{}: step {}: {}", file_.path().string(), frame.step, what);
  }

  Scales scales_;
  ConstantAtoms atoms_;
  XtcCodec codec_;
  std::string last_;  ///< bytes of the last frame; empty: there is none
};

}  // namespace

std::unique_ptr<TrajectoryWriter> open_xtc_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents) {
  require_fits_xtc(target, contents);
  if (target.after) require_mark(target.path, *target.after);
  return std::make_unique<XtcTrajectory>(target, contents);
}

void require_fits_xtc(const TrajectoryTarget& target, const TrajectoryContents& contents) {
  require_constant_atoms(target.path, contents, target.after && target.after->bytes > 0);
}

std::uint64_t xtc_frame_bytes(std::size_t n_atoms) {
  constexpr std::uint64_t kCompressedAtom = 5, kPlainAtom = 12;
  return n_atoms > kXtcPlainAtoms ? kXtcHeaderBytes + kXtcCompressionBytes + kCompressedAtom * n_atoms
                                  : kXtcHeaderBytes + kPlainAtom * n_atoms;
}

}  // namespace dropmd

#endif
