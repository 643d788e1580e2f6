#include "engine/ensemble/replica_places.h"

#include <algorithm>

#include "device/device_info.h"
#include "engine/available_threads.h"
#include "engine/device/device_run.h"
#include "engine/methods/catalogue.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"

namespace dropmd {

namespace {

/// Returns the threads that the runs may have together: fewer than there are processors if others share these.
int threads_of_all(const RunConfig& config) { return config.threads > 0 ? config.threads : available_threads(); }

std::vector<ReplicaPlace> cpu_places(RunConfig config, const System& system, std::size_t n_runs,
                                     std::optional<std::size_t> at_once) {
  const int all = threads_of_all(config);
  const std::size_t n = std::min(n_runs, at_once.value_or(static_cast<std::size_t>(all)));
  config.backend = Backend::cpu;
  config.threads = 0;
  const int useful = choose_method(config, system.model, system.particles.size()).cpu.threads;
  return std::vector<ReplicaPlace>(n, {std::nullopt, std::max(1, std::min(useful, all / static_cast<int>(n))), 0});
}

/// How runs share a GPU: their number, and the multiprocessors of each; 0: all.
struct GpuShares {
  std::size_t n;
  int multiprocessors;
};

/// Returns the most shares on which a kernel can stay, up to the number that runs may have; none if it cannot, or if
/// that number is given.
GpuShares shares_to_stay_on(const System& system, const RunConfig& config, Method method, int all,
                            std::optional<std::size_t> at_once, std::size_t most) {
  for (std::size_t n = at_once.value_or(most); n > 1; n = at_once ? 1 : n / 2) {
    method.multiprocessors = all / static_cast<int>(n);
    if (method.multiprocessors > 0 && DeviceRun::may_stay_on_share(system, config, method))
      return {n, method.multiprocessors};
  }
  return {0, 0};
}

/// Returns the shares that are to the advantage of all.
/// n_runs: that the GPU has at most.
GpuShares shares_of_gpu(RunConfig config, const System& system, int device, std::size_t n_runs,
                        std::optional<std::size_t> at_once) {
  constexpr std::size_t kAtoms = 100'000, kMost = 32;
  config.backend = Backend::cuda;
  config.device = device;
  const DeviceInfo gpu = require_device(device);
  const std::size_t n_atoms = std::max<std::size_t>(1, system.particles.size());
  const Method method = choose_method(config, system.model, n_atoms);
  const std::size_t by_atoms = std::min(n_runs, std::clamp<std::size_t>(kAtoms / n_atoms, 1, kMost));
  GpuShares shares{at_once.value_or(by_atoms), 0};
  if (config.multiprocessors > 0)
    shares = {at_once.value_or(static_cast<std::size_t>(std::max(1, gpu.multiprocessors / config.multiprocessors))),
              config.multiprocessors};
  else if (const GpuShares staying = shares_to_stay_on(system, config, method, gpu.multiprocessors, at_once, by_atoms);
           staying.n > 0)
    shares = staying;
  const std::uint64_t bytes = device_bytes(system, method);
  if (!at_once && bytes > 0) shares.n = std::clamp<std::size_t>(gpu.memory_free / bytes, 1, shares.n);
  return shares;
}

}  // namespace

std::vector<ReplicaPlace> replica_places(const RunConfig& config, const System& system, std::size_t n_runs,
                                         std::optional<std::size_t> at_once, std::span<const int> devices) {
  if (devices.empty()) return cpu_places(config, system, n_runs, at_once);
  std::vector<GpuShares> left;
  const std::size_t n_of_gpu = (n_runs + devices.size() - 1) / devices.size();
  for (const int device : devices) left.push_back(shares_of_gpu(config, system, device, n_of_gpu, at_once));
  std::vector<ReplicaPlace> places;
  // In turn, so that few runs use all GPUs.
  for (bool more = true; more && places.size() < n_runs;) {
    more = false;
    for (std::size_t k = 0; k < devices.size() && places.size() < n_runs; ++k) {
      if (left[k].n == 0) continue;
      --left[k].n;
      more = true;
      places.push_back({devices[k], config.threads, left[k].multiprocessors});
    }
  }
  // Many threads that poll keep each other from giving the GPUs work; 32 of 32 did (docs/performance.md).
  if (2 * places.size() > static_cast<std::size_t>(threads_of_all(config)))
    for (const int device : devices) let_waits_sleep(device);
  return places;
}

}  // namespace dropmd
