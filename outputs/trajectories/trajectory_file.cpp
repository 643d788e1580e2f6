#include "outputs/trajectories/trajectory_file.h"

#include <fmt/core.h>

#include <array>

#include "core/alternatives.h"
#include "core/errors.h"
#include "core/run/missing_library.h"
#include "outputs/trajectories/cif_trajectory.h"
#include "outputs/trajectories/dcd_trajectory.h"
#include "outputs/trajectories/gsd_trajectory.h"
#include "outputs/trajectories/pdb_trajectory.h"
#include "outputs/trajectories/xtc_trajectory.h"
#include "outputs/trajectories/xyz_trajectory.h"

namespace dropmd {
namespace {

/// One entry per format.
constexpr std::array kFormats {
  kXyzTrajectory,
#if DROPMD_HAS_XDR
      kXtcTrajectory,
#endif
      kDcdTrajectory,
#if DROPMD_HAS_GSD
      kGsdTrajectory,
#endif
      kPdbTrajectory, kCifTrajectory,
};

}  // namespace

const TrajectoryFormat& trajectory_format(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  for (const TrajectoryFormat& format : kFormats)
    if (format.extension == extension) return format;
  if (const std::string_view missing = missing_library(extension); !missing.empty())
    throw OutputError(fmt::format("{}: {}", path.string(), missing));
  throw OutputError(fmt::format("{}: no trajectory format for this name (it must end in {})", path.string(),
                                alternatives(trajectory_extensions())));
}

std::vector<std::string_view> trajectory_extensions() {
  std::vector<std::string_view> extensions;
  for (const TrajectoryFormat& format : kFormats) extensions.push_back(format.extension);
  return extensions;
}

}  // namespace dropmd
