#include "engine/map_observer.h"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "core/errors.h"
#include "engine/available_threads.h"
#include "inputs/run_file/run_config.h"
#include "outputs/maps/map_file.h"

namespace dropmd {

namespace {

/// Calls `call`; an InputError gets the place in the run file where it can be corrected.
template <class Call>
auto in_run_file(const RunConfig& config, const Call& call) {
  try {
    return call();
  } catch (const InputError& error) {
    throw InputError({config.file.string()}, std::string("[map]: ") + error.what());
  }
}

void require_grid(const RunConfig& config, const MapGrid& before) {
  const MapChoices& choices = config.map->choices;
  const bool same = choices.points ? before == first_map_grid(config, {}) : before.spacing == choices.spacing;
  if (!same)
    throw InputError({config.file.string()},
                     "/map is of another grid than the run's [map] (a checkpoint.h5 that a run wrote)");
}

}  // namespace

Method map_method(const Method& of_run, const RunConfig& config) {
  Method method = of_run;
  method.cpu.threads = config.threads > 0 ? config.threads : available_threads();
  return method;
}

MapGrid first_map_grid(const RunConfig& config, std::span<const Vec3<double>> position) {
  return in_run_file(config, [&] { return map_grid(config.map->choices, position); });
}

MapObserver::MapObserver(const RunConfig& config, const System& system, const Method& method, MapFiles files,
                         Timings& timings, std::optional<MapState> from)
    : config_(config),
      system_(system),
      files_(std::move(files)),
      timings_(timings),
      sum_(in_run_file(
          config,
          [&] { return make_map_sum(map_method(method, config), map_model(config.map->choices, system.units)); })),
      state_(std::move(from)) {
  if (state_) require_grid(config, state_->grid);
  // Without a state, the grid will be about this one: better to fail now than at the first map.
  const MapGrid grid = state_ ? state_->grid : first_map_grid(config, system.particles.position);
  // A map; with an average also its sum, the mean, and the copies from which a checkpoint is written.
  in_run_file(config, [&] {
    require_map_memory(grid, /*field=*/false, files_.average ? 5 : 1);
    return true;
  });
  if (state_ && !files_.average) state_->sum.clear(), state_->frames = 0;
}

void MapObserver::observe(const Snapshot& s) {
  if (!wants_state(s.step)) return;
  const Timings::Scope scope(timings_, "map");
  if (!state_) state_ = MapState{.grid = first_map_grid(config_, s.particles.position)};
  MapValues values = sum_->compute(state_->grid, {s.particles.position, s.particles.charge});
  if (files_.average) add(values.potential);
  write(files_.last, std::move(values), fmt::format("step {}", s.step));
}

void MapObserver::add(std::span<const double> potential) {
  state_->sum.resize(potential.size());
  for (std::size_t p = 0; p < potential.size(); ++p) state_->sum[p] += potential[p];
  ++state_->frames;
}

void MapObserver::write_average(std::int64_t step) {
  if (!state_ || state_->frames == 0 || std::exchange(average_of_, step) == step) return;
  const Timings::Scope scope(timings_, "map");
  MapValues values;
  values.potential.assign(state_->sum.begin(), state_->sum.end());
  for (double& value : values.potential) value /= static_cast<double>(state_->frames);
  write(*files_.average, std::move(values),
        fmt::format("mean of {} map{}", state_->frames, state_->frames == 1 ? "" : "s"));
}

void MapObserver::write(const std::filesystem::path& path, MapValues values, const std::string& what) const {
  PotentialMap map = potential_map(config_.map->choices, system_.units, state_->grid, std::move(values));
  map.title += ", " + what;
  write_map_file(path, map, map_atoms_of(system_.particles), /*overwrite=*/true);
}

}  // namespace dropmd
