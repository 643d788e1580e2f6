#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cuda.cuh"
#include "engine/persistent/persistent_steps.cuh"

namespace dropmd {

/// The shape of a launch of a persistent kernel.
struct PersistentGrid {
  std::uint32_t blocks, threads;
  std::size_t shared_bytes;       ///< dynamic shared memory of a block
  std::size_t most_shared_bytes;  ///< as much of it as any run may need: an attribute of the kernel, not of a run
};

/// Prepares a persistent kernel and returns its launch. The kernel takes the step, the arguments that are given first,
/// PersistentView, those that are given last, the tag, both steps and the sums.
template <class Kernel, class Table, class Physics, class Motion, class... Last>
auto persistent_launch(Kernel kernel, const PersistentGrid& grid, const Table& table, const Physics& physics,
                       const Motion& motion, const Last&... more) {
  DROPMD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(grid.most_shared_bytes)),
              "preparing persistent steps");
  return [=](const Cuda& on, const StepView<float>& step, const PersistentView& view, std::uint32_t tag,
             std::int64_t from, std::int64_t to, StepSums* d_sums) {
    if (grid.blocks == 0) return;  // one of several GPUs without atoms
    const auto launch = [&](auto... argument) {
      void* arguments[] = {&argument...};
      DROPMD_CUDA(cudaLaunchCooperativeKernel(kernel, dim3(grid.blocks), dim3(grid.threads), arguments,
                                              grid.shared_bytes, on.get()),
                  "performing persistent steps");
    };
    launch(step, table, physics, motion, view, more..., tag, static_cast<std::uint64_t>(from),
           static_cast<std::uint64_t>(to), d_sums);
  };
}

}  // namespace dropmd
