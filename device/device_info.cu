#include "device/device_info.h"

#include <cuda_runtime.h>

#include "device/check.cuh"
#include "device/status_words.cuh"

namespace dropmd {

namespace {

/// Querying its attributes loads it, which fails if this build has no code for the device.
__global__ void probe() {}

/// Returns the first failure when the device is used; sets memory_free.
cudaError_t try_device(DeviceInfo& device) {
  if (const cudaError_t status = cudaSetDevice(device.index); status != cudaSuccess) return status;
  std::size_t total = 0;
  if (const cudaError_t status = cudaMemGetInfo(&device.memory_free, &total); status != cudaSuccess) return status;
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, probe);
}

std::string text_of(const cudaUUID_t& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : uuid.bytes) {
    const auto bits = static_cast<unsigned char>(byte);
    text += {kDigits[bits >> 4U], kDigits[bits & 0xFU]};
  }
  return text;
}

}  // namespace

DeviceReport query_devices() {
  DeviceReport report;
  cudaRuntimeGetVersion(&report.runtime_version);
  if (cudaDriverGetVersion(&report.driver_version) != cudaSuccess || report.driver_version == 0) {
    report.reason = "no NVIDIA driver is installed";
    return report;
  }
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (status != cudaSuccess || count == 0) {
    report.reason = no_device_reason(status, report.driver_version, report.runtime_version);
    return report;
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) {
      report.reason = "device " + std::to_string(i) + ": " + cudaGetErrorString(cudaGetLastError());
      report.devices.clear();
      return report;
    }
    report.devices.push_back({i,
                              properties.name,
                              properties.major,
                              properties.minor,
                              properties.multiProcessorCount,
                              properties.totalGlobalMem,
                              0,
                              text_of(properties.uuid),
                              {}});
  }
  return report;
}

void let_waits_sleep(int device) {
  DROPMD_CUDA(cudaSetDevice(device), "choosing the device");
  DROPMD_CUDA(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), "setting how to wait for the device");
}

void probe_device(DeviceInfo& device) {
  const cudaError_t status = try_device(device);
  cudaGetLastError();  // clears a failure, which is a valid answer here
  if (status != cudaSuccess) device.problem = device_problem(device, status);
}

}  // namespace dropmd
