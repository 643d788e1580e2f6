#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "core/run/checkpoint.h"
#include "core/run/droplet_rows.h"
#include "engine/methods/method.h"
#include "engine/methods/tuner.h"
#include "engine/self_check.h"
#include "engine/step_loop.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// The connections of a run with its caller.
struct RunHooks {
  std::ostream* progress = nullptr;  ///< null: no progress display
  bool terminal = false;             ///< whether `progress` is a terminal
  std::size_t columns = 80;
  bool overwrite = false;             ///< whether existing outputs are replaced
  std::int64_t self_check_every = 0;  ///< steps between checks of the forces; 0: none
  std::optional<double> max_seconds;  ///< limit of wall time; nullopt: none
  std::function<bool()> stop = [] { return false; };
  std::function<void(const Method&, const System&)> started = [](const Method&, const System&) {};
  /// Receives a line for the log of a run.
  std::function<void(std::int64_t step, const std::string& text)> said = [](std::int64_t, const std::string&) {};
  /// Receives a line with details.
  std::function<void(std::int64_t step, const std::string& text)> detailed = [](std::int64_t, const std::string&) {};
  /// Is called with steps that are complete, as often as an observer sees one.
  std::function<void(std::int64_t step)> reached = [](std::int64_t) {};
  /// Is called when the checkpoint of a step is on storage.
  std::function<void(std::int64_t step, const std::filesystem::path& checkpoint)> saved =
      [](std::int64_t, const std::filesystem::path&) {};
  std::optional<TunerPolicy> tuner;  ///< replaces the default policy
  /// Changes of the population, in ascending order of steps; the trajectory then has a column of ids. A run that
  /// resumes needs the same actions, or at least those that its checkpoint lists as still to come; otherwise run_job()
  /// throws InputError.
  std::vector<PopulationAction> actions{};
  std::function<void(const PopulationBooking&)> booked = [](const PopulationBooking&) {};
};

/// The result of run_job().
struct RunSummary {
  RunEnd end = RunEnd::finished;
  std::int64_t steps = 0;
  EnergyRow last{};
  double largest_force = 0;
  std::optional<DropletEventCounts> events{};  ///< of this part of a run with labels
  double seconds = 0;
  std::string timings{};                              ///< table by phase
  std::vector<std::filesystem::path> written{};       ///< output files
  std::optional<std::filesystem::path> checkpoint{};  ///< from which the run can resume
  std::optional<SelfCheckSummary> self_check{};       ///< if requested
};

/// Performs a whole run: reads the structure, opens the outputs, integrates, and writes checkpoints and the final
/// structure. If the run is interrupted, or ended by a failed self-check, these are of the last complete step. A
/// checkpoint is also written at the end, unless checkpoints are switched off, and always if the run was stopped before
/// its last step. A frame that the trajectory's format cannot hold ends the run in the same way, and run_job() then
/// throws UnfitFrame.
/// from: the contents of config.file if that is a checkpoint; the run resumes from it, in its files if it is in the
/// run's folder. null: a new run.
RunSummary run_job(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from = nullptr);

}  // namespace dropmd
