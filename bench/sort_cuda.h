#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/sort_case.h"
#include "core/execution.h"

namespace dropmd {

/// The times of one method for one case.
struct SortTime {
  std::string method;
  bool sorts = true;  ///< false: it only copies the keys
  double time_us = 0;
  std::optional<double> graph_node_us{};
};

/// Times the named methods of sort/sort_method.cuh that support the segments, in their own order, and checks the output
/// of each (on the CPU's threads). Throws Error for a wrong result, DeviceError if the device cannot be used or this
/// build has no CUDA.
///
/// Times are device times from events: the median of up to 51 runs, fewer if a run is slow, after two for warm-up. Runs
/// alternate between buffers, at least four, that together are three times as large as the L2 cache. graph_node_us, of
/// the production sort: one sort in a CUDA graph that is a chain of sorts.
std::vector<SortTime> time_sorts_cuda(int device, const Cpu& cpu, const SortBenchSegments& segments,
                                      std::span<const std::string> methods);

}  // namespace dropmd
