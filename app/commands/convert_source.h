#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.h"
#include "engine/droplet/frame_atoms.h"
#include "inputs/trajectories/trajectory_reader.h"
#include "outputs/share_progress.h"

namespace dropmd {

/// The word of --select for the largest cluster.
inline constexpr std::string_view kDroplet = "droplet";

/// A frame that `convert` writes.
struct ConvertedFrame {
  Particles particles;
  std::size_t number = 0;  ///< in the input, from 1
  std::int64_t step = 0;
  std::optional<double> time;
  UnitSystem units = UnitSystem::real;
  std::string title;
};

/// The input of `convert`: reads the frames and selects their atoms.
class ConvertSource {
 public:
  /// path: the input. Reads the file of --structure. Throws InputError.
  ConvertSource(const GivenOptions& options, Streams& streams, const std::filesystem::path& path);

  /// Returns the next frame; nullopt after the last complete one, and if a signal came.
  std::optional<ConvertedFrame> next();

  const AtomNames* names() const { return atoms_.names(); }
  std::size_t n_read() const { return n_read_; }
  /// Frames without an atom of the selection, which are not written.
  std::size_t n_empty() const { return n_empty_; }
  /// The units that files of this format usually have, if neither the file nor an option says them.
  std::optional<UnitSystem> assumed_units() const { return assumed_units_; }
  /// Whether a frame had no time.
  bool lacks_times() const { return lacks_times_; }

 private:
  /// The file of --structure.
  struct Reference {
    KnownAtoms atoms;
    std::optional<UnitSystem> units;
    std::optional<double> link_distance;
  };
  static std::optional<Reference> read_reference(const GivenOptions& options, Streams& streams);
  std::optional<InputFrame> next_frame();
  UnitSystem units_of(const Structure& structure);
  std::vector<std::uint32_t> select(UnitSystem units) const;
  std::vector<std::string_view> known_names() const;
  double distance(UnitSystem units) const;

  const GivenOptions& options_;
  Streams& streams_;
  std::optional<Reference> reference_;
  FrameAtoms atoms_;
  std::unique_ptr<TrajectoryReader> reader_;
  std::optional<ShareProgress> progress_;
  std::size_t every_, n_read_ = 0, n_empty_ = 0;
  bool is_droplet_file_, lacks_times_ = false;
  std::optional<UnitSystem> assumed_units_;
};

}  // namespace dropmd
