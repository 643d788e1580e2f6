#include "engine/device/device_run.h"

#include <optional>
#include <string>

#include "core/errors.h"
#include "engine/device/device_run_of.cuh"
#include "engine/device/peers/peer_run.h"
#include "engine/ledger/causes.h"
#include "engine/methods/catalogue.h"
#include "integrators/integrator.h"
#include "integrators/integrator_forms.h"

/// Selects the type of run on a GPU and checks that there is enough memory for it.
namespace dropmd {

namespace {

/// Returns the memory that this process has freed but not given back to the device (reuse_memory()).
std::uint64_t kept_memory(int device) {
  cudaMemPool_t pool{};
  std::uint64_t reserved = 0, used = 0;
  DROPMD_CUDA(cudaDeviceGetDefaultMemPool(&pool, device), "asking for the kept memory");
  DROPMD_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved),
              "asking for the kept memory");
  DROPMD_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "asking for the kept memory");
  return reserved - used;
}

/// Returns the memory that a new run can have.
std::uint64_t free_memory(int device) {
  std::size_t free = 0, total = 0;
  DROPMD_CUDA(cudaMemGetInfo(&free, &total), "asking for the free memory");
  return free + kept_memory(device);
}

void require_memory(int device, std::uint64_t bytes) {
  DROPMD_CUDA(cudaSetDevice(device), "choosing the device");
  if (bytes <= free_memory(device)) return;
  // Memory that a previous run freed in stream order is returned to the device at a wait. This one also waits for the
  // runs that share the device.
  DROPMD_CUDA(cudaDeviceSynchronize(), "waiting for the memory of an earlier run");
  const std::uint64_t free = free_memory(device);
  if (bytes > free)
    throw DeviceError("the run needs " + std::to_string(bytes) + " bytes of memory on GPU " + std::to_string(device) +
                      ", where " + std::to_string(free) +
                      " are free (use fewer atoms, another --device, or --backend cpu)");
}

void require_memory(const System& system, const RunSettings& config, const Method& method) {
  const std::size_t n_atoms = system.particles.size();
  require_memory(method.device,
                 device_bytes(system, method) + ledger_device_bytes(atom_causes_of(config, system), n_atoms) +
                     (config.droplet ? DeviceClusterLabels::bytes(n_atoms) : 0) +
                     (method.devices.size() > 1 ? AtomOwnership<float>::bytes(system, method.devices.size()) : 0));
}

/// Constructs the run of one GPU. peer: of a run on several GPUs; else null.
std::unique_ptr<DeviceRun> make_run_of_gpu(const System& system, const RunSettings& config, const Method& method,
                                           std::size_t n_dof, const Peer* peer) {
  require_memory(system, config, method);
  std::unique_ptr<DeviceRun> run;
  with_integrator(config.integrator, [&]<class Motion>(std::type_identity<Motion>) {
    if (method.precision == Precision::mixed)
      run = std::make_unique<DeviceRunOf<float, Motion>>(system, config, method, n_dof, peer);
    else
      run = std::make_unique<DeviceRunOf<double, Motion>>(system, config, method, n_dof, peer);
  });
  return run;
}

/// Returns the method of a run on the first of several GPUs alone.
Method on_first_alone(Method method) {
  method.devices.clear();
  return method;
}

/// Whether the first of several GPUs of this process performs the run alone, by a kernel that stays on its
/// multiprocessors and does not exist for several GPUs: it is faster, and results do not depend on the number of GPUs.
bool suits_first_alone(const System& system, const RunSettings& config, const Method& method) {
  return method.devices.size() > 1 && !PersistentSteps::suits(system, config, method) &&
         DeviceRun::may_stay_on_share(system, config, on_first_alone(method));
}

/// Constructs a run on several GPUs, of this process or of ranks.
std::unique_ptr<DeviceRun> make_peer_run(const System& system, const RunSettings& config, const Method& method,
                                         std::size_t n_dof) {
  RunRanks* const ranks = method.ranks;
  if (ranks != nullptr) ranks->all_do([&] { require_memory(system, config, method); });
  const auto group = ranks != nullptr ? std::make_shared<PeerGroup>(*ranks, method.device)
                                      : std::make_shared<PeerGroup>(method.devices);
  const std::uint32_t first = ranks != nullptr ? static_cast<std::uint32_t>(ranks->rank()) : 0;
  // On several GPUs the persistent kernel works in the memory of all of them; on one GPU its results are the same.
  if (ranks == nullptr && !group->passes_packets() && PersistentSteps::suits(system, config, method)) {
    auto run = make_run_of_gpu(system, config, on_first_alone(method), n_dof, nullptr);
    run->set_why_alone("GPU " + std::to_string(method.device) +
                       " performs all steps of a droplet this small, since the GPUs cannot access each other's memory");
    return run;
  }
  const auto make = [=, &system, &config](std::uint32_t k) {
    const Peer peer{*group, first + k};
    Method of_peer = method;
    of_peer.device = group->device(peer.rank);
    return make_run_of_gpu(system, config, of_peer, n_dof, &peer);
  };
  return std::make_unique<PeerRun>(
      ranks != nullptr ? 1 : group->size(), make, [group] { group->abandon(); }, [group] { return group->describe(); },
      ranks);
}

}  // namespace

bool DeviceRun::may_be_persistent(const System& system, const RunSettings& config, const Method& method) {
  return PersistentSteps::suits(system, config, on_first_alone(method));
}

bool DeviceRun::may_stay_on_share(const System& system, const RunSettings& config, const Method& method) {
  return may_be_persistent(system, config, method) || TileSteps::suits(system, config, method);
}

std::unique_ptr<DeviceRun> make_device_run(const System& system, const RunSettings& config, const Method& method,
                                           std::size_t n_dof) {
  if (method.backend != Backend::cuda || system.particles.size() == 0) return nullptr;
  if (!method.has_peers()) return make_run_of_gpu(system, config, method, n_dof, nullptr);
  if (suits_first_alone(system, config, method)) {
    auto run = make_run_of_gpu(system, config, on_first_alone(method), n_dof, nullptr);
    const std::string first = std::to_string(method.device);
    run->set_why_alone("GPU " + first +
                       " performs all steps of a droplet this small, with a persistent kernel that several GPUs cannot "
                       "use (--device " +
                       first + ")");
    return run;
  }
  return make_peer_run(system, config, method, n_dof);
}

}  // namespace dropmd
