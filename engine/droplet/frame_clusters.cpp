#include "engine/droplet/frame_clusters.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/errors.h"
#include "engine/droplet/clusters.h"
#include "engine/population/population_change.h"
#include "inputs/trajectories/trajectory_source.h"

namespace dropmd {

namespace {

/// The ids of all atoms of a model.
std::vector<std::uint32_t> ids_of(const Particles& p) {
  std::vector<std::uint32_t> ids(p.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = p.id_of(i);
  return ids;
}

}  // namespace

FrameClusters::FrameClusters(const System& whole, const Structure* bare, const std::filesystem::path& trajectory,
                             double distance)
    : whole_(whole),
      bare_(bare),
      frames_(open_frames(trajectory, whole.units.system)),
      distance_(distance),
      present_(whole),
      present_ids_(ids_of(whole.particles)),
      molecules_(bare != nullptr ? molecules_of(whole, *bare) : molecules_of(whole)) {}

void FrameClusters::take_atoms(const InputFrame& frame) {
  const Structure& structure = frame.structure;
  const auto fail = [&](const std::string& what) {
    throw InputError(structure.place_of_atom(0), fmt::format("frame {}: {}", n_read_, what));
  };
  std::vector<std::uint32_t> ids = frame.ids;
  if (ids.empty()) {
    ids = ids_of(whole_.particles);
    if (structure.position.size() != ids.size())
      fail(fmt::format(
          "{} atoms, but the structure has {} (give a trajectory of the same atoms, or one with a column id)",
          structure.position.size(), ids.size()));
  }
  if (ids == present_ids_) return;
  const std::vector<std::uint32_t> all = ids_of(whole_.particles);
  if (!std::is_sorted(ids.begin(), ids.end()) || !std::includes(all.begin(), all.end(), ids.begin(), ids.end()))
    fail("the ids of its atoms are not those of the structure (give the structure that the run began with)");
  if (bare_ != nullptr)
    fail("atoms have left it, but a structure alone does not say which (give the run file, which names its topology)");
  PopulationChange change;
  std::set_difference(all.begin(), all.end(), ids.begin(), ids.end(), std::back_inserter(change.removed));
  try {
    present_ = changed(whole_, change);
  } catch (const std::invalid_argument& reason) {
    fail(reason.what());
  }
  present_ids_ = std::move(ids);
  molecules_ = molecules_of(present_);
}

/// The run may still be writing the last frame.
std::optional<InputFrame> FrameClusters::next_frame() {
  try {
    return frames_->next();
  } catch (const CutOffFrame& reason) {
    warnings_.emplace_back(reason.what());
    return std::nullopt;
  }
}

std::optional<FrameRow> FrameClusters::next() {
  const std::optional<InputFrame> frame = next_frame();
  if (!frame) return std::nullopt;
  ++n_read_;
  take_atoms(*frame);
  present_.particles.position = frame->structure.position;
  const Clusters clusters = find_clusters(molecules_, present_.particles.position, distance_);
  const ClusterMeasure droplet =
      measure_cluster(molecules_, clusters, 0, molecule_centres(molecules_, present_.particles), present_.particles);
  FrameRow row{.frame = n_read_, .time = frame->structure.time, .droplet = {}};
  row.droplet.clusters = clusters.size.size();
  row.droplet.molecules = droplet.molecules;
  row.droplet.atoms = droplet.atoms;
  row.droplet.charge = droplet.charge;
  row.droplet.mass = droplet.mass;
  row.droplet.centre = droplet.centre;
  row.droplet.radius = droplet.radius;
  row.droplet.gyration = droplet.gyration;
  row.droplet.vapour_molecules = molecules_.size() - droplet.molecules;
  return row;
}

}  // namespace dropmd
