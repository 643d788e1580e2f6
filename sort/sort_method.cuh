#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/cuda.cuh"
#include "sort/segment_sort.cuh"

namespace dropmd {

/// A method to sort packed words on the GPU, to be benchmarked and tested against the others. Segments must be valid:
/// at best the methods leave faulty ones unsorted.
class SortMethod {
 public:
  SortMethod() = default;
  virtual ~SortMethod() = default;
  SortMethod(const SortMethod&) = delete;
  SortMethod& operator=(const SortMethod&) = delete;

  virtual std::string name() const = 0;
  /// Whether it can sort these segments, of at most `longest` keys, within the limits it was constructed for.
  virtual bool takes(const Segments& segments, int longest) const = 0;
  /// False for the plain copy, which is a bound and not a sort.
  virtual bool sorts() const { return true; }
  /// Whether `run` may be captured in a CUDA graph.
  virtual bool capturable() const { return true; }
  /// Enqueues the sort of d_in [n_keys] to d_out [n_keys], which are different arrays in device memory, like the
  /// offsets.
  virtual void run(const Cuda& cuda, const Segments& segments, const PackedWord* d_in, PackedWord* d_out) = 0;
};

/// Returns every method, the production sort ("dropmd") first and the copy last. Device memory is allocated here and
/// never during a sort, except for what CUB does internally. Ragged segments run in the kernel for limits.max_length.
std::vector<std::unique_ptr<SortMethod>> sort_methods(const Cuda& cuda, const SortLimits& limits);

}  // namespace dropmd
