#include "inputs/trajectories/pdb_frames.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inputs/structures/pdb_file.h"
#include "inputs/trajectories/text_stream.h"
#include "inputs/trajectories/title_values.h"
#include "inputs/trajectories/virtual_sites.h"
#include "inputs/whole_number.h"

namespace dropmd {
namespace {

/// Returns the ids that the serial numbers of a model stand for, of which five digits are written; empty if the ids do
/// not ascend, or are 1 to n_atoms and so say nothing.
std::vector<std::uint32_t> ids_in(std::string_view text) {
  constexpr std::uint32_t kSerials = 100'000;
  std::vector<std::uint32_t> ids;
  std::uint32_t passed = 0, last = 0;
  bool counts_up = true;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string record = pdb_record_name(line);
    if (record != "ATOM" && record != "HETATM") continue;
    std::string_view serial = line.substr(6, 5);
    serial.remove_prefix(std::min(serial.find_first_not_of(' '), serial.size()));
    const auto digits = whole_number<std::uint32_t>(serial);
    if (!digits) return {};
    if (*digits + passed + kSerials / 2 < last) passed += kSerials;
    const std::uint32_t id = *digits + passed;
    if (id <= last) return {};
    ids.push_back(id);
    counts_up = counts_up && id == ids.size();
    last = id;
  }
  return counts_up ? std::vector<std::uint32_t>() : ids;
}

class PdbFrames final : public TrajectoryReader {
 public:
  PdbFrames(const std::filesystem::path& path, std::optional<UnitSystem> units)
      : stream_(path, "a PDB file"), units_(units.value_or(UnitSystem::real)), next_line_(stream_) {}

  std::optional<InputFrame> next() override {
    std::optional<FrameText> text = take_frame();
    if (!text) return std::nullopt;
    LineReader lines = text->lines();
    InputFrame frame{read_pdb_model(lines, text->source), {}, {}};
    frame.structure.units = units_;
    take_title_values(frame);
    frame.ids = ids_in(text->source.text);
    name_virtual_sites(frame.structure);
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
  UnitSystem units_;
  FrameText next_line_;  ///< the MODEL record after the last frame, or nothing
  std::size_t n_frames_ = 0;
};

}  // namespace

std::unique_ptr<TrajectoryReader> open_pdb_frames(const std::filesystem::path& path, std::optional<UnitSystem> units) {
  return std::make_unique<PdbFrames>(path, units);
}

}  // namespace dropmd
