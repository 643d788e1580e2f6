#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "device/cuda.cuh"

namespace dropmd {

/// Blocks that this process has in clusters, by device.
class ClusterRoom {
 public:
  /// Reserves blocks of a device, unless more than `most` would then be reserved; returns the reservation, or null.
  static std::shared_ptr<void> take(int device, int blocks, int most) {
    static ClusterRoom room;
    int* used = nullptr;
    {
      const std::scoped_lock lock(room.mutex_);
      used = &room.used_[device];
      if (*used + blocks > most) return nullptr;
      *used += blocks;
    }
    return {used, [blocks](int* of_device) {
              const std::scoped_lock lock(room.mutex_);
              *of_device -= blocks;
            }};
  }

 private:
  std::mutex mutex_;
  std::map<int, int> used_;
};

/// Launches of a kernel whose blocks all run at once, so that they can wait for each other: as a cluster, or as a
/// cooperative launch.
class GridLaunch {
 public:
  /// Launches of few blocks become clusters, whose barriers are faster, as far as a device has room for them: the
  /// blocks of a cluster are on multiprocessors that are close together. The kernel's barrier must suit (is_cluster()).
  template <class... Parameters>
  GridLaunch(const Cuda& cuda, void (*kernel)(Parameters...), std::uint32_t blocks, std::uint32_t threads,
             std::size_t shared_bytes)
      : kernel_(reinterpret_cast<const void*>(kernel)) {
    const char* const doing = "preparing a kernel";
    cuda.stream.activate();
    config_.gridDim = dim3(blocks);
    config_.blockDim = dim3(threads);
    config_.dynamicSmemBytes = shared_bytes;
    DROPMD_CUDA(
        cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
        doing);
    constexpr std::uint32_t kMostBlocks = 8;  // which all but small parts of a GPU allow
    constexpr int kFirstWithClusters = 90;
    cudaFuncAttributes code{};
    DROPMD_CUDA(cudaFuncGetAttributes(&code, kernel_), doing);
    if (blocks > kMostBlocks || code.ptxVersion < kFirstWithClusters) return;
    attribute_.id = cudaLaunchAttributeClusterDimension;
    attribute_.val.clusterDim = {blocks, 1, 1};
    cudaLaunchConfig_t config = config_;
    config.attrs = &attribute_;
    config.numAttrs = 1;
    int at_once = 0;
    const cudaError_t found = cudaOccupancyMaxActiveClusters(&at_once, kernel_, &config);
    if (found == cudaErrorInvalidClusterSize) {
      cudaGetLastError();
      return;
    }
    DROPMD_CUDA(found, doing);
    room_ = ClusterRoom::take(cuda.stream.device(), static_cast<int>(blocks), at_once * static_cast<int>(blocks));
  }

  /// Whether the blocks are a cluster.
  bool is_cluster() const { return room_ != nullptr; }

  /// Enqueues the kernel. arguments: addresses of all its arguments.
  void operator()(const Cuda& on, void** arguments, const char* doing) const {
    cudaLaunchAttribute attribute = attribute_;
    if (!is_cluster()) {
      attribute.id = cudaLaunchAttributeCooperative;
      attribute.val.cooperative = 1;
    }
    cudaLaunchConfig_t config = config_;
    config.stream = on.get();
    config.attrs = &attribute;
    config.numAttrs = 1;
    DROPMD_CUDA(cudaLaunchKernelExC(&config, kernel_, arguments), doing);
  }

 private:
  const void* kernel_;
  cudaLaunchConfig_t config_{};
  cudaLaunchAttribute attribute_{};
  std::shared_ptr<void> room_;  ///< of the cluster; null: there is none
};

}  // namespace dropmd
