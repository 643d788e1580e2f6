#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/run/map_state.h"
#include "core/timings.h"
#include "engine/jobs/map_job.h"
#include "engine/model/system.h"
#include "engine/observer.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// The files of a run's maps.
struct MapFiles {
  std::filesystem::path last;
  std::optional<std::filesystem::path> average{};  ///< nullopt: no average
};

/// Returns whether a run computes maps.
inline bool makes_maps(const RunConfig& config) { return config.map && config.map->every > 0; }

/// Returns the model of a run's maps. A map by a mesh may take the mesh of the run. Throws InputError as map_model(),
/// with the run file's name.
MapModel map_model_of(const RunConfig& config, const System& system);

/// Returns the processor of a run's maps: its own, with all threads that may be used.
Method map_method(const Method& of_run, const RunConfig& config);

/// Returns the grid of all maps of a run whose first map is of these positions. Throws InputError as map_grid(), with
/// the run file's name.
MapGrid first_map_grid(const RunConfig& config, std::span<const Vec3<double>> position);

/// Computes the maps of a run, each of a single frame; each replaces the previous one's file. Their sum is in fp64,
/// point by point in the order of the steps, so that a run that resumes from a state ends bitwise identically.
class MapObserver final : public Observer {
 public:
  using Say = std::function<void(std::int64_t step, const std::string& text)>;

  /// config, which must request maps, system and timings must outlive this object. method: of the run's steps. from:
  /// state of the previous maps. say: receives the mesh of the first map, if it has one, and errors of maps that exceed
  /// their accuracy. Throws InputError if maps are impossible, or if the previous ones had another grid.
  MapObserver(const RunConfig& config, const System& system, const Method& method, MapFiles files, Timings& timings,
              std::optional<MapState> from, Say say = {});

  std::int64_t every() const override { return config_.map->every; }
  bool wants_state(std::int64_t step) const override { return step % every() == 0; }
  bool wants_energies(std::int64_t) const override { return false; }
  void observe(const Snapshot& s) override;
  void finish(const Snapshot& last) override { write_average(last.step); }

  /// Writes the average of the maps up to this step, whose state the system has; does nothing if there is none yet.
  void write_average(std::int64_t step);

  /// The state up to now; nullopt before the first map.
  const std::optional<MapState>& state() const { return state_; }

 private:
  /// Makes the sum again for the run's present mesh, if maps use a mesh; a run may change its own.
  void update_sum();
  void say_mesh(std::int64_t step, const MapValues& values);
  void add(std::span<const double> potential);
  void write(const std::filesystem::path& path, MapValues values, const std::string& what) const;

  const RunConfig& config_;
  const System& system_;
  MapFiles files_;
  Timings& timings_;
  Method method_;
  MapModel model_;
  Say say_;
  bool said_ = false;
  std::unique_ptr<MapSum> sum_;  ///< of model_
  std::optional<MapState> state_;
  std::int64_t average_of_ = -1;  ///< step of the average that was written last
};

}  // namespace dropmd
