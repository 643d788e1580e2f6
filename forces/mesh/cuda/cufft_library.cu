#include "forces/mesh/cuda/cufft_library.cuh"

#include <cuda_runtime.h>
#include <dlfcn.h>

namespace dropmd {

namespace {

/// The library is looked for where the system's loader does, then in the usual folders of CUDA's packages, which the
/// loader need not know.
constexpr const char* kFolders[] = {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

CufftLibrary::CufftLibrary() {
  // A major version of cuFFT keeps its binary interface.
  const std::string name = "libcufft.so." + std::to_string(CUFFT_VER_MAJOR);
  const std::string package =
      "libcufft-" + std::to_string(CUDART_VERSION / 1000) + '-' + std::to_string(CUDART_VERSION % 1000 / 10);
  void* library = nullptr;
  for (const char* const folder : kFolders)
    if (library == nullptr) library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    problem_ = name + " not found, which a particle mesh on the GPU needs (install it, for example NVIDIA's package " +
               package + ", or add its folder to LD_LIBRARY_PATH, or use method = \"direct\")";
    return;
  }
  const bool complete = find(library, "cufftCreate", create) && find(library, "cufftDestroy", destroy) &&
                        find(library, "cufftSetAutoAllocation", set_auto_allocation) &&
                        find(library, "cufftSetWorkArea", set_work_area) &&
                        find(library, "cufftSetStream", set_stream) &&
                        find(library, "cufftMakePlanMany64", make_plan_many) &&
                        find(library, "cufftExecR2C", exec_r2c) && find(library, "cufftExecC2R", exec_c2r) &&
                        find(library, "cufftExecC2C", exec_c2c) && find(library, "cufftExecD2Z", exec_d2z) &&
                        find(library, "cufftExecZ2D", exec_z2d) && find(library, "cufftExecZ2Z", exec_z2z);
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
