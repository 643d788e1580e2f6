#include "inputs/trajectories/xtc_frames.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "inputs/structures/molecule_files.h"
#include "inputs/trajectories/binary_input.h"
#include "inputs/trajectories/xtc_coordinates.h"

namespace dropmd {
namespace {

/// XDR: four bytes per number, the highest first.
constexpr bool kSwapped = std::endian::native == std::endian::little;
constexpr std::size_t kHeaderBytes = 56, kPlainAtomBytes = 12, kCompressionBytes = 36, kBoxBegin = 16, kBoxEnd = 52;
constexpr std::uint32_t kPlainAtoms = 9;

class XtcFrames final : public TrajectoryReader {
 public:
  XtcFrames(const std::filesystem::path& path, std::optional<UnitSystem> units)
      : file_(path, "an XTC trajectory"), units_(units.value_or(UnitSystem::real)) {}

  std::optional<InputFrame> next() override {
    InputFrame frame;
    const std::optional<std::uint32_t> n = take_frame(frame);
    if (!n) return std::nullopt;
    Structure& structure = frame.structure;
    structure.position = *n <= kPlainAtoms ? plain_positions(*n) : compressed_positions(*n);
    if (units_ == UnitSystem::real)
      for (Vec3<double>& x : structure.position) x = kAngstromPerNm * x;
    structure.file = file_.file();
    structure.units = units_;
    structure.units_place = {file_.file()};
    structure.species.assign(*n, 0);
    structure.species_names = {"X"};
    return frame;
  }

  bool skip() override {
    InputFrame frame;
    return take_frame(frame).has_value();
  }

  ReadShare share() const override { return file_.share(); }

 private:
  static constexpr double kAngstromPerNm = 10, kFsPerPs = 1000;

  template <class Number>
  static Number number(const std::vector<char>& bytes, std::size_t at) {
    return number_at<Number>(bytes, at, kSwapped);
  }

  [[noreturn]] void fail(const std::string& what) const { file_.fail(fmt::format("frame {}: {}", n_frames_, what)); }

  /// Reads the header and the bytes of the next frame. Returns its number of atoms; nullopt after the last.
  std::optional<std::uint32_t> take_frame(InputFrame& frame) {
    constexpr std::int32_t kMagic = 1995, kLargeMagic = 2023;
    if (file_.rest() == 0) return std::nullopt;
    ++n_frames_;
    if (!file_.read(header_, kHeaderBytes)) throw_cut_off();
    const auto magic = number<std::int32_t>(header_, 0), n_atoms = number<std::int32_t>(header_, 4);
    if (magic == kLargeMagic) fail("more than 298 million atoms (use fewer, or a trajectory in another format)");
    if (magic != kMagic)
      fail(n_frames_ == 1 ? "it does not begin with the number 1995 (an XTC trajectory of GROMACS is expected)"
                          : "it does not begin with the number 1995 (the file is damaged)");
    if (n_atoms <= 0 || number<std::int32_t>(header_, kBoxEnd) != n_atoms)
      fail(fmt::format("{} atoms and {} coordinates (expected: equal numbers, at least 1; the file is damaged)",
                       n_atoms, number<std::int32_t>(header_, kBoxEnd)));
    take_header(frame);
    const auto n = static_cast<std::uint32_t>(n_atoms);
    if (n <= kPlainAtoms) {
      if (!file_.read(bytes_, kPlainAtomBytes * std::size_t{n})) throw_cut_off();
      return n;
    }
    if (!file_.read(compression_, kCompressionBytes)) throw_cut_off();
    const auto n_bytes = number<std::uint32_t>(compression_, kCompressionBytes - 4);
    if (!file_.read(bytes_, (std::uint64_t{n_bytes} + 3) / 4 * 4)) throw_cut_off();
    if (n > std::uint64_t{n_bytes} * 8 / kXtcBitsPerAtom)
      fail(fmt::format("{} atoms in {} bytes (the file is damaged)", n, n_bytes));
    return n;
  }

  void take_header(InputFrame& frame) const {
    const double time = number<float>(header_, 12);
    if (!std::isfinite(time)) fail("its time is not finite (the file is damaged)");
    frame.step = number<std::int32_t>(header_, 8);
    frame.structure.time = (units_ == UnitSystem::real ? kFsPerPs : 1) * time;
    bool has_box = false;
    for (std::size_t at = kBoxBegin; at < kBoxEnd; at += 4) has_box = has_box || number<float>(header_, at) != 0;
    if (has_box)
      frame.structure.warnings.push_back(box_warning({fmt::format("{}: frame {}", file_.file(), n_frames_)}));
  }

  [[noreturn]] void throw_cut_off() const {
    if (n_frames_ == 1) fail("the file ends within it (no frame is complete)");
    throw CutOffFrame({file_.file()}, fmt::format("the file ends within frame {} ({})", n_frames_, kCutOffRemedy));
  }

  std::vector<Vec3<double>> plain_positions(std::uint32_t n) const {
    std::vector<Vec3<double>> position(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto component = [&](std::size_t k) { return double{number<float>(bytes_, kPlainAtomBytes * i + 4 * k)}; };
      position[i] = {component(0), component(1), component(2)};
      if (!is_finite(position[i]))
        fail(fmt::format("the position of atom {} is not finite (the file is damaged)", i + 1));
    }
    return position;
  }

  std::vector<Vec3<double>> compressed_positions(std::uint32_t n) const {
    XtcCompression compression{.precision = number<float>(compression_, 0),
                               .least = {},
                               .most = {},
                               .small = number<std::uint32_t>(compression_, 28)};
    for (std::size_t k = 0; k < 3; ++k) {
      compression.least[k] = number<std::int32_t>(compression_, 4 + 4 * k);
      compression.most[k] = number<std::int32_t>(compression_, 16 + 4 * k);
    }
    std::optional<std::vector<Vec3<double>>> position = xtc_coordinates(compression, bytes_, n);
    if (!position) fail("its coordinates cannot be decompressed (the file is damaged)");
    return std::move(*position);
  }

  BinaryInput file_;
  UnitSystem units_;
  std::vector<char> header_, compression_, bytes_;
  std::size_t n_frames_ = 0;
};

}  // namespace

std::unique_ptr<TrajectoryReader> open_xtc_frames(const std::filesystem::path& path, std::optional<UnitSystem> units) {
  return std::make_unique<XtcFrames>(path, units);
}

}  // namespace dropmd
