#include "device/status_words.cuh"

namespace dropmd {

namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

const char* remedy_at_start(cudaError_t status) {
  switch (status) {
    case cudaErrorInsufficientDriver:
      return " (update the driver)";
    case cudaErrorSystemDriverMismatch:
      return " (restart the machine, or reinstall the driver)";
    case cudaErrorSystemNotReady:
      return " (start the driver's services, such as nvidia-fabricmanager)";
    case cudaErrorStubLibrary:
      return " (remove the CUDA toolkit's folder of stubs from LD_LIBRARY_PATH)";
    default:
      return " (see nvidia-smi)";
  }
}

const char* remedy_at_work(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return " (use fewer atoms, another --device, or --backend cpu)";
    // Not caused by a program: failed memory or links, or a GPU or server that is gone. A GPU that no longer responds
    // reports cudaErrorUnknown.
    case cudaErrorDevicesUnavailable:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorMpsClientTerminated:
    case cudaErrorUnknown:
      return " (the GPU was lost: see nvidia-smi or dmesg, then start again)";
    case cudaErrorLaunchTimeout:
      return " (the display's watchdog ended a kernel: use a GPU without a display)";
    // The results of mistakes in a kernel; a failing GPU may look the same.
    case cudaErrorIllegalAddress:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return " (a defect in dropmd, or rarely in the GPU: please report it with the output of dmesg)";
    default:
      return "";
  }
}

}  // namespace

std::string no_device_reason(cudaError_t status, int driver_version, int runtime_version) {
  if (status == cudaSuccess || status == cudaErrorNoDevice)
    return "the NVIDIA driver finds no GPU (see nvidia-smi and CUDA_VISIBLE_DEVICES)";
  std::string reason = std::string("the NVIDIA driver does not start: ") + cudaGetErrorString(status);
  if (status == cudaErrorInsufficientDriver && driver_version < runtime_version)
    reason = "the NVIDIA driver supports CUDA " + version_text(driver_version) + ", but this dropmd needs " +
             version_text(runtime_version);
  return reason + remedy_at_start(status);
}

std::string device_problem(const DeviceInfo& device, cudaError_t status) {
  const std::string no_code = device.name + " has compute capability " + std::to_string(device.major) + "." +
                              std::to_string(device.minor) + ", for which this dropmd has no ";
  switch (status) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      return no_code + "code (build it for that GPU)";
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
      return no_code + "native code, and the driver does not compile it: " + cudaGetErrorString(status) +
             " (build dropmd for that GPU, or update the driver)";
    default:
      return "device " + std::to_string(device.index) + ": " + cudaGetErrorString(status) + remedy_at_start(status);
  }
}

std::string failed_call(cudaError_t status, const char* doing, const char* file, int line) {
  return std::string("CUDA: ") + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ") while " + doing +
         " [" + file + ":" + std::to_string(line) + "]" + remedy_at_work(status);
}

}  // namespace dropmd
