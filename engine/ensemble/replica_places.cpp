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

/// Returns the threads that the runs may have together: fewer than there are processors if others share the processors.
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

/// Returns the fewest shares for which kernels that stay on their multiprocessors pay: general steps make more runs at
/// once, which together are faster than fewer with these kernels. With molecules a general step has more kernels, and
/// two shares are already faster (docs/experiments.md).
std::size_t fewest_to_stay(const System& system) { return system.molecules ? 2 : 4; }

/// Fewer droplets, each with a kernel for the whole GPU, are faster in turn than side by side by general steps.
constexpr std::size_t kFewestSideBySide = 4;

/// Whether a kernel can stay on each of n shares of the multiprocessors; with n = 1 it has all of them.
bool may_stay(const System& system, const RunConfig& config, Method method, int all, std::size_t n) {
  method.multiprocessors = all / static_cast<int>(n);
  return method.multiprocessors > 0 && DeviceRun::may_stay_on_share(system, config, method);
}

/// Returns shares on which a kernel can stay: one for each run or, by halving their number, fewer and larger ones, as
/// long as enough are left. If it needs still more, the other runs would wait for its end: all then have shares on
/// which it cannot stay. In all other cases runs have all multiprocessors.
GpuShares equal_shares(const System& system, const RunConfig& config, const Method& method, int all,
                       std::optional<std::size_t> at_once, std::size_t most) {
  const std::size_t wanted = at_once.value_or(most);
  const auto share_of = [&](std::size_t n) { return GpuShares{n, all / static_cast<int>(n)}; };
  if (wanted > 1 && may_stay(system, config, method, all, wanted)) return share_of(wanted);
  if (!at_once)
    for (std::size_t n = wanted / 2; n >= fewest_to_stay(system); n /= 2)
      if (may_stay(system, config, method, all, n)) return share_of(n);
  const bool would_wait = wanted >= kFewestSideBySide && may_stay(system, config, method, all, 1);
  return would_wait && share_of(wanted).multiprocessors > 0 ? share_of(wanted) : GpuShares{wanted, 0};
}

/// Returns the shares that are best for all runs together.
/// n_runs: the most that the GPU has.
GpuShares shares_of_gpu(RunConfig config, const System& system, int device, std::size_t n_runs,
                        std::optional<std::size_t> at_once) {
  constexpr std::size_t kAtoms = 100'000, kMost = 32;
  config.backend = Backend::cuda;
  config.device = device;
  const DeviceInfo gpu = require_device(device);
  const std::size_t n_atoms = std::max<std::size_t>(1, system.particles.size());
  const Method method = choose_method(config, system.model, n_atoms);
  const std::size_t by_atoms = std::min(n_runs, std::clamp<std::size_t>(kAtoms / n_atoms, 1, kMost));
  GpuShares shares = config.multiprocessors > 0
                         ? GpuShares{at_once.value_or(static_cast<std::size_t>(
                                         std::max(1, gpu.multiprocessors / config.multiprocessors))),
                                     config.multiprocessors}
                         : equal_shares(system, config, method, gpu.multiprocessors, at_once, by_atoms);
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
  // Many polling threads keep each other from giving the GPUs work; 32 of 32 did (docs/performance.md).
  if (2 * places.size() > static_cast<std::size_t>(threads_of_all(config)))
    for (const int device : devices) let_waits_sleep(device);
  return places;
}

}  // namespace dropmd
