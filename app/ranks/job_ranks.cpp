#include "app/ranks/job_ranks.h"

#include <string>

#include "app/device_options.h"
#include "core/errors.h"

namespace dropmd {

JobRanks::JobRanks() {
  if (ranks_.size() == 1)
    throw UsageError(
        "several processes were started, but each finds itself alone (start them with this MPI's mpirun, or with srun "
        "and the plugin for it, such as srun --mpi=pmix)");
  for (const std::string& text : ranks_.gather(to_text(rank_view()))) views_.push_back(rank_view_of(text));
}

void require_no_named_devices(const GivenOptions& options) {
  if (options.has("device") || (options.has("devices") && !wants_all_devices(options)))
    throw UsageError(
        "ranks share the GPUs of their hosts among themselves (leave --device and --devices out; "
        "CUDA_VISIBLE_DEVICES limits what a rank sees)");
}

}  // namespace dropmd
