#pragma once

#include <cuda.h>

#include <array>
#include <span>
#include <string>

#include "device/cuda.cuh"

namespace dropmd {

/// A kernel whose source is made at run time and compiled by NVRTC (libnvrtc, a library of the CUDA Toolkit). NVRTC and
/// the driver are loaded when they are first needed: the program itself starts without either.
class RunTimeKernel {
 public:
  /// Blocks of a launch and their threads, and the shared memory of a block.
  struct Shape {
    std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
    unsigned shared_bytes = 0;
  };

  /// Returns why kernels cannot be compiled on this machine, with the remedy; empty if they can.
  static const std::string& problem();

  /// Compiles a source for the stream's device and loads it; throws DeviceError with the compiler's messages. Loaded
  /// code is kept until the program ends, so that the same source is compiled once for a device, and graphs may hold
  /// the kernel for as long as they like. Equal sources give equal code with one version of NVRTC on one device model.
  /// function: a name that is extern "C".
  RunTimeKernel(const Cuda& cuda, const std::string& source, const char* function, const Shape& shape);

  /// Enqueues a launch, which may be captured in a graph. arguments: pointers to the values of all parameters; doing
  /// completes "while ...".
  void launch(const Cuda& cuda, std::span<void*> arguments, const char* doing) const;

 private:
  CUfunction function_ = nullptr;
  Shape shape_;
};

}  // namespace dropmd
