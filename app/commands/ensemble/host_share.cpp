#include "app/commands/ensemble/host_share.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <set>

#include "app/device_options.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "core/counted_noun.h"
#include "device/device_info.h"
#include "engine/available_threads.h"
#include "engine/ensemble/replica_places.h"

namespace dropmd {

namespace {

Backend backend_of(const GivenOptions& options, const RunConfig& config) {
  const Backend backend = options.has("backend") ? word_option(options, "backend", kBackendWords) : config.backend;
  if (options.has("devices") && backend == Backend::cpu)
    throw UsageError("--devices and --backend cpu cannot be combined");
  return backend;
}

/// Returns the GPUs of --devices, or the one of --device and the run file; none: the CPU, which the user is told of if
/// the choice was automatic. Throws DeviceError for a GPU that cannot be used.
HostShare whole_host(const GivenOptions& options, const RunConfig& config, Streams& streams) {
  const Backend backend = backend_of(options, config);
  if (backend == Backend::cpu) return {};
  HostShare share;
  if (!options.has("devices")) {
    const int device = options.has("device") ? whole_option(options, "device", 0) : config.device;
    std::string reason;
    if (backend == Backend::automatic && !find_device(device, reason)) {
      if (!options.has("quiet")) streams.live << "dropmd: no GPU is used: " << reason << '\n';
      return {};
    }
    share.devices = {device};
  } else {
    share.devices = devices_of(options);
  }
  for (const int device : share.devices) require_device(device);
  return share;
}

HostShare share_of_rank(const GivenOptions& options, const RunConfig& config, const JobRanks& job, Streams& streams) {
  require_no_named_devices(options);
  const RankShare share = job.share();
  if (backend_of(options, config) == Backend::cpu) return {{}, share.processor_sharers};
  if (!share.no_device.empty()) throw DeviceError("this rank has no GPU: " + share.no_device);
  if (share.devices.empty()) {
    HostShare host = whole_host(options, config, streams);  // says why there is no GPU, or throws
    host.processor_sharers = share.processor_sharers;
    return host;
  }
  for (const int device : share.devices) require_device(device);
  return {share.devices, share.processor_sharers};
}

}  // namespace

HostShare host_share(const GivenOptions& options, const RunConfig& config, const JobRanks* job, Streams& streams) {
  return job != nullptr ? share_of_rank(options, config, *job, streams) : whole_host(options, config, streams);
}

std::vector<ReplicaPlace> places_on_host(const GivenOptions& options, const RunConfig& config, const System& system,
                                         std::size_t n_runs, const JobRanks* job, Streams& streams) {
  const HostShare share = host_share(options, config, job, streams);
  std::optional<std::size_t> at_once;
  if (options.has("at-once")) at_once = whole_option<std::size_t>(options, "at-once", 1);
  RunConfig with_threads = config;
  if (options.has("threads")) with_threads.threads = whole_option(options, "threads", 0);
  if (with_threads.threads == 0 && share.processor_sharers > 1)
    with_threads.threads = std::max(1, available_threads() / share.processor_sharers);
  return replica_places(with_threads, system, job != nullptr ? job->runs_of_rank(n_runs) : n_runs, at_once,
                        share.devices);
}

bool is_on_gpus(std::span<const ReplicaPlace> places) { return !places.empty() && places.front().device.has_value(); }

std::string describe(std::span<const ReplicaPlace> places) {
  std::set<int> devices;
  for (const ReplicaPlace& place : places)
    if (place.device) devices.insert(*place.device);
  if (!devices.empty()) return fmt::format("{} {}", devices.size(), CountedNoun{"GPU", "GPUs"}.of(devices.size()));
  const auto threads = static_cast<std::size_t>(places.empty() ? 1 : places.front().threads);
  return fmt::format("the CPU, {} {} each", threads, CountedNoun{"thread", "threads"}.of(threads));
}

}  // namespace dropmd
