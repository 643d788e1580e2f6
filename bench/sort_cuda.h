#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/sort_case.h"
#include "core/execution.h"

namespace dropmd {

/// What one method took for one case.
struct SortTime {
  std::string method;
  bool sorts = true;  ///< false: it only copies the keys
  double time_us = 0;
  std::optional<double> graph_node_us{};
};

/// Times the methods of sort/sort_method.cuh that are named and take the segments, in their own order, and checks what
/// each wrote (on the CPU's threads). Throws Error for a wrong result, DeviceError if the device cannot be used or this
/// build has no CUDA.
///
/// Times are the device's, by events: median of up to 51 runs, of fewer where a run is slow, after two to warm up. Runs
/// go round buffers that together are three times larger than the L2 cache, four at least. graph_node_us, of the
/// production sort: one sort within a CUDA graph that is a chain of sorts.
std::vector<SortTime> time_sorts_cuda(int device, const Cpu& cpu, const SortBenchSegments& segments,
                                      std::span<const std::string> methods);

}  // namespace dropmd
