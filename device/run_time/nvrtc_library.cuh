#pragma once

#include <nvrtc.h>

#include <string>

namespace dropmd {

/// The functions of NVRTC that RunTimeKernel uses, loaded when they are first needed.
struct NvrtcLibrary {
  /// Returns the library; `problem` says why it cannot be used, with the remedy, and is empty if it can.
  static const NvrtcLibrary& loaded();

  decltype(&nvrtcCreateProgram) create_program = nullptr;
  decltype(&nvrtcCompileProgram) compile_program = nullptr;
  decltype(&nvrtcDestroyProgram) destroy_program = nullptr;
  decltype(&nvrtcGetCUBINSize) get_cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) get_cubin = nullptr;
  decltype(&nvrtcGetProgramLogSize) get_log_size = nullptr;
  decltype(&nvrtcGetProgramLog) get_log = nullptr;
  decltype(&nvrtcGetErrorString) error_string = nullptr;
  std::string problem;

 private:
  NvrtcLibrary();
};

/// Compiles CUDA C++ for a compute capability (such as 90) and returns the binary; throws DeviceError with the
/// compiler's messages.
std::string compile_at_run_time(const std::string& source, int compute_capability);

}  // namespace dropmd
