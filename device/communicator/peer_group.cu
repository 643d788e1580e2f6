#include "device/communicator/peer_group.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/errors.h"
#include "device/check.cuh"
#include "device/communicator/run_ranks.h"
#include "device/device_info.h"
#include "device/loop_graph.cuh"
#include "device/pinned.cuh"

namespace dropmd {

namespace {

/// The rounding of results depends on the shapes of launches, which follow from these.
void require_alike(const DeviceInfo& first, const DeviceInfo& other) {
  if (first.name == other.name && first.multiprocessors == other.multiprocessors) return;
  throw DeviceError("GPUs " + std::to_string(first.index) + " (" + first.name + ") and " + std::to_string(other.index) +
                    " (" + other.name +
                    ") are not alike, so they cannot perform a run together (use one of them: --device)");
}

/// Throws in all ranks if they cannot use their GPUs together.
void require_gpus_of_ranks(RunRanks& ranks, int device) {
  DeviceInfo own;
  ranks.all_do([&] {
    if (const std::string problem = nccl_problem(); !problem.empty())
      throw DeviceError("processes add up forces by NCCL, which cannot be used: " + problem);
    own = require_device(device);
  });
  const std::vector<std::string> uuids = ranks.gather(own.uuid),
                                 kinds = ranks.gather(own.name + ", " + std::to_string(own.multiprocessors) +
                                                      " multiprocessors");
  for (std::size_t rank = 1; rank < uuids.size(); ++rank) {
    const auto same = std::find(uuids.begin(), uuids.end(), uuids[rank]) - uuids.begin();
    if (same != static_cast<std::ptrdiff_t>(rank))
      throw DeviceError("ranks " + std::to_string(same) + " and " + std::to_string(rank) +
                        " have the same GPU (start one rank for each GPU)");
    if (kinds[rank] != kinds[0])
      throw DeviceError("the GPUs of ranks 0 (" + kinds[0] + ") and " + std::to_string(rank) + " (" + kinds[rank] +
                        ") are not alike, so they cannot perform a run together (start ranks on GPUs that are alike)");
  }
}

/// Calls call(to, owner) for every two GPUs.
template <class Call>
void for_each_two(const std::vector<int>& devices, const Call& call) {
  for (const int to : devices)
    for (const int owner : devices)
      if (to != owner) call(to, owner);
}

/// Returns why the GPUs cannot access each other's memory; empty: they can.
std::string access_problem(const std::vector<int>& devices) {
  if (std::getenv("DROPMD_NO_PEER_MEMORY") != nullptr) return "DROPMD_NO_PEER_MEMORY is set";
  std::string problem;
  for_each_two(devices, [&](int to, int owner) {
    int can = 0;
    DROPMD_CUDA(cudaDeviceCanAccessPeer(&can, to, owner), "asking which GPUs see each other");
    if (can == 0) problem = "GPU " + std::to_string(to) + " cannot access the memory of GPU " + std::to_string(owner);
  });
  return problem;
}

/// Whether NVLink connects all of them: over PCIe GPUs have no atomic instructions on each other's memory.
bool all_by_nvlink(const std::vector<int>& devices) {
  bool all = true;
  for_each_two(devices, [&](int to, int owner) {
    int atomics = 0;
    DROPMD_CUDA(cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, to, owner),
                "asking how GPUs are connected");
    all = all && atomics != 0;
  });
  return all;
}

/// Gives a GPU access to the memory that buffers of another one have, now and later.
void give_access(int to, int owner) {
  cudaMemPool_t pool{};
  DROPMD_CUDA(cudaDeviceGetDefaultMemPool(&pool, owner), "letting GPUs see each other");
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = to;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  DROPMD_CUDA(cudaMemPoolSetAccess(pool, &access, 1), "letting GPUs see each other");
}

}  // namespace

struct PeerGroup::HostWord {
  Pinned<std::uint32_t> word;
};

PeerGroup::PeerGroup(std::vector<int> devices, std::size_t n_here)
    : devices_(std::move(devices)),
      n_here_(static_cast<std::uint32_t>(n_here)),
      word_(std::make_unique<HostWord>()),
      arriving_(devices_.size()),
      gathered_(devices_.size()) {
  *word_->word = 0;
  if (devices_.size() > kMost)
    throw DeviceError("at most " + std::to_string(kMost) + " GPUs can perform a run together, but " +
                      std::to_string(devices_.size()) + " are given (name fewer with --devices, or start fewer ranks)");
}

PeerGroup::PeerGroup(const std::vector<int>& devices) : PeerGroup(devices, devices.size()) {
  const DeviceInfo first = require_device(devices_.front());
  for (const int device : devices_) require_alike(first, require_device(device));
  const std::string problem = access_problem(devices_);
  if (problem.empty()) {
    for_each_two(devices_, give_access);
    passes_packets_ = all_by_nvlink(devices_);
    return;
  }
  if (const std::string no_nccl = nccl_problem(); !no_nccl.empty())
    throw DeviceError(problem + ", and NCCL cannot be used: " + no_nccl + " (or use one GPU: --device)");
  run_loops_on_host();
  nccl_ = std::make_unique<NcclPeers>(devices_);
}

PeerGroup::PeerGroup(RunRanks& ranks, int device)
    : PeerGroup(std::vector<int>(static_cast<std::size_t>(ranks.size()), -1), 1) {
  devices_[static_cast<std::size_t>(ranks.rank())] = device;
  nccl_ = ranks.connection([&] {
    require_gpus_of_ranks(ranks, device);
    DROPMD_CUDA(cudaSetDevice(device), "choosing the device");
    run_loops_on_host();
    return std::make_shared<NcclPeers>(ranks);
  });
}

PeerGroup::~PeerGroup() = default;

std::vector<void*> PeerGroup::gather(std::uint32_t rank, void* mine) {
  std::unique_lock lock(mutex_);
  const std::uint64_t round = round_;
  arriving_[rank] = mine;
  if (++arrived_ == n_here_) {
    gathered_ = arriving_;
    arrived_ = 0;
    ++round_;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return round_ != round || abandoned_; });
  if (round_ == round) throw DeviceError("another GPU of the run failed");
  return gathered_;
}

std::string PeerGroup::describe() const {
  if (publish_) return std::to_string(size()) + " GPUs publish positions in each other's memory";
  const std::string mesh = divided_mesh_ ? ", and divide the mesh" : "";
  if (own_atoms_) return std::to_string(size()) + " GPUs share the atoms, and exchange forces and positions" + mesh;
  std::string text = std::to_string(size()) + " GPUs" + (n_here_ < size() ? " of as many processes" : "") +
                     " add up forces " +
                     (nccl_ ? "by NCCL " + nccl_version() + ", with loops on the host" : "in each other's memory");
  if (sum_seconds_ > 0) {
    char time[32];
    std::snprintf(time, sizeof time, ", %.3g us a step", 1e6 * sum_seconds_);
    text += time;
  }
  return text + mesh;
}

void PeerGroup::abandon() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    abandoned_ = true;
    *static_cast<volatile std::uint32_t*>(word_->word.get()) = 1;
  }
  changed_.notify_all();
  if (nccl_) nccl_->abandon();
}

const std::uint32_t* PeerGroup::word_of_abandon() const { return word_->word.get(); }

}  // namespace dropmd
