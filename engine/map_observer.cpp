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
                     "/map has a different grid than the run's [map] (expected: a checkpoint.h5 that a run wrote)");
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

MapModel map_model_of(const RunConfig& config, const System& system) {
  return in_run_file(config, [&] {
    MapModel model = map_model(config.map->choices, system.units);
    if (!model.mesh) return model;
    require_map_accuracy(model.mesh->accuracy, config.precision);
    if (system.mesh) model.mesh->of_run = system.mesh->parameters;
    return model;
  });
}

MapObserver::MapObserver(const RunConfig& config, const System& system, const Method& method, MapFiles files,
                         Timings& timings, std::optional<MapState> from, Say say)
    : config_(config),
      system_(system),
      files_(std::move(files)),
      timings_(timings),
      method_(map_method(method, config)),
      model_(map_model_of(config, system)),
      say_(std::move(say)),
      sum_(in_run_file(config, [&] { return make_map_sum(method_, model_); })),
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

void MapObserver::update_sum() {
  if (!model_.mesh) return;
  MapModel model = map_model_of(config_, system_);
  if (model.mesh->of_run == model_.mesh->of_run) return;
  model_ = std::move(model);
  sum_ = make_map_sum(method_, model_);
}

void MapObserver::say_mesh(std::int64_t step, const MapValues& values) {
  if (!values.mesh || !say_) return;
  const double error = values.mesh->measured_error, accuracy = model_.mesh->accuracy;
  if (!std::exchange(said_, true))
    say_(step, fmt::format("map: {}, estimated error {:.2g}, measured {:.2g} of the RMS potential",
                           describe(*values.mesh, system_.units), values.mesh->estimated_error, error));
  if (error > accuracy)
    say_(step, fmt::format("map: the error is {:.2g} of the RMS potential, more than the accuracy of {:g} (a smaller "
                           "accuracy in [map] gives a finer mesh)",
                           error, accuracy));
}

void MapObserver::observe(const Snapshot& s) {
  if (!wants_state(s.step)) return;
  const Timings::Scope scope(timings_, "map");
  if (!state_) state_ = MapState{.grid = first_map_grid(config_, s.particles.position)};
  update_sum();
  MapValues values = sum_->compute(state_->grid, {s.particles.position, s.particles.charge});
  say_mesh(s.step, values);
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
