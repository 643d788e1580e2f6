#include "inputs/trajectories/pdb_frames.h"

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

#include "inputs/structures/pdb_file.h"
#include "inputs/trajectories/text_stream.h"
#include "inputs/trajectories/title_values.h"

namespace dropmd {
namespace {

class PdbFrames final : public TrajectoryReader {
 public:
  explicit PdbFrames(const std::filesystem::path& path) : stream_(path, "a PDB file"), next_line_(stream_) {}

  std::optional<InputFrame> next() override {
    std::optional<FrameText> text = take_frame();
    if (!text) return std::nullopt;
    LineReader lines = text->lines();
    InputFrame frame{read_pdb_model(lines, text->source), {}, {}};
    take_title_values(frame);
    return frame;
  }

  bool skip() override { return take_frame().has_value(); }
  ReadShare share() const override { return stream_.share(); }

 private:
  /// Returns the records of the next model and those before it.
  std::optional<FrameText> take_frame() {
    FrameText text = std::exchange(next_line_, FrameText(stream_));
    bool has_atoms = false, is_ended = false, is_open = pdb_record_name(text.source.text) == "MODEL";
    while (!is_ended) {
      const std::size_t begin = text.source.text.size();
      if (!stream_.take_line(text.source.text)) break;
      const std::string record = pdb_record_name(std::string_view(text.source.text).substr(begin));
      if (record == "MODEL") {
        if (has_atoms) {
          // The next model has begun, so its first line is kept for it.
          next_line_.source.text = text.source.text.substr(begin);
          next_line_.lines_before = stream_.lines_taken() - 1;
          text.source.text.resize(begin);
          ++n_frames_;
          return text;
        }
        is_open = true;
      }
      has_atoms = has_atoms || record == "ATOM" || record == "HETATM";
      is_ended = has_atoms && (record == "ENDMDL" || record == "END");
    }
    next_line_ = FrameText(stream_);
    // What follows the last model: END, CONECT, MASTER and the like.
    if (!has_atoms && n_frames_ > 0 && !is_open) return std::nullopt;
    if (!is_ended && (n_frames_ > 0 || is_open)) throw_cut_off(text);
    ++n_frames_;
    return text;
  }

  [[noreturn]] void throw_cut_off(const FrameText& text) const {
    const std::string what = "the file ends within this model, before its ENDMDL or END";
    if (n_frames_ > 0) throw CutOffFrame(text.place(), fmt::format("{} ({})", what, kCutOffRemedy));
    throw InputError(text.place(), what + " (write ENDMDL if it is complete)");
  }

  TextStream stream_;
  FrameText next_line_;  ///< the MODEL record behind the last frame, or nothing
  std::size_t n_frames_ = 0;
};

}  // namespace

std::unique_ptr<TrajectoryReader> open_pdb_frames(const std::filesystem::path& path) {
  return std::make_unique<PdbFrames>(path);
}

}  // namespace dropmd
