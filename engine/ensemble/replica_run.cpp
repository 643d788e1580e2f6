#include "engine/ensemble/replica_run.h"

#include <exception>
#include <fstream>
#include <new>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "engine/ensemble/replica_means.h"
#include "engine/jobs/resume.h"
#include "engine/jobs/run_job.h"
#include "engine/jobs/run_log.h"
#include "engine/model/form_catalog.h"
#include "inputs/run_file/run_file.h"
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

/// A run that lacked disk space, memory or a GPU may be continued; one whose frames do not fit its trajectory would
/// fail again.
ReplicaState state_after(const Error& error) {
  const bool may_go_on = error.status() == ExitStatus::output || error.status() == ExitStatus::device;
  return may_go_on && dynamic_cast<const UnfitFrame*>(&error) == nullptr ? ReplicaState::stopped : ReplicaState::failed;
}

bool has_checkpoint(const fs::path& folder) {
  const fs::path latest = folder / "checkpoint.h5";
  return fs::exists(latest) || fs::exists(previous_checkpoint(latest));
}

/// A run of a folder, new or resumed.
class ReplicaRun {
 public:
  ReplicaRun(const fs::path& folder, const ReplicaPlace& place)
      : resumed_(has_checkpoint(folder) ? std::optional(resume_run(folder)) : std::nullopt),
        config_(resumed_ ? resumed_->config : read_run_file(folder / kReplicaRunFile, form_catalog())),
        log_(folder / "log.txt", resumed_ ? std::ios::app : std::ios::trunc) {
    config_.backend = place.device ? Backend::cuda : Backend::cpu;
    config_.device = place.device.value_or(0);
    config_.threads = place.threads;
    config_.output_directory = folder;  // that of the run file may be where the ensemble was before
  }

  void run(const ReplicaHooks& of_replica, ReplicaResult& result) {
    const RunSummary summary = run_job(config_, hooks(of_replica), resumed_ ? &resumed_->from : nullptr);
    result.state = state_of(summary.end);
    result.steps = summary.steps;
    result.time = summary.last.time;
    if (result.state == ReplicaState::out_of_tolerance) result.message = "the self-check found wrong forces";
    if (result.state == ReplicaState::not_converged) result.message = "the largest force is still too large";
  }

 private:
  RunHooks hooks(const ReplicaHooks& of_replica) {
    RunHooks hooks;
    hooks.overwrite = true;
    hooks.stop = of_replica.stop;
    hooks.reached = of_replica.reached;
    hooks.max_seconds = of_replica.seconds_left();
    hooks.started = [this](const Method& method, const System& system) {
      for (const std::string& warning : config_.warnings) log_ << "dropmd: warning: " << warning << '\n';
      for (const std::string& warning : system.warnings) log_ << "dropmd: warning: " << warning << '\n';
      log_start(log_, config_, method, system, resumed_ ? std::optional(resumed_->from.state.step) : std::nullopt);
    };
    hooks.said = [this](std::int64_t step, const std::string& text) {
      log_ << "step " << step << ": " << text << std::endl;
    };
    return hooks;
  }

  std::optional<ResumedRun> resumed_;
  RunConfig config_;
  std::ofstream log_;  ///< no result: failures to write it are ignored
};

}  // namespace

ReplicaResult run_replica(const fs::path& folder, const ReplicaPlace& place, std::int64_t means_from,
                          const ReplicaHooks& hooks) {
  ReplicaResult result;
  ReplicaHooks noting = hooks;
  noting.reached = [&](std::int64_t step) {
    result.steps = step;
    hooks.reached(step);
  };
  const auto fail = [&](ReplicaState state, ExitStatus status, const std::string& message) {
    result.state = state;
    result.status = status;
    result.message = message;
  };
  try {
    ReplicaRun(folder, place).run(noting, result);
  } catch (const Error& error) {
    fail(state_after(error), error.status(), error.what());
  } catch (const std::bad_alloc&) {
    fail(ReplicaState::stopped, ExitStatus::output, "not enough memory (fewer runs at once: --at-once)");
  } catch (const std::system_error& error) {  // such as a file system that is away for a moment
    fail(ReplicaState::stopped, ExitStatus::output, error.what());
  } catch (const std::exception& error) {
    fail(ReplicaState::failed, ExitStatus::input, error.what());
  }
  try {
    result.means = replica_means(folder, means_from);
  } catch (const std::exception& error) {
    if (result.message.empty()) result.message = error.what();
  }
  return result;
}

}  // namespace dropmd
