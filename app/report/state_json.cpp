#include "app/report/state_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "app/report/base64.h"
#include "app/report/run_tables.h"
#include "core/errors.h"
#include "core/run/droplet_settings.h"
#include "engine/droplet/clusters.h"
#include "engine/jobs/map_job.h"
#include "engine/jobs/run_checkpoint.h"

namespace dropmd {

Json clusters_json(const ResumedRun& run) {
  const System system = continued_system(run.config, run.from);
  const MoleculeTable table = molecules_of(system);
  const double distance = link_distance(run.config.droplet.value_or(DropletSettings{}), run.config.units);
  const Clusters clusters = find_clusters(table, system.particles.position, distance);
  std::map<std::uint32_t, std::uint64_t> number_of_size;
  for (const std::uint32_t size : clusters.size) ++number_of_size[size];
  Json::List sizes;
  for (const auto& [size, number] : number_of_size) sizes.push_back(Json::List{std::uint64_t{size}, number});
  return Json::Object{{"step", run.from.state.step},
                      {"link_distance", distance},
                      {"molecules", std::uint64_t{table.size()}},
                      {"clusters", std::uint64_t{clusters.size.size()}},
                      {"sizes", std::move(sizes)}};
}

namespace {

constexpr std::size_t kMostMapPoints = 220;  // along an axis of a slice; a page shows no more

double component(const Vec3<double>& x, std::size_t axis) { return axis == 0 ? x.x : axis == 1 ? x.y : x.z; }

/// The grid of a map by axes.
struct GridAxes {
  std::array<std::int32_t, 3> points;
  std::array<double, 3> origin, spacing;

  explicit GridAxes(const MapGrid& grid)
      : points{grid.points.x, grid.points.y, grid.points.z},
        origin{grid.origin.x, grid.origin.y, grid.origin.z},
        spacing{grid.spacing.x, grid.spacing.y, grid.spacing.z} {}
};

Json slice_json(const MapState& state, const Checkpoint& from, std::size_t axis, double atom_distance) {
  const GridAxes grid(state.grid);
  const std::size_t u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
  const std::int32_t middle = grid.points[axis] / 2;
  const auto most_points = static_cast<std::size_t>(std::max(grid.points[u], grid.points[v]));
  const auto every = static_cast<std::int32_t>((most_points + kMostMapPoints - 1) / kMostMapPoints);
  std::vector<float> potential;
  std::array<std::int32_t, 3> at{};
  at[axis] = middle;
  for (at[v] = 0; at[v] < grid.points[v]; at[v] += every)
    for (at[u] = 0; at[u] < grid.points[u]; at[u] += every)
      potential.push_back(
          static_cast<float>(state.sum[state.grid.number(at[0], at[1], at[2])] / static_cast<double>(state.frames)));
  const double plane = grid.origin[axis] + middle * grid.spacing[axis];
  std::vector<float> atoms;
  for (std::size_t i = 0; i < from.state.position.size(); ++i) {
    const Vec3<double>& r = from.state.position[i];
    if (std::abs(component(r, axis) - plane) > atom_distance) continue;
    for (const double value : {component(r, u), component(r, v), from.charge.empty() ? 0.0 : from.charge[i]})
      atoms.push_back(static_cast<float>(value));
  }
  constexpr std::string_view kAxes[] = {"x", "y", "z"};
  return Json::Object{
      {"axis", kAxes[axis]},
      {"at", plane},
      {"u", kAxes[u]},
      {"v", kAxes[v]},
      {"origin", Json::List{grid.origin[u], grid.origin[v]}},
      {"spacing", Json::List{grid.spacing[u] * every, grid.spacing[v] * every}},
      {"points", Json::List{(grid.points[u] + every - 1) / every, (grid.points[v] + every - 1) / every}},
      {"every", every},
      {"potential", base64_of(potential)},
      {"atoms", base64_of(atoms)}};
}

}  // namespace

Json map_json(const ResumedRun& run) {
  const std::string file = run.config.file.string();
  if (!run.config.map || !run.from.map) throw InputError({file}, "the run has made no potential map so far");
  const MapState& state = *run.from.map;
  if (state.sum.empty() || state.frames == 0)
    throw InputError({file}, "it has no mean of the potential maps (average = true in [map] makes one)");
  const double atom_distance = run.config.units == UnitSystem::real ? 1 : 0.4;
  Json::List slices;
  for (const std::size_t axis : {2, 1, 0}) slices.push_back(slice_json(state, run.from, axis, atom_distance));
  return Json::Object{
      {"frames", state.frames},
      {"unit", printed_unit(potential_map(run.config.map->choices, units_of(run.config.units), {}, {}).unit)},
      {"step", run.from.state.step},
      {"atom_distance", atom_distance},
      {"slices", std::move(slices)}};
}

}  // namespace dropmd
