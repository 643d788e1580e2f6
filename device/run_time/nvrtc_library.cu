#include "device/run_time/nvrtc_library.cuh"

#include <cuda_runtime.h>

#include <array>

#include "core/errors.h"
#include "device/run_time/shared_library.h"

namespace dropmd {

NvrtcLibrary::NvrtcLibrary() {
  const std::string major = std::to_string(CUDART_VERSION / 1000), name = "libnvrtc.so." + major;
  const std::string package = "cuda-nvrtc-" + major + '-' + std::to_string(CUDART_VERSION % 1000 / 10);
  const SharedLibrary library(name);
  if (!library.loaded()) {
    problem = name + " not found (install it, for example NVIDIA's package " + package +
              ", or add its folder to LD_LIBRARY_PATH)";
    return;
  }
  const bool complete =
      library.find("nvrtcCreateProgram", create_program) && library.find("nvrtcCompileProgram", compile_program) &&
      library.find("nvrtcDestroyProgram", destroy_program) && library.find("nvrtcGetCUBINSize", get_cubin_size) &&
      library.find("nvrtcGetCUBIN", get_cubin) && library.find("nvrtcGetProgramLogSize", get_log_size) &&
      library.find("nvrtcGetProgramLog", get_log) && library.find("nvrtcGetErrorString", error_string);
  if (!complete) problem = name + " lacks a function (install " + package + ")";
}

const NvrtcLibrary& NvrtcLibrary::loaded() {
  static const NvrtcLibrary library;
  return library;
}

std::string compile_at_run_time(const std::string& source, int compute_capability) {
  const NvrtcLibrary& nvrtc = NvrtcLibrary::loaded();
  if (!nvrtc.problem.empty()) throw DeviceError(nvrtc.problem);
  const auto check = [&](nvrtcResult result) {
    if (result != NVRTC_SUCCESS)
      throw DeviceError(std::string("NVRTC: ") + nvrtc.error_string(result) + " while compiling a kernel");
  };
  struct Program {
    nvrtcProgram handle = nullptr;
    ~Program() {
      if (handle != nullptr) NvrtcLibrary::loaded().destroy_program(&handle);
    }
  } program;
  check(nvrtc.create_program(&program.handle, source.c_str(), "kernel.cu", 0, nullptr, nullptr));
  // Binary code for the device itself: the driver need not know PTX of the compiler's version.
  const std::string architecture = "--gpu-architecture=sm_" + std::to_string(compute_capability);
  const std::array options{architecture.c_str()};
  const nvrtcResult result = nvrtc.compile_program(program.handle, static_cast<int>(options.size()), options.data());
  if (result != NVRTC_SUCCESS) {
    std::size_t size = 0;
    check(nvrtc.get_log_size(program.handle, &size));
    std::string log(size, '\0');
    check(nvrtc.get_log(program.handle, log.data()));
    throw DeviceError(std::string("NVRTC: ") + nvrtc.error_string(result) +
                      " while compiling a kernel: " + log.c_str());
  }
  std::size_t size = 0;
  check(nvrtc.get_cubin_size(program.handle, &size));
  std::string binary(size, '\0');
  check(nvrtc.get_cubin(program.handle, binary.data()));
  return binary;
}

}  // namespace dropmd
