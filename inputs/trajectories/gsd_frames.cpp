#include "inputs/trajectories/gsd_frames.h"

#include <fmt/core.h>

#include "core/run/missing_library.h"

#if DROPMD_HAS_GSD

#include <gsd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inputs/text_source.h"

namespace dropmd {
namespace {

std::string_view reason_of(int code) {
  switch (code) {
    case GSD_ERROR_NOT_A_GSD_FILE:
      return "is not a GSD file (a trajectory of HOOMD-blue's schema is expected)";
    case GSD_ERROR_INVALID_GSD_FILE_VERSION:
      return "is of an unknown version of GSD (write it again with another)";
    case GSD_ERROR_FILE_CORRUPT:
      return "is damaged (write it again)";
    case GSD_ERROR_MEMORY_ALLOCATION_FAILED:
      return "is larger than the memory";
    default:
      return "cannot be read (check its permissions and the disk)";
  }
}

/// The open file.
class GsdInput {
 public:
  explicit GsdInput(const std::filesystem::path& path) : file_(path.string()) {
    require_regular_file(path, "a GSD trajectory");
    check(gsd_open(&handle_, path.c_str(), GSD_OPEN_READONLY));
    is_open_ = true;
  }
  ~GsdInput() {
    if (is_open_) gsd_close(&handle_);
  }
  GsdInput(const GsdInput&) = delete;
  GsdInput& operator=(const GsdInput&) = delete;

  std::string_view schema() const {
    const std::string_view text(handle_.header.schema, sizeof handle_.header.schema);
    return text.substr(0, text.find('\0'));
  }
  std::uint64_t n_frames() { return gsd_get_nframes(&handle_); }
  const std::string& file() const { return file_; }
  [[noreturn]] void fail(const std::string& message) const { throw InputError({file_}, message); }

  /// Returns an array of a frame, n rows of m numbers; empty: the frame leaves it out.
  template <class Number>
  std::vector<Number> read(std::uint64_t frame, const char* name, gsd_type type, std::uint64_t n, std::uint32_t m) {
    const gsd_index_entry* const mapped = gsd_find_chunk(&handle_, frame, name);
    if (mapped == nullptr) return {};
    gsd_index_entry entry;  // the library maps entries where the file has them, at any alignment
    std::memcpy(&entry, mapped, sizeof entry);
    // Characters are signed in files of some versions.
    const auto found = entry.type == GSD_TYPE_INT8 ? GSD_TYPE_UINT8 : static_cast<gsd_type>(entry.type);
    if (found != type || (n > 0 && entry.N != n) || (m > 0 && entry.M != m))
      fail(fmt::format("frame {}: {} has {} rows of {} numbers of type {} (expected: {}, {}, {}; the file is damaged)",
                       frame + 1, name, entry.N, entry.M, entry.type, n, m, static_cast<int>(type)));
    const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(handle_.file_size, 0)) / sizeof(Number);
    if (entry.M == 0 || entry.N > most / entry.M)
      fail(fmt::format("frame {}: {} has {} rows of {} numbers, more than the file holds (it is damaged)", frame + 1,
                       name, entry.N, entry.M));
    std::vector<Number> values(entry.N * entry.M);
    rows_ = entry.N;
    if (!values.empty()) check(gsd_read_chunk(&handle_, values.data(), &entry));
    return values;
  }

  /// The number of rows of the array that was read last.
  std::uint64_t rows() const { return rows_; }

 private:
  void check(int code) const {
    if (code != GSD_SUCCESS) throw InputError({file_}, std::string(reason_of(code)));
  }

  std::string file_;
  gsd_handle handle_{};
  bool is_open_ = false;
  std::uint64_t rows_ = 0;
};

class GsdFrames final : public TrajectoryReader {
 public:
  GsdFrames(const std::filesystem::path& path, std::optional<UnitSystem> units) : file_(path), units_(units) {
    if (file_.schema() != "hoomd")
      file_.fail(fmt::format("a GSD file of the schema {} (hoomd is expected)", in_quotes(file_.schema())));
    n_frames_ = file_.n_frames();
    if (n_frames_ == 0) file_.fail("no frame is complete");
    const auto letters = file_.read<std::uint8_t>(0, "log/units", GSD_TYPE_UINT8, 0, 0);
    const std::string_view name(reinterpret_cast<const char*>(letters.data()), letters.size());
    if (const std::optional<UnitSystem> said = unit_system_named(name)) units_ = said;
  }

  std::optional<InputFrame> next() override {
    if (frame_ == n_frames_) return std::nullopt;
    InputFrame frame;
    Structure& structure = frame.structure;
    structure.file = file_.file();
    structure.units = units_;
    structure.units_place = {file_.file()};
    const auto n_atoms = values<std::uint32_t>("particles/N", GSD_TYPE_UINT32, 1, 1);
    const std::uint64_t n = n_atoms.empty() ? 0 : n_atoms[0];
    if (n == 0) file_.fail(fmt::format("frame {}: no atoms (it needs at least 1)", frame_ + 1));
    structure.position = vectors("particles/position", n);
    if (structure.position.empty()) file_.fail(fmt::format("frame {}: its atoms have no positions", frame_ + 1));
    structure.velocity = vectors("particles/velocity", n);
    structure.charge = numbers("particles/charge", n);
    structure.mass = numbers("particles/mass", n);
    if (std::any_of(structure.mass.begin(), structure.mass.end(), [](double mass) { return mass < 0; }))
      file_.fail(fmt::format("frame {}: a mass is below 0 (the file is damaged)", frame_ + 1));
    take_species(structure, n);
    const auto step = values<std::uint64_t>("configuration/step", GSD_TYPE_UINT64, 1, 1);
    const std::uint64_t number = step.empty() ? 0 : step[0];  // the schema's default
    if (number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      frame.step = static_cast<std::int64_t>(number);
    const auto time = file_.read<double>(frame_, "log/time", GSD_TYPE_DOUBLE, 1, 1);
    if (!time.empty() && std::isfinite(time[0])) structure.time = time[0];
    frame.ids = values<std::uint32_t>("log/particles/id", GSD_TYPE_UINT32, n, 1);
    ++frame_;
    return frame;
  }

  bool skip() override {
    if (frame_ == n_frames_) return false;
    ++frame_;
    return true;
  }

  ReadShare share() const override { return {frame_, n_frames_}; }

 private:
  /// Returns an array of the frame, or of the first frame if that has as many rows.
  template <class Number>
  std::vector<Number> values(const char* name, gsd_type type, std::uint64_t n, std::uint32_t m) {
    std::vector<Number> own = file_.read<Number>(frame_, name, type, n, m);
    if (!own.empty() || frame_ == 0) return own;
    try {
      return file_.read<Number>(0, name, type, n, m);
    } catch (const InputError&) {  // the first frame has another number of atoms
      return {};
    }
  }

  std::vector<double> numbers(const char* name, std::uint64_t n) {
    const auto floats = values<float>(name, GSD_TYPE_FLOAT, n, 1);
    require_finite(name, floats);
    return {floats.begin(), floats.end()};
  }

  std::vector<Vec3<double>> vectors(const char* name, std::uint64_t n) {
    const auto floats = values<float>(name, GSD_TYPE_FLOAT, n, 3);
    require_finite(name, floats);
    std::vector<Vec3<double>> result(floats.size() / 3);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = {floats[3 * i], floats[3 * i + 1], floats[3 * i + 2]};
    return result;
  }

  void require_finite(const char* name, const std::vector<float>& floats) const {
    if (!std::all_of(floats.begin(), floats.end(), [](float value) { return std::isfinite(value); }))
      file_.fail(fmt::format("frame {}: {} has a number that is not finite", frame_ + 1, name));
  }

  /// Names of types are rows of characters that end with zeros; without any, the type is A.
  void take_species(Structure& structure, std::uint64_t n) {
    const auto letters = values<std::uint8_t>("particles/types", GSD_TYPE_UINT8, 0, 0);
    const std::uint64_t n_types = letters.empty() ? 0 : file_.rows();
    for (std::uint64_t k = 0; k < n_types; ++k) {
      const std::uint64_t length = letters.size() / n_types;
      const std::string_view row(reinterpret_cast<const char*>(letters.data()) + k * length, length);
      structure.species_names.emplace_back(row.substr(0, row.find('\0')));
    }
    if (structure.species_names.empty()) structure.species_names = {"A"};
    structure.species = values<std::uint32_t>("particles/typeid", GSD_TYPE_UINT32, n, 1);
    if (structure.species.empty()) structure.species.assign(n, 0);
    const std::uint32_t most = *std::max_element(structure.species.begin(), structure.species.end());
    if (most >= structure.species_names.size())
      file_.fail(fmt::format("frame {}: an atom has the type {}, but there are {} (the file is damaged)", frame_ + 1,
                             most, structure.species_names.size()));
  }

  GsdInput file_;
  std::optional<UnitSystem> units_;
  std::uint64_t n_frames_ = 0, frame_ = 0;
};

}  // namespace

std::unique_ptr<TrajectoryReader> open_gsd_frames(const std::filesystem::path& path, std::optional<UnitSystem> units) {
  return std::make_unique<GsdFrames>(path, units);
}

}  // namespace dropmd

#else

namespace dropmd {

std::unique_ptr<TrajectoryReader> open_gsd_frames(const std::filesystem::path& path, std::optional<UnitSystem>) {
  throw InputError({path.string()}, fmt::format("{}", missing_library(".gsd")));
}

}  // namespace dropmd

#endif
