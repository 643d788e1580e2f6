#pragma once

#include <cuda_runtime.h>

#include <string>

#include "device/device_info.h"

/// Translates CUDA's status codes for users, with the remedy; nothing here calls the driver. The meanings are those of
/// driver_types.h (CUDA 13).
namespace dropmd {

/// Returns why there is no device. status: of cudaGetDeviceCount, or cudaSuccess if it counted none. Versions are as in
/// DeviceReport.
std::string no_device_reason(cudaError_t status, int driver_version, int runtime_version);

/// Returns why the device cannot be used. status: of the first call that failed when it was probed.
std::string device_problem(const DeviceInfo& device, cudaError_t status);

/// Returns the message for a CUDA call that failed during work; `doing` completes "while ...".
std::string failed_call(cudaError_t status, const char* doing, const char* file, int line);

}  // namespace dropmd
