#include "app/ranks/run_together.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <ostream>
#include <string>

#include "app/failure.h"
#include "app/shared_options.h"
#include "core/errors.h"
#include "engine/available_threads.h"

namespace dropmd {

namespace {

/// How long a rank that failed waits for the others to end as well. The first one may still be writing what was
/// computed before; but if a GPU failed, they can only wait for it.
constexpr double kSecondsForOthers = 60, kSecondsAfterDevice = 5;

/// Ends this rank's part after the exception that is being handled.
ExitStatus fail(JobRanks& job, Streams& streams) {
  double seconds = kSecondsForOthers;
  try {
    throw;
  } catch (const DeviceError&) {
    seconds = kSecondsAfterDevice;
  } catch (const std::exception&) {
  }
  const bool is_first = job.rank() == 0;
  ExitStatus status = ExitStatus::done;  // the first one tells how the run ended
  if (is_first) status = show_failure(streams);
  if (job.ranks().end_run(seconds)) return status;
  if (!is_first) {
    streams.err << fmt::format("dropmd: rank {} of {} on {} failed on its own:\n", job.rank(), job.size(),
                               job.host_of(job.rank()));
    status = show_failure(streams);
  }
  streams.err << std::flush;
  Ranks::end_job(status);
  return status;
}

}  // namespace

void set_rank_device(const GivenOptions& options, JobRanks& job, RunConfig& config) {
  require_no_named_devices(options);
  const Backend backend = options.has("backend") ? word_option(options, "backend", kBackendWords) : config.backend;
  if (backend == Backend::cpu)
    throw UsageError(
        "several processes perform a run together only on GPUs (on the CPU: one process, whose threads share the work; "
        "many runs: dropmd ensemble)");
  for (int rank = 0; rank < job.size(); ++rank) {
    const RankShare share = job.share_of(rank);
    if (!share.no_device.empty()) throw DeviceError(fmt::format("rank {} has no GPU: {}", rank, share.no_device));
    if (share.devices.empty())
      throw DeviceError(
          fmt::format("rank {} has no GPU: there is none on {} (dropmd info says why; on the CPU a run "
                      "needs one process)",
                      rank, job.host_of(rank)));
  }
  const RankShare share = job.share();
  config.device = share.devices.front();
  if (config.threads == 0 && share.processor_sharers > 1)
    config.threads = std::max(1, available_threads() / share.processor_sharers);
  config.devices.clear();
  config.backend = Backend::cuda;
  config.ranks = &job.ranks();
}

ExitStatus end_together(JobRanks& job, Streams& streams, const std::function<ExitStatus()>& part) {
  try {
    const ExitStatus status = part();
    job.ranks().end_run(std::numeric_limits<double>::infinity());
    return status;
  } catch (const RanksLeft&) {
    job.ranks().end_run(std::numeric_limits<double>::infinity());
    return ExitStatus::done;
  } catch (...) {
    return fail(job, streams);
  }
}

}  // namespace dropmd
