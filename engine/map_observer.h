#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "core/run/map_state.h"
#include "core/timings.h"
#include "engine/jobs/map_job.h"
#include "engine/model/system.h"
#include "engine/observer.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Where the maps of a run go.
struct MapFiles {
  std::filesystem::path last;
  std::optional<std::filesystem::path> average{};  ///< where one is wanted
};

/// Whether a run makes maps.
inline bool makes_maps(const RunConfig& config) { return config.map && config.map->every > 0; }

/// The processor of a run's maps: its own, with all threads that may be used.
Method map_method(const Method& of_run, const RunConfig& config);

/// The grid of all maps of a run whose first one is of these positions. Throws InputError as map_grid(), with the run
/// file's name.
MapGrid first_map_grid(const RunConfig& config, std::span<const Vec3<double>> position);

/// The maps of a run, every one of its own frame. The file of the last one is replaced by the next. Their sum is fp64,
/// point by point in the order of the steps: what goes on from a state ends in the same bytes.
class MapObserver final : public Observer {
 public:
  /// config, which makes maps, system and timings outlive it. method: of its steps.
  /// from: of the maps before. Throws InputError where there can be no maps, or those before had another grid.
  MapObserver(const RunConfig& config, const System& system, const Method& method, MapFiles files, Timings& timings,
              std::optional<MapState> from);

  std::int64_t every() const override { return config_.map->every; }
  bool wants_state(std::int64_t step) const override { return step % every() == 0; }
  bool wants_energies(std::int64_t) const override { return false; }
  void observe(const Snapshot& s) override;
  void finish(const Snapshot& last) override { write_average(last.step); }

  /// Of the maps up to this step, whose state the system has; nothing where there is none yet.
  void write_average(std::int64_t step);

  /// Up to now; none before the first map.
  const std::optional<MapState>& state() const { return state_; }

 private:
  void add(std::span<const double> potential);
  void write(const std::filesystem::path& path, MapValues values, const std::string& what) const;

  const RunConfig& config_;
  const System& system_;
  MapFiles files_;
  Timings& timings_;
  std::unique_ptr<MapSum> sum_;
  std::optional<MapState> state_;
  std::int64_t average_of_ = -1;  ///< step whose average was written last
};

}  // namespace dropmd
