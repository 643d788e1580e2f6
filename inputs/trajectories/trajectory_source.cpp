#include "inputs/trajectories/trajectory_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "inputs/trajectories/cif_frames.h"
#include "inputs/trajectories/dcd_frames.h"
#include "inputs/trajectories/gro_frames.h"
#include "inputs/trajectories/gsd_frames.h"
#include "inputs/trajectories/pdb_frames.h"
#include "inputs/trajectories/single_frame.h"
#include "inputs/trajectories/xtc_frames.h"
#include "inputs/trajectories/xyz_frames.h"

namespace dropmd {
namespace {

using GivenUnits = std::optional<UnitSystem>;
using Path = std::filesystem::path;

struct Format {
  std::string_view extension;
  std::unique_ptr<TrajectoryReader> (*open)(const Path& path, GivenUnits units);
};

/// For a format whose files say their units.
template <std::unique_ptr<TrajectoryReader> (*kOpen)(const Path& path)>
std::unique_ptr<TrajectoryReader> open(const Path& path, GivenUnits) {
  return kOpen(path);
}

/// One entry per extension.
constexpr std::array kFormats = {
    Format{".xyz", open<open_xyz_frames>},    Format{".extxyz", open<open_xyz_frames>},
    Format{".gro", open<open_gro_frames>},    Format{".pdb", open_pdb_frames},
    Format{".ent", open_pdb_frames},          Format{".dcd", open_dcd_frames},
    Format{".gsd", open_gsd_frames},          Format{".xtc", open_xtc_frames},
    Format{".drop", open<open_single_frame>}, Format{".cif", open_cif_frames},
    Format{".mmcif", open_cif_frames},
};

const Format* find_format(const Path& path) {
  const std::string extension = path.extension().string();
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const Format& format) { return format.extension == extension; });
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace

std::unique_ptr<TrajectoryReader> open_frames(const Path& path, GivenUnits units) {
  const Format* const format = find_format(path);
  if (format == nullptr)
    throw InputError(SourcePlace{path.string()},
                     fmt::format("no format of trajectories or structures has the extension '{}' (known: {})",
                                 path.extension().string(), frames_extensions()));
  return format->open(path, units);
}

bool has_frames_format(const Path& path) { return find_format(path) != nullptr; }

std::string frames_extensions() {
  std::string text;
  for (const Format& format : kFormats) text += (text.empty() ? "" : ", ") + std::string(format.extension);
  return text;
}

}  // namespace dropmd
