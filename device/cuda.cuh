#pragma once

#include "device/stream.cuh"

namespace dropmd {

/// Where work runs, on a GPU: in order on this stream. The first argument of everything that computes there.
struct Cuda {
  const Stream& stream;

  cudaStream_t get() const { return stream.get(); }
};

}  // namespace dropmd
