#pragma once

#include "device/stream.cuh"

namespace dropmd {

/// Execution on a GPU, in order on this stream; the first argument of every function that computes there.
struct Cuda {
  const Stream& stream;

  cudaStream_t get() const { return stream.get(); }
};

}  // namespace dropmd
