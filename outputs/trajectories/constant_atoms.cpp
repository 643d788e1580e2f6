#include "outputs/trajectories/constant_atoms.h"

#include <fmt/core.h>

#include <cstdint>
#include <utility>

#include "core/errors.h"

namespace dropmd {
namespace {

/// The coordinates of this many atoms have less than 2^31 bytes, the limit of a record of a DCD file.
constexpr std::size_t kMostAtoms = std::size_t{1} << 28U;

/// Returns the number of atoms that the run has ever had.
std::size_t count_ever(const TrajectoryContents& contents) { return contents.particles->first_unused_id() - 1; }

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view what) {
  throw UnfitFrame(
      fmt::format("{}: {}, but all frames of a {} file have the same atoms (use a trajectory that "
                  "ends in .cif, .gsd, .pdb or .xyz)",
                  path.string(), what, path.extension().string()));
}

}  // namespace

void require_constant_atoms(const std::filesystem::path& path, const TrajectoryContents& contents, bool has_frames) {
  const std::size_t n_ever = count_ever(contents), n_now = contents.particles->size();
  if (contents.may_add) refuse(path, "atoms may be added to the run");
  if (n_ever > kMostAtoms)
    throw OutputError(fmt::format("{}: {} atoms are too many for a {} file (use a trajectory that ends in .gsd)",
                                  path.string(), n_ever, path.extension().string()));
  if (!has_frames && n_now < n_ever) refuse(path, "atoms have left the run before this file begins");
}

ConstantAtoms::ConstantAtoms(std::filesystem::path path, const TrajectoryContents& contents, double scale)
    : path_(std::move(path)), scale_(scale), positions_(3 * count_ever(contents)) {
  place(*contents.particles);
}

void ConstantAtoms::place(const Particles& particles) {
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const std::size_t at = particles.id_of(i) - std::size_t{1};
    if (at >= size()) refuse(path_, fmt::format("atom {} was added to the run", at + 1));
    const Vec3<double> x = scale_ * particles.position[i];
    positions_[3 * at] = static_cast<float>(x.x);
    positions_[3 * at + 1] = static_cast<float>(x.y);
    positions_[3 * at + 2] = static_cast<float>(x.z);
  }
}

}  // namespace dropmd
