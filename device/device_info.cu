#include "device/device_info.h"

#include <cuda_runtime.h>

namespace dropmd {

namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Whether this build holds code that the device can run: asks for the attributes of a kernel on it.
__global__ void probe() {}

bool has_code_for_current_device() {
  cudaFuncAttributes attributes{};
  const bool runs = cudaFuncGetAttributes(&attributes, probe) == cudaSuccess;
  cudaGetLastError();  // clears a failure, which is an answer here
  return runs;
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
  if (status == cudaErrorInsufficientDriver) {
    report.reason = "the NVIDIA driver supports CUDA " + version_text(report.driver_version) + ", this dropmd needs " +
                    version_text(report.runtime_version) + " (update the driver)";
    return report;
  }
  if (status != cudaSuccess || count == 0) {
    report.reason = status == cudaSuccess || status == cudaErrorNoDevice ? "the NVIDIA driver finds no GPU"
                                                                         : cudaGetErrorString(status);
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
                              {}});
  }
  return report;
}

void probe_device(DeviceInfo& device) {
  std::size_t total = 0;
  if (cudaSetDevice(device.index) != cudaSuccess || cudaMemGetInfo(&device.memory_free, &total) != cudaSuccess)
    device.problem = "device " + std::to_string(device.index) + ": " + cudaGetErrorString(cudaGetLastError());
  else if (!has_code_for_current_device())
    device.problem = device.name + " has compute capability " + std::to_string(device.major) + "." +
                     std::to_string(device.minor) + ", for which this dropmd holds no code (build it for that GPU)";
}

}  // namespace dropmd
