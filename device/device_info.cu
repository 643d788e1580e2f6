#include "device/device_info.h"

#include <cuda_runtime.h>

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

std::string bus_id_of(int device) {
  char text[32] = "";
  return cudaDeviceGetPCIBusId(text, sizeof(text), device) == cudaSuccess ? text : "";
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
                              bus_id_of(i),
                              {}});
  }
  return report;
}

void probe_device(DeviceInfo& device) {
  const cudaError_t status = try_device(device);
  cudaGetLastError();  // clears a failure, which is a valid answer here
  if (status != cudaSuccess) device.problem = device_problem(device, status);
}

}  // namespace dropmd
