#include "forces/mesh/cuda/transforms/cufft_library.cuh"

#include <cuda_runtime.h>

#include "device/run_time/shared_library.h"

namespace dropmd {

CufftLibrary::CufftLibrary() {
  const std::string name = "libcufft.so." + std::to_string(CUFFT_VER_MAJOR);
  const std::string package =
      "libcufft-" + std::to_string(CUDART_VERSION / 1000) + '-' + std::to_string(CUDART_VERSION % 1000 / 10);
  const SharedLibrary library(name);
  if (!library.loaded()) {
    problem_ = name +
               ", which a particle mesh on the GPU needs, was not found (install it, for example NVIDIA's package " +
               package + ", or add its folder to LD_LIBRARY_PATH, or use method = \"direct\")";
    return;
  }
  const bool complete = library.find("cufftCreate", create) && library.find("cufftDestroy", destroy) &&
                        library.find("cufftSetAutoAllocation", set_auto_allocation) &&
                        library.find("cufftSetWorkArea", set_work_area) && library.find("cufftSetStream", set_stream) &&
                        library.find("cufftMakePlanMany64", make_plan_many) && library.find("cufftExecR2C", exec_r2c) &&
                        library.find("cufftExecC2R", exec_c2r) && library.find("cufftExecC2C", exec_c2c) &&
                        library.find("cufftExecD2Z", exec_d2z) && library.find("cufftExecZ2D", exec_z2d) &&
                        library.find("cufftExecZ2Z", exec_z2z);
  if (!complete)
    problem_ =
        name + " lacks a function that a particle mesh needs (install " + package + ", or use method = \"direct\")";
}

const CufftLibrary& CufftLibrary::loaded() {
  static const CufftLibrary library;
  return library;
}

const std::string& CufftLibrary::problem() { return loaded().problem_; }

const CufftLibrary& CufftLibrary::get() {
  if (!problem().empty()) throw DeviceError(problem());
  return loaded();
}

void check_cufft(cufftResult result, const char* doing) {
  if (result == CUFFT_SUCCESS) return;
  if (result == CUFFT_ALLOC_FAILED)
    throw DeviceError(std::string("cuFFT: out of memory while ") + doing + " (a coarser mesh needs less)");
  throw DeviceError("cuFFT: error " + std::to_string(static_cast<int>(result)) + " while " + doing);
}

}  // namespace dropmd
