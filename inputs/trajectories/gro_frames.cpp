#include "inputs/trajectories/gro_frames.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "inputs/structures/gro_file.h"
#include "inputs/trajectories/text_stream.h"
#include "inputs/trajectories/title_values.h"
#include "inputs/whole_number.h"

namespace dropmd {
namespace {

class GroFrames final : public TrajectoryReader {
 public:
  explicit GroFrames(const std::filesystem::path& path) : stream_(path, "a .gro file") {}

  std::optional<InputFrame> next() override {
    FrameText text(stream_);
    if (!take_frame(text)) return std::nullopt;
    LineReader lines = text.lines();
    InputFrame frame{read_gro_frame(lines, text.source), {}, {}};
    take_title_values(frame);
    return frame;
  }

  bool skip() override {
    FrameText text(stream_);
    return take_frame(text);
  }

  ReadShare share() const override { return stream_.share(); }

 private:
  /// Takes the lines of the next frame; false: only blank lines follow. Mistakes in a frame, including an incomplete
  /// first frame, are left to the reader of the frame.
  bool take_frame(FrameText& text) {
    std::string& taken = text.source.text;
    if (!stream_.take_line(taken)) return false;
    const std::size_t count_begin = taken.size();
    std::uint64_t n_below = stream_.take_line(taken) ? 1 : 0;  // lines below the title
    const std::string_view count = without_end(std::string_view(taken).substr(count_begin));
    const bool is_blank = without_end(std::string_view(taken).substr(0, count_begin)).empty() && count.empty();
    if (n_frames_ > 0 && is_blank && (n_below == 0 || stream_.pass_blank_lines())) return false;
    const std::uint64_t n_wanted = lines_below_title(count);
    while (n_below < n_wanted && stream_.take_line(taken)) ++n_below;
    if (n_frames_ > 0 && (n_below < n_wanted || !taken.ends_with('\n')))
      throw CutOffFrame(text.place(),
                        fmt::format("this frame is cut off: the file ends within it ({})", kCutOffRemedy));
    ++n_frames_;
    return true;
  }

  static std::string_view without_end(std::string_view line) { return trimmed(line.substr(0, line.find('\n'))); }

  /// Returns the number of lines for the number of atoms, the atoms and the box; 1 if `count` is not a number.
  static std::uint64_t lines_below_title(std::string_view count) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
    const auto n = whole_number<std::uint64_t>(count);
    return n ? std::min(*n, kMost) + 2 : 1;
  }

  TextStream stream_;
  std::size_t n_frames_ = 0;
};

}  // namespace

std::unique_ptr<TrajectoryReader> open_gro_frames(const std::filesystem::path& path) {
  return std::make_unique<GroFrames>(path);
}

}  // namespace dropmd
