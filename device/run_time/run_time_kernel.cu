#include "device/run_time/run_time_kernel.cuh"

#include <map>
#include <mutex>

#include "device/run_time/nvrtc_library.cuh"
#include "device/run_time/shared_library.h"

namespace dropmd {

namespace {

/// The functions of the driver that load and launch binary code.
struct Driver {
  decltype(&cuModuleLoadData) load = nullptr;
  decltype(&cuModuleGetFunction) get_function = nullptr;
  decltype(&cuFuncSetAttribute) set_attribute = nullptr;
  decltype(&cuLaunchKernel) launch = nullptr;
  decltype(&cuGetErrorString) error_string = nullptr;
  bool complete = false;

  Driver() {
    const SharedLibrary library("libcuda.so.1");
    complete = library.find("cuModuleLoadData", load) && library.find("cuModuleGetFunction", get_function) &&
               library.find("cuFuncSetAttribute", set_attribute) && library.find("cuLaunchKernel", launch) &&
               library.find("cuGetErrorString", error_string);
  }
  static const Driver& loaded() {
    static const Driver driver;
    return driver;
  }
};

void check_driver(CUresult result, const char* doing) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  Driver::loaded().error_string(result, &text);
  throw DeviceError(std::string("CUDA: ") + (text != nullptr ? text : "unknown error") + " while " + doing);
}

int compute_capability(int device) {
  int major = 0, minor = 0;
  DROPMD_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "querying the device");
  DROPMD_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "querying the device");
  return 10 * major + minor;
}

/// Returns the function of a source, which is compiled and loaded when it is first asked for.
CUfunction function_of(const Cuda& cuda, const std::string& source, const char* name) {
  static std::mutex mutex;
  static std::map<std::pair<int, std::string>, CUfunction> all;
  const std::lock_guard lock(mutex);
  const std::pair key(cuda.stream.device(), source);
  if (const auto found = all.find(key); found != all.end()) return found->second;

  const std::string binary = compile_at_run_time(source, compute_capability(cuda.stream.device()));
  cuda.stream.activate();  // the driver loads into the context that the runtime makes current
  DROPMD_CUDA(cudaFree(nullptr), "starting the device");
  CUmodule loaded = nullptr;
  CUfunction function = nullptr;
  check_driver(Driver::loaded().load(&loaded, binary.data()), "loading a compiled kernel");
  check_driver(Driver::loaded().get_function(&function, loaded, name), "loading a compiled kernel");
  return all.emplace(key, function).first->second;
}

}  // namespace

const std::string& RunTimeKernel::problem() {
  static const std::string text = !NvrtcLibrary::loaded().problem.empty() ? NvrtcLibrary::loaded().problem
                                  : Driver::loaded().complete
                                      ? ""
                                      : "libcuda.so.1 not found, or too old (install NVIDIA's driver)";
  return text;
}

RunTimeKernel::RunTimeKernel(const Cuda& cuda, const std::string& source, const char* function, const Shape& shape)
    : shape_(shape) {
  if (!problem().empty()) throw DeviceError(problem());
  function_ = function_of(cuda, source, function);
  // More than 48 KiB must be requested.
  check_driver(Driver::loaded().set_attribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              static_cast<int>(shape.shared_bytes)),
               "preparing a compiled kernel");
}

void RunTimeKernel::launch(const Cuda& cuda, std::span<void*> arguments, const char* doing) const {
  check_driver(Driver::loaded().launch(function_, shape_.grid[0], shape_.grid[1], shape_.grid[2], shape_.block[0],
                                       shape_.block[1], shape_.block[2], shape_.shared_bytes, cuda.get(),
                                       arguments.data(), nullptr),
               doing);
}

}  // namespace dropmd
