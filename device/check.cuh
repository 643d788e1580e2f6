#pragma once

#include <cuda_runtime.h>

#include "core/errors.h"
#include "device/status_words.cuh"

namespace dropmd {

/// Throws DeviceError for a failed CUDA call; `doing` completes "while ...".
inline void check_cuda(cudaError_t status, const char* doing, const char* file, int line) {
  if (status != cudaSuccess) throw DeviceError(failed_call(status, doing, file, line));
}

}  // namespace dropmd

/// Checks a CUDA call; `doing` says what was being done.
#define DROPMD_CUDA(call, doing) ::dropmd::check_cuda((call), (doing), __FILE__, __LINE__)

/// Checks the preceding kernel launch.
#define DROPMD_CUDA_LAUNCHED(doing) DROPMD_CUDA(cudaGetLastError(), doing)
