#include "engine/ensemble/replica_run.h"

#include <fmt/core.h>

#include <exception>
#include <fstream>
#include <new>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "engine/ensemble/replica_means.h"
#include "engine/jobs/resume.h"
#include "engine/jobs/run_checkpoint.h"
#include "engine/jobs/run_job.h"
#include "engine/jobs/run_log.h"
#include "engine/model/form_catalog.h"
#include "inputs/run_file/run_file.h"
#include "integrators/integrator.h"
#include "outputs/checkpoint/checkpoint_file.h"
#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

ReplicaState state_of(RunEnd end) {
  switch (end) {
    case RunEnd::finished:
      return ReplicaState::finished;
    case RunEnd::converged:
      return ReplicaState::converged;
    case RunEnd::dried_up:
      return ReplicaState::dried_up;
    case RunEnd::not_converged:
      return ReplicaState::not_converged;
    case RunEnd::out_of_tolerance:
      return ReplicaState::out_of_tolerance;
    case RunEnd::interrupted:
    case RunEnd::out_of_time:
      break;
  }
  return ReplicaState::stopped;
}

/// A run that lacked a file, disk space, memory or a GPU may be continued; one whose frames do not fit its trajectory
/// would fail again.
ReplicaState state_after(const Error& error) {
  const bool may_go_on = error.status() == ExitStatus::output || error.status() == ExitStatus::device ||
                         dynamic_cast<const MissingInput*>(&error) != nullptr;
  return may_go_on && dynamic_cast<const UnfitFrame*>(&error) == nullptr ? ReplicaState::stopped : ReplicaState::failed;
}

/// Throws OutputError if the file system cannot tell: a run that has checkpoints must not begin anew.
bool is_there(const fs::path& file) {
  std::error_code error;
  const bool found = fs::exists(file, error);
  if (error) throw OutputError(fmt::format("{}: {} (check the file system)", file.string(), error.message()));
  return found;
}

bool has_checkpoint(const fs::path& folder) {
  const fs::path latest = folder / "checkpoint.h5";
  return is_there(latest) || is_there(previous_checkpoint(latest));
}

/// What a run begins with: its run file or, if it has one, its last checkpoint.
struct ReplicaStart {
  RunConfig config;
  std::optional<Checkpoint> from{};
};

ReplicaStart read_start(const fs::path& folder) {
  if (!has_checkpoint(folder)) return {read_run_file(folder / kReplicaRunFile, form_catalog())};
  ResumedRun resumed = resume_run(folder);
  return {std::move(resumed.config), std::move(resumed.from)};
}

/// A run of a folder, new or resumed.
class ReplicaRun {
 public:
  /// log: receives the lines that `dropmd run` would show.
  ReplicaRun(const fs::path& folder, const ReplicaPlace& place, std::ostream& log)
      : start_(read_start(folder)),
        timestep_(make_integrator(config().integrator, units_of(config().units), {})->timestep()),
        log_(log) {
    config().backend = place.device ? Backend::cuda : Backend::cpu;
    config().device = place.device.value_or(0);
    config().threads = place.threads;
    config().output_directory = folder;  // that of the run file may be where the ensemble was before
  }

  void run(const ReplicaHooks& of_replica, ReplicaResult& result) {
    const auto reached = [&](std::int64_t step) {
      result.steps = step;
      result.time = static_cast<double>(step) * timestep_;
    };
    if (start_.from) reached(start_.from->state.step);
    RunHooks hooks = this->hooks(of_replica);
    hooks.reached = [&](std::int64_t step) {
      reached(step);
      of_replica.reached(step);
    };
    const RunSummary summary = run_job(config(), hooks, start_.from ? &*start_.from : nullptr);
    log_ << summary.timings;
    log_end(log_, summary, units_of(config().units));
    result.state = state_of(summary.end);
    result.steps = summary.steps;
    result.time = summary.last.time;
    if (result.state == ReplicaState::out_of_tolerance) result.message = "the self-check found wrong forces";
    if (result.state == ReplicaState::dried_up) result.message = "a single molecule is left";
    if (result.state == ReplicaState::not_converged) result.message = "the largest force is still too large";
  }

 private:
  RunHooks hooks(const ReplicaHooks& of_replica) {
    RunHooks hooks;
    hooks.overwrite = true;
    hooks.stop = of_replica.stop;
    hooks.max_seconds = of_replica.seconds_left();
    hooks.started = [this](const Method& method, const System& system) {
      for (const std::string& warning : config().warnings) log_ << "dropmd: warning: " << warning << '\n';
      for (const std::string& warning : system.warnings) log_ << "dropmd: warning: " << warning << '\n';
      log_start(log_, config(), method, system, start_.from ? std::optional(start_.from->state.step) : std::nullopt);
    };
    hooks.said = [this](std::int64_t step, const std::string& text) {
      log_ << "step " << step << ": " << text << std::endl;
    };
    return hooks;
  }

  RunConfig& config() { return start_.config; }

  ReplicaStart start_;
  double timestep_;  ///< 0: a minimiser
  std::ostream& log_;
};

}  // namespace

RunConfig replica_config(const fs::path& folder) {
  try {
    return read_run_file(folder / kReplicaRunFile, form_catalog());
  } catch (const InputError&) {
    if (!has_checkpoint(folder)) throw;
  }
  return read_start(folder).config;
}

System replica_system(const fs::path& folder) {
  const ReplicaStart start = read_start(folder);
  return start.from ? continued_system(start.config, *start.from) : read_system_at_rest(start.config);
}

void set_end(ReplicaResult& result, const std::exception_ptr& failure) {
  const auto set = [&](ReplicaState state, ExitStatus status, const char* message) {
    result.state = state;
    result.status = status;
    result.message = message;
  };
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    set(state_after(error), error.status(), error.what());
  } catch (const std::bad_alloc&) {
    set(ReplicaState::stopped, ExitStatus::output, "not enough memory (perform fewer runs at once: --at-once)");
  } catch (const std::system_error& error) {  // such as a file system that is unavailable for a moment
    set(ReplicaState::stopped, ExitStatus::output, error.what());
  } catch (const std::exception& error) {
    set(ReplicaState::failed, ExitStatus::input, error.what());
  }
}

ReplicaResult run_replica(const fs::path& folder, const ReplicaPlace& place, std::int64_t means_from,
                          const ReplicaHooks& hooks) {
  ReplicaResult result;
  std::ofstream log;  // not a result: failures to write it are ignored
  try {
    log.open(folder / "log.txt", has_checkpoint(folder) ? std::ios::app : std::ios::trunc);
    ReplicaRun(folder, place, log).run(hooks, result);
  } catch (const std::exception&) {
    set_end(result, std::current_exception());
    log << "dropmd: error: " << result.message << '\n';
  }
  try {
    result.means = replica_means(folder, means_from);
  } catch (const std::exception& error) {
    if (result.message.empty()) result.message = error.what();
  }
  return result;
}

}  // namespace dropmd
