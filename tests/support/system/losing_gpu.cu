// Takes a GPU from the process that loads this with its program (LD_PRELOAD), once a file is there: nothing else can be
// done on that GPU afterwards.
//
//   DROPMD_LOSE_GPU   its number
//   DROPMD_LOSE_AT    the path of the file
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/support/system/trap.cuh"

namespace {

void lose(int device, const char* file) {
  while (access(file, F_OK) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  cudaStream_t stream = nullptr;  // one that does not wait for the kernels of others
  cudaSetDevice(device);
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  dropmd::trap_kernel<<<1, 1, 0, stream>>>();
}

[[gnu::constructor]] void lose_later() {
  const char* const device = std::getenv("DROPMD_LOSE_GPU");
  const char* const file = std::getenv("DROPMD_LOSE_AT");
  if (device != nullptr && file != nullptr) std::thread(lose, std::atoi(device), file).detach();
}

}  // namespace
