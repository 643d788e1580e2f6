#include "inputs/trajectories/dcd_frames.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>
#include <vector>

#include "inputs/structures/molecule_files.h"
#include "inputs/trajectories/binary_input.h"
#include "inputs/trajectories/dcd_preamble.h"

namespace dropmd {
namespace {

/// The unit of time in which kcal/mol, Å and g/mol need no factor, in fs.
constexpr double kAkmaTime = 48.88821291;

class DcdFrames final : public TrajectoryReader {
 public:
  DcdFrames(const std::filesystem::path& path, std::optional<UnitSystem> units)
      : file_(path, "a DCD trajectory"),
        header_(read_dcd_preamble(file_)),
        units_(header_.units.value_or(units.value_or(UnitSystem::real))) {}

  std::optional<InputFrame> next() override {
    if (!begin_frame()) return std::nullopt;
    InputFrame frame;
    Structure& structure = frame.structure;
    structure.file = file_.file();
    structure.units = units_;
    structure.units_place = {file_.file()};
    structure.title = header_.title;
    structure.species.assign(header_.n_atoms, 0);
    structure.species_names = {"X"};
    if (header_.has_cell) read_cell(structure);
    read_positions(structure.position);
    take_step(frame);
    ++n_frames_;
    return frame;
  }

  bool skip() override {
    if (n_frames_ == 0 && !header_.free_atoms.empty()) return next().has_value();  // it has the fixed atoms
    if (!begin_frame()) return false;
    for (std::uint32_t k = 0; k < records(); ++k) pass_record();
    ++n_frames_;
    return true;
  }

  ReadShare share() const override { return file_.share(); }

 private:
  std::uint64_t coordinate_bytes() const {
    const bool is_part = n_frames_ > 0 && !header_.free_atoms.empty();
    return 4 * std::uint64_t{is_part ? header_.free_atoms.size() : header_.n_atoms};
  }
  std::uint32_t records() const { return 3U + (header_.has_cell ? 1U : 0U) + (header_.has_fourth_dimension ? 1U : 0U); }

  /// Whether there is a next frame. Throws if the file ends within it; a cell may have any length.
  bool begin_frame() {
    if (file_.rest() == 0 && n_frames_ > 0) return false;
    const std::uint64_t coordinates =
        (header_.has_fourth_dimension ? 4U : 3U) * (coordinate_bytes() + 2 * kDcdMarkBytes);
    const std::uint64_t cell = header_.has_cell ? 2 * kDcdMarkBytes : 0;
    if (file_.rest() < coordinates + cell) throw_cut_off(coordinates + cell);
    return true;
  }

  [[noreturn]] void throw_cut_off(std::uint64_t n_bytes) const {
    const std::string what =
        fmt::format("the file ends within frame {}: {} bytes are left, but one of {} atoms needs {}", n_frames_ + 1,
                    file_.rest(), header_.n_atoms, n_bytes);
    if (n_frames_ > 0) throw CutOffFrame({file_.file()}, fmt::format("{} ({})", what, kCutOffRemedy));
    file_.fail(what + " (no frame is complete)");
  }

  void read_record(std::string_view what) {
    read_dcd_record(file_, header_.swapped, fmt::format("frame {}: {}", n_frames_ + 1, what), bytes_);
  }

  void pass_record() {
    if (!file_.read(bytes_, kDcdMarkBytes) ||
        !file_.skip(kDcdMarkBytes + number_at<std::uint32_t>(bytes_, 0, header_.swapped)))
      throw_cut_off(kDcdMarkBytes);
  }

  /// Programs write a cell of 0 or 1 Å where there is none. The first, third and last number are its edges.
  void read_cell(Structure& structure) {
    constexpr std::size_t kCellBytes = 48;
    read_record("the cell");
    if (bytes_.size() != kCellBytes) return;
    bool has_edge = false;
    for (const std::size_t k : {0U, 2U, 5U})
      has_edge = has_edge || number_at<double>(bytes_, 8 * k, header_.swapped) > 1;
    if (has_edge)
      structure.warnings.push_back(box_warning({fmt::format("{}: frame {}", file_.file(), n_frames_ + 1)}, "cell"));
  }

  void read_positions(std::vector<Vec3<double>>& position) {
    const bool is_part = n_frames_ > 0 && !header_.free_atoms.empty();
    if (is_part) position = first_;
    position.resize(header_.n_atoms);
    for (const auto& [name, component] :
         {std::pair("x", &Vec3<double>::x), std::pair("y", &Vec3<double>::y), std::pair("z", &Vec3<double>::z)}) {
      read_record(name);
      if (bytes_.size() != coordinate_bytes())
        file_.fail(fmt::format("frame {}: {} has {} bytes (expected: 4 for each of {} atoms; the file is damaged)",
                               n_frames_ + 1, name, bytes_.size(), coordinate_bytes() / 4));
      for (std::size_t i = 0; i < bytes_.size() / 4; ++i) {
        const double value = number_at<float>(bytes_, 4 * i, header_.swapped);
        const std::size_t atom = is_part ? header_.free_atoms[i] : i;
        if (!std::isfinite(value))
          file_.fail(fmt::format("frame {}: {} of atom {} is not finite (the file is damaged)", n_frames_ + 1, name,
                                 atom + 1));
        position[atom].*component = value;
      }
    }
    if (header_.has_fourth_dimension) read_record("the fourth dimension");
    if (n_frames_ == 0 && !header_.free_atoms.empty()) first_ = position;
  }

  void take_step(InputFrame& frame) const {
    if (header_.every <= 0) return;
    const auto step =
        std::int64_t{header_.first_step} + std::int64_t{header_.every} * static_cast<std::int64_t>(n_frames_);
    frame.step = step;
    const double unit = units_ == UnitSystem::lj ? 1 : kAkmaTime;
    if (header_.timestep > 0) frame.structure.time = unit * header_.timestep * static_cast<double>(step);
  }

  BinaryInput file_;
  DcdPreamble header_;
  UnitSystem units_;
  std::vector<char> bytes_;
  std::vector<Vec3<double>> first_;  ///< positions of the first frame, where later ones lack fixed atoms
  std::size_t n_frames_ = 0;
};

}  // namespace

std::unique_ptr<TrajectoryReader> open_dcd_frames(const std::filesystem::path& path, std::optional<UnitSystem> units) {
  return std::make_unique<DcdFrames>(path, units);
}

}  // namespace dropmd
