#include "engine/ensemble/replica_places.h"

#include <algorithm>

#include "device/device_info.h"
#include "engine/available_threads.h"
#include "engine/methods/catalogue.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"

namespace dropmd {

namespace {

std::vector<ReplicaPlace> cpu_places(RunConfig config, const System& system, std::size_t n_runs,
                                     std::optional<std::size_t> at_once) {
  const int all = config.threads > 0 ? config.threads : available_threads();
  const std::size_t n = std::min(n_runs, at_once.value_or(static_cast<std::size_t>(all)));
  config.backend = Backend::cpu;
  config.threads = 0;
  const int useful = choose_method(config, system.model, system.particles.size()).cpu.threads;
  return std::vector<ReplicaPlace>(n, {std::nullopt, std::max(1, std::min(useful, all / static_cast<int>(n)))});
}

/// Returns how many runs share a GPU to the advantage of all.
std::size_t runs_of_gpu(RunConfig config, const System& system, int device) {
  constexpr std::size_t kAtoms = 100'000, kMost = 32;
  config.backend = Backend::cuda;
  config.device = device;
  const DeviceInfo gpu = require_device(device);
  const std::size_t n_atoms = std::max<std::size_t>(1, system.particles.size());
  const auto wanted =
      static_cast<std::size_t>(config.multiprocessors > 0 ? std::max(1, gpu.multiprocessors / config.multiprocessors)
                                                          : std::clamp<std::size_t>(kAtoms / n_atoms, 1, kMost));
  const std::uint64_t bytes = device_bytes(system, choose_method(config, system.model, n_atoms));
  return std::clamp<std::size_t>(bytes == 0 ? wanted : gpu.memory_free / bytes, 1, wanted);
}

}  // namespace

std::vector<ReplicaPlace> replica_places(const RunConfig& config, std::size_t n_runs,
                                         std::optional<std::size_t> at_once, std::span<const int> devices) {
  const System system = read_system_at_rest(config);
  if (devices.empty()) return cpu_places(config, system, n_runs, at_once);
  std::vector<std::size_t> left;
  for (const int device : devices) left.push_back(at_once.value_or(runs_of_gpu(config, system, device)));
  std::vector<ReplicaPlace> places;
  // In turn, so that few runs use all GPUs.
  for (bool more = true; more && places.size() < n_runs;) {
    more = false;
    for (std::size_t k = 0; k < devices.size() && places.size() < n_runs; ++k) {
      if (left[k] == 0) continue;
      --left[k];
      more = true;
      places.push_back({devices[k], config.threads});
    }
  }
  // Threads that poll would keep others from giving the GPUs work.
  if (places.size() > static_cast<std::size_t>(available_threads()))
    for (const int device : devices) let_waits_sleep(device);
  return places;
}

int share_of_gpu(std::span<const ReplicaPlace> places) {
  if (places.empty() || !places.front().device) return 0;
  const auto n = std::count_if(places.begin(), places.end(),
                               [&](const ReplicaPlace& place) { return place.device == places.front().device; });
  return n > 1 ? std::max(1, require_device(*places.front().device).multiprocessors / static_cast<int>(n)) : 0;
}

}  // namespace dropmd
