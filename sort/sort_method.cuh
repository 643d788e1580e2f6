#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/cuda.cuh"
#include "sort/segment_sort.cuh"

namespace dropmd {

/// One way to sort packed words on the GPU, to be benchmarked and tested against the others. Segments have no faults:
/// the methods leave faulty ones alone at best.
class SortMethod {
 public:
  SortMethod() = default;
  virtual ~SortMethod() = default;
  SortMethod(const SortMethod&) = delete;
  SortMethod& operator=(const SortMethod&) = delete;

  virtual std::string name() const = 0;
  /// Whether it can sort these segments, of at most `longest` keys, within the limits it was made for.
  virtual bool takes(const Segments& segments, int longest) const = 0;
  /// False for the plain copy, which is the limit and no sort.
  virtual bool sorts() const { return true; }
  /// Whether `run` may be captured in a CUDA graph.
  virtual bool capturable() const { return true; }
  /// Enqueues the sort of d_in [n_keys] to d_out [n_keys], different arrays, both in device memory as the offsets.
  virtual void run(const Cuda& cuda, const Segments& segments, const PackedWord* d_in, PackedWord* d_out) = 0;
};

/// Every method, the production sort ("dropmd") first and the copy last. Device memory is allocated here and never
/// while sorting, but for what CUB does inside. Ragged segments run in the kernel for limits.max_length.
std::vector<std::unique_ptr<SortMethod>> sort_methods(const Cuda& cuda, const SortLimits& limits);

}  // namespace dropmd
