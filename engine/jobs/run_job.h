#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "core/run/checkpoint.h"
#include "engine/methods/method.h"
#include "engine/methods/tuner.h"
#include "engine/self_check.h"
#include "engine/step_loop.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// How a run meets its surroundings.
struct RunHooks {
  std::ostream* progress = nullptr;  ///< none: no progress display
  bool terminal = false;             ///< `progress` is a terminal
  std::size_t columns = 80;
  bool overwrite = false;             ///< outputs that exist are replaced
  std::int64_t self_check_every = 0;  ///< steps between checks of the forces; 0: none
  std::optional<double> max_seconds;  ///< of wall time, in which the run is to end; none: as long as it takes
  std::function<bool()> stop = [] { return false; };
  std::function<void(const Method&, const System&)> started = [](const Method&, const System&) {};
  /// A line of the log of a run that is under way.
  std::function<void(std::int64_t step, const std::string& text)> said = [](std::int64_t, const std::string&) {};
  /// One for those who want to know more.
  std::function<void(std::int64_t step, const std::string& text)> detailed = [](std::int64_t, const std::string&) {};
  /// The checkpoint of a step is on the storage.
  std::function<void(std::int64_t step, const std::filesystem::path& checkpoint)> saved =
      [](std::int64_t, const std::filesystem::path&) {};
  std::optional<TunerPolicy> tuner;  ///< instead of the usual one
  /// Changes of the population, by ascending step. A run that resumes is given the same, or at least those that are
  /// still to come, as its checkpoint says; else run_job() throws InputError. Ids are then a column of the trajectory.
  std::vector<PopulationAction> actions{};
  std::function<void(const PopulationBooking&)> booked = [](const PopulationBooking&) {};
};

struct RunSummary {
  RunEnd end = RunEnd::finished;
  std::int64_t steps = 0;
  EnergyRow last{};
  double largest_force = 0;
  double seconds = 0;
  std::string timings{};                              ///< table by room
  std::vector<std::filesystem::path> written{};       ///< output files
  std::optional<std::filesystem::path> checkpoint{};  ///< from which the run can go on
  std::optional<SelfCheckSummary> self_check{};       ///< where it was asked for
};

/// A whole run: reads the structure, opens the outputs, integrates, writes checkpoints and the final structure. On an
/// interruption these are of the last complete step; so they are where a self-check fails, which ends the run. A
/// checkpoint is written at the end, too, unless there are to be none; where the run was stopped before its last step,
/// always.
/// from: what config.file, a checkpoint, says; the run goes on from there, in the files beside it where that is its
/// folder; null: a run starts.
RunSummary run_job(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from = nullptr);

}  // namespace dropmd
