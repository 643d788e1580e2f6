#include "engine/executors/executor.h"

#include <utility>

#include "engine/executors/device_executor.h"
#include "engine/executors/host_executor.h"

namespace dropmd {

std::unique_ptr<Executor> make_executor(System& system, const RunSettings& config, const Method& method,
                                        std::size_t n_dof, Timings& timings) {
  if (std::unique_ptr<DeviceRun> run = make_device_run(system, config, method, n_dof))
    return std::make_unique<DeviceExecutor>(std::move(run), system, config, method, n_dof, timings);
  return std::make_unique<HostExecutor>(system, config, method, n_dof, timings);
}

}  // namespace dropmd
