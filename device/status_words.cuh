#pragma once

#include <cuda_runtime.h>

#include <string>

#include "device/device_info.h"

/// What CUDA's statuses mean to a user, and what to do about them; nothing here calls the driver. The statuses'
/// meanings are those of driver_types.h (CUDA 13).
namespace dropmd {

/// Why there is no device: cudaGetDeviceCount's status, or cudaSuccess where it counted none. Versions as in
/// DeviceReport.
std::string no_device_reason(cudaError_t status, int driver_version, int runtime_version);

/// Why the device cannot be used: the status of the first call that failed while it was probed.
std::string device_problem(const DeviceInfo& device, cudaError_t status);

/// The message of a CUDA call that failed during work; `doing` completes "while ...".
std::string failed_call(cudaError_t status, const char* doing, const char* file, int line);

}  // namespace dropmd
