#include "inputs/trajectories/xyz_frames.h"

#include <fmt/core.h>

#include <utility>

#include "core/ase_units.h"
#include "inputs/structures/xyz_frame.h"
#include "inputs/trajectories/text_stream.h"

namespace dropmd {
namespace {

/// Momenta of files that do not say their units are in ASE's units, like those in units real.
void take_velocities(Structure& structure) {
  if (structure.momentum.empty() || structure.mass.empty()) return;
  if (structure.velocity.empty()) {
    const double unit = structure.units == UnitSystem::lj ? 1 : kAseTime;
    for (std::size_t i = 0; i < structure.mass.size(); ++i) {
      const double mass = structure.mass[i];
      structure.velocity.push_back(mass > 0 ? (1 / (mass * unit)) * structure.momentum[i] : Vec3<double>{});
    }
  }
  structure.momentum.clear();
}

class XyzFrames final : public TrajectoryReader {
 public:
  explicit XyzFrames(const std::filesystem::path& path) : stream_(path, "an XYZ trajectory") {}

  std::optional<InputFrame> next() override {
    FrameText text(stream_);
    const std::size_t n = take_frame(text);
    if (n == 0) return std::nullopt;
    LineReader lines = text.lines();
    lines.next_line();
    XyzFrame frame = read_xyz_frame(lines, n, stream_.file());
    take_velocities(frame.structure);
    return InputFrame{std::move(frame.structure), frame.step, std::move(frame.ids)};
  }

  bool skip() override {
    FrameText text(stream_);
    return take_frame(text) > 0;
  }

  ReadShare share() const override { return stream_.share(); }

 private:
  /// Takes the lines of the next frame. Returns its number of atoms; 0: there is none.
  std::size_t take_frame(FrameText& text) {
    if (!stream_.take_line(text.source.text)) return 0;
    LineReader lines = text.lines();
    lines.next_line();
    if (lines.line_is_blank() && stream_.pass_blank_lines()) {
      if (n_before_ > 0) return 0;
      throw InputError(text.place(), "only blank lines (the number of atoms of a frame is expected)");
    }
    const std::size_t n = read_xyz_atom_count(lines, n_before_);
    std::size_t below = 0;  // lines taken after the number of atoms, including the comment
    while (below <= n && stream_.take_line(text.source.text)) ++below;
    if (below <= n || !text.source.text.ends_with('\n')) throw_cut_off(text, n, below);
    return n_before_ = n;
  }

  /// below: number of lines after that with the number of atoms, n.
  [[noreturn]] void throw_cut_off(const FrameText& text, std::size_t n, std::size_t below) const {
    if (below > n && n_before_ == 0)
      throw InputError({stream_.file(), stream_.lines_taken()},
                       "the file ends without a line end, perhaps within a number (end the line if it is complete)");
    const std::string what =
        fmt::format("the file ends after {} of {} atoms", below > n ? n - 1 : below - (below > 0 ? 1 : 0), n);
    if (n_before_ > 0)
      throw CutOffFrame(text.place(), fmt::format("this frame is cut off: {} ({})", what, kCutOffRemedy));
    throw InputError({stream_.file(), stream_.lines_taken() + 1, 1},
                     fmt::format("{} (the number is on line {})", what, text.lines_before + 1));
  }

  TextStream stream_;
  std::size_t n_before_ = 0;  ///< number of atoms of the previous frame
};

}  // namespace

std::unique_ptr<TrajectoryReader> open_xyz_frames(const std::filesystem::path& path) {
  return std::make_unique<XyzFrames>(path);
}

}  // namespace dropmd
