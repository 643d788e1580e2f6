#include "forces/mesh/cuda/transforms/vkfft_source.h"

#include "core/errors.h"
#include "forces/mesh/cuda/transforms/vkfft_parameters.h"

#if DROPMD_HAS_VKFFT

#include <cuda.h>
#include <cuda_runtime.h>
#include <locale.h>
#include <nvrtc.h>
#include <stdio.h>

#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

/// VkFFT by itself compiles and launches its kernels. Here it only writes them: the functions of NVRTC, the driver and
/// the runtime that it calls by name are replaced by these, which record what it wants. So nothing depends on a GPU,
/// and the kernels are compiled and launched like all others.
namespace vkfft_recorder {
namespace {

struct Recorder {
  std::vector<std::string> sources{};
  std::vector<dropmd::VkfftKernel> launches{};
  std::string messages{};
};
thread_local Recorder* recorder = nullptr;

/// The handle of a program, a module or a function is the number of its source, from 1.
template <class Handle>
Handle handle_of(std::size_t number) {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));
}
template <class Handle>
std::size_t number_of(Handle handle) {
  return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(handle));
}

nvrtcResult create_program(nvrtcProgram* program, const char* source, const char*, int, const char* const*,
                           const char* const*) {
  recorder->sources.emplace_back(source);
  *program = handle_of<nvrtcProgram>(recorder->sources.size());
  return NVRTC_SUCCESS;
}
nvrtcResult compile_program(nvrtcProgram, int, const char* const*) { return NVRTC_SUCCESS; }
nvrtcResult get_code_size(nvrtcProgram, size_t* size) {
  *size = sizeof(nvrtcProgram);
  return NVRTC_SUCCESS;
}
nvrtcResult get_code(nvrtcProgram program, char* code) {
  std::memcpy(code, &program, sizeof program);
  return NVRTC_SUCCESS;
}
nvrtcResult destroy_program(nvrtcProgram*) { return NVRTC_SUCCESS; }
nvrtcResult get_log(nvrtcProgram, char*) { return NVRTC_ERROR_INTERNAL_ERROR; }
const char* error_string(nvrtcResult) { return "no error"; }

/// The limits that all GPUs from compute capability 7.5 on have in common, and the shared memory that may be used.
CUresult get_attribute(int* value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      *value = 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      *value = 64;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      *value = 2147483647;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      *value = 65535;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = dropmd::VkfftTuning::kSharedBytes;
      break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult load_module(CUmodule* loaded, const void* code, unsigned, CUjit_option*, void**) {
  std::memcpy(loaded, code, sizeof *loaded);
  return CUDA_SUCCESS;
}
CUresult unload_module(CUmodule) { return CUDA_SUCCESS; }
CUresult get_function(CUfunction* function, CUmodule from, const char*) {
  *function = handle_of<CUfunction>(number_of(from));
  return CUDA_SUCCESS;
}
CUresult set_attribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
/// Constants and copies of constants would be needed for grids beyond the limits or for offsets.
CUresult get_global(CUdeviceptr*, size_t*, CUmodule, const char*) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult copy_to_device(CUdeviceptr, const void*, size_t) { return CUDA_ERROR_NOT_SUPPORTED; }

CUresult launch(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream, void**, void**) {
  dropmd::VkfftKernel kernel{recorder->sources.at(number_of(function) - 1),
                             {grid_x, grid_y, grid_z},
                             {block_x, block_y, block_z},
                             shared_bytes};
  kernel.multiplies = kernel.source.find("kernel_obj") != std::string::npos;
  recorder->launches.push_back(std::move(kernel));
  return CUDA_SUCCESS;
}

/// Memory would be needed for tables of roots of unity or for lines of several passes.
template <class T>
cudaError_t allocate(T**, size_t) {
  return cudaErrorNotSupported;
}
cudaError_t copy(const void*, const void*, size_t, cudaMemcpyKind) { return cudaErrorNotSupported; }
cudaError_t release(void*) { return cudaSuccess; }

/// VkFFT prints what went wrong.
int add_message(const char* format, ...) {
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  recorder->messages += text;
  return length;
}

/// VkFFT sets the process's locale to "C" while it writes numbers, then restores it. Here this is done for the thread.
char* keep_locale(int, const char*) { return nullptr; }

class CLocale {
 public:
  CLocale() : c_(newlocale(LC_ALL_MASK, "C", nullptr)), before_(uselocale(c_)) {}
  ~CLocale() {
    uselocale(before_);
    freelocale(c_);
  }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  locale_t c_, before_;
};

}  // namespace
}  // namespace vkfft_recorder

#undef cuMemcpyHtoD
#undef cuModuleGetGlobal
#define nvrtcCreateProgram vkfft_recorder::create_program
#define nvrtcCompileProgram vkfft_recorder::compile_program
#define nvrtcGetPTXSize vkfft_recorder::get_code_size
#define nvrtcGetPTX vkfft_recorder::get_code
#define nvrtcDestroyProgram vkfft_recorder::destroy_program
#define nvrtcGetProgramLog vkfft_recorder::get_log
#define nvrtcGetErrorString vkfft_recorder::error_string
#define cuDeviceGetAttribute vkfft_recorder::get_attribute
#define cuModuleLoadDataEx vkfft_recorder::load_module
#define cuModuleUnload vkfft_recorder::unload_module
#define cuModuleGetFunction vkfft_recorder::get_function
#define cuModuleGetGlobal vkfft_recorder::get_global
#define cuFuncSetAttribute vkfft_recorder::set_attribute
#define cuMemcpyHtoD vkfft_recorder::copy_to_device
#define cuLaunchKernel vkfft_recorder::launch
#define cudaMalloc vkfft_recorder::allocate
#define cudaMemcpy vkfft_recorder::copy
#define cudaFree vkfft_recorder::release
#define printf vkfft_recorder::add_message
#define setlocale vkfft_recorder::keep_locale
#define VKFFT_BACKEND 1  // CUDA
#include <vkFFT.h>
#undef printf

namespace dropmd {

namespace {

/// Owns the plan. Where VkFFT fails, it deletes the plan itself.
struct Application {
  VkFFTApplication app{};
  bool made = false;

  ~Application() {
    if (made) deleteVkFFT(&app);
  }
};

void check(VkFFTResult result, const vkfft_recorder::Recorder& recorder) {
  if (result != VKFFT_SUCCESS)
    throw DeviceError("VkFFT: error " + std::to_string(static_cast<int>(result)) + " while writing kernels " +
                      recorder.messages);
}

/// Returns the memory of all complex values, bytes. Indices have 32 bits below kMostBytes.
std::uint64_t complex_bytes(const std::array<int, 3>& length) {
  const auto wide = [](int n) { return static_cast<std::uint64_t>(n); };
  return 8 * wide(length[0]) * wide(length[1]) * wide(length[2] / 2 + 1);
}
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 34;

/// VkFFT's axes 0, 1 and 2 are z, y and x.
VkFFTConfiguration configuration(const std::array<int, 3>& points, const std::array<int, 3>& length) {
  const auto wide = [](int n) { return static_cast<std::uint64_t>(n); };
  VkFFTConfiguration chosen{};
  chosen.FFTdim = 3;
  chosen.performR2C = 1;
  chosen.performConvolution = 1;
  // The kernel of a convolution divides by the length of its axis in any case; this makes the others do so, too.
  chosen.normalize = 1;
  chosen.coalescedMemory = wide(VkfftTuning::kCoalescedBytes);
  chosen.aimThreads = wide(VkfftTuning::kThreads);
  const std::array<int, 3> end{points[2], vkfft_rows(points[1]), points[0]};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    chosen.size[axis] = wide(length[2 - axis]);
    chosen.performZeropadding[axis] = 1;
    chosen.fft_zeropad_left[axis] = wide(end[axis]);
    chosen.fft_zeropad_right[axis] = wide(length[2 - axis]);
  }
  return chosen;
}

/// VkFFT starts blocks for all lines, and those outside of the box end at once. The kernels along z and y have a layer
/// of blocks for each plane of x, and those along z a row of blocks for some rows of each plane.
void leave_out_empty_blocks(std::vector<VkfftKernel>& kernels, const VkFFTConfiguration& chosen,
                            const VkFFTApplication& app) {
  for (const std::size_t k : {0, 1, 3, 4}) kernels[k].grid[2] = static_cast<unsigned>(chosen.fft_zeropad_left[2]);
  for (const std::size_t k : {0, 4}) {
    const VkFFTAxis& axis = (k == 0 ? app.localFFTPlan : app.localFFTPlan_inverse)->axes[0][0];
    const std::uint64_t rows = axis.axisBlock[1] * (axis.specializationConstants.mergeSequencesR2C != 0 ? 2 : 1);
    kernels[k].grid[1] = static_cast<unsigned>((chosen.fft_zeropad_left[1] + rows - 1) / rows);
  }
}

}  // namespace

const std::string& vkfft_problem() {
  static const std::string none;
  return none;
}

bool vkfft_serves(const std::array<int, 3>& length) {
  // A block holds as many lines of x or y as an access has complex values, but one line of z.
  constexpr int kComplexBytes = 8;
  constexpr int kMost = VkfftTuning::kSharedBytes / VkfftTuning::kCoalescedBytes,
                kMostAlongZ = VkfftTuning::kSharedBytes / kComplexBytes;
  return length[0] <= kMost && length[1] <= kMost && length[2] <= kMostAlongZ && complex_bytes(length) < kMostBytes;
}

namespace {

std::vector<VkfftKernel> write_kernels(const std::array<int, 3>& points, const std::array<int, 3>& length) {
  const vkfft_recorder::CLocale locale;
  vkfft_recorder::Recorder recorder;
  vkfft_recorder::recorder = &recorder;
  VkFFTConfiguration chosen = configuration(points, length);
  CUdevice device = 0;
  cudaStream_t stream = nullptr;
  std::uint64_t bytes = complex_bytes(length);
  void *values = nullptr, *influence = nullptr;
  chosen.device = &device;
  chosen.stream = &stream;
  chosen.num_streams = 1;
  chosen.bufferSize = chosen.kernelSize = &bytes;
  Application plan;
  check(initializeVkFFT(&plan.app, chosen), recorder);
  plan.made = true;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (plan.app.localFFTPlan->numAxisUploads[axis] != 1 || plan.app.localFFTPlan_inverse->numAxisUploads[axis] != 1)
      throw DeviceError("VkFFT: lines of " + std::to_string(length[2 - axis]) + " points take several passes");
  VkFFTLaunchParams launch{};
  launch.buffer = &values;
  launch.kernel = &influence;
  check(VkFFTAppend(&plan.app, -1, &launch), recorder);

  std::vector<VkfftKernel>& kernels = recorder.launches;
  if (kernels.size() != 5 || !kernels[2].multiplies)
    throw DeviceError("VkFFT: a convolution has an unknown number of kernels");
  leave_out_empty_blocks(kernels, chosen, plan.app);
  set_vkfft_parameters(kernels, points, length);
  return std::move(kernels);
}

}  // namespace

/// They are kept, as the compiled code is (RunTimeKernel): writing them takes some 3 ms.
std::vector<VkfftKernel> vkfft_convolution(const std::array<int, 3>& points, const std::array<int, 3>& length) {
  static std::mutex mutex;
  static std::map<std::array<std::array<int, 3>, 2>, std::vector<VkfftKernel>> written;
  const std::lock_guard lock(mutex);
  const std::array key{points, length};
  auto found = written.find(key);
  if (found == written.end()) found = written.emplace(key, write_kernels(points, length)).first;
  return found->second;
}

}  // namespace dropmd

#else

namespace dropmd {

const std::string& vkfft_problem() {
  static const std::string text =
      "this dropmd was built without VkFFT (install libvkfft-dev and NVRTC, and build again)";
  return text;
}

bool vkfft_serves(const std::array<int, 3>&) { return false; }

std::vector<VkfftKernel> vkfft_convolution(const std::array<int, 3>&, const std::array<int, 3>&) {
  throw DeviceError(vkfft_problem());
}

}  // namespace dropmd

#endif
