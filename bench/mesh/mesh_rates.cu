#include "bench/mesh/mesh_rates.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "device/buffer.cuh"
#include "device/timer.cuh"

namespace dropmd {

namespace {

struct RateTuning {
  static constexpr unsigned kThreads = 256, kBlocks = 2048;
  static constexpr int kRounds = 512;
  /// Independent chains of multiply-adds of a thread, enough for a latency of four clocks.
  static constexpr int kChains = 8;
  static constexpr std::size_t kCopyBytes = std::size_t{1} << 28;
  /// Words of a mesh in global memory, 8 MiB, which the L2 cache holds.
  static constexpr std::uint32_t kMeshWords = 1U << 20;
  static constexpr int kTries = 5;
};

/// Each warp adds to 32 neighbouring words.
__global__ void add_in_shared_memory_kernel(int* result) {
  __shared__ int sums[RateTuning::kThreads];
  sums[threadIdx.x] = 0;
  __syncthreads();
  for (int round = 0; round < RateTuning::kRounds; ++round)
    atomicAdd(&sums[(threadIdx.x + 32U * static_cast<unsigned>(round)) % RateTuning::kThreads], round);
  __syncthreads();
  if (sums[threadIdx.x] < 0) *result = 1;  // never true, but keeps the additions from being optimised away
}

__global__ void add_in_global_memory_kernel(unsigned long long* sums) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < RateTuning::kRounds; ++round)
    atomicAdd(sums + (thread + 32U * 977U * static_cast<unsigned>(round)) % RateTuning::kMeshWords, 1ULL);
}

template <class Real>
__global__ void multiply_add_kernel(Real factor, Real* result) {
  Real chain[RateTuning::kChains];
#pragma unroll
  for (int k = 0; k < RateTuning::kChains; ++k) chain[k] = static_cast<Real>(threadIdx.x + static_cast<unsigned>(k));
  for (int round = 0; round < RateTuning::kRounds; ++round)
#pragma unroll
    for (Real& value : chain) value = value * factor + Real(1);
  Real sum = 0;
#pragma unroll
  for (const Real value : chain) sum += value;
  if (sum < 0) *result = sum;  // never true
}

/// Returns the shortest time in seconds of what `enqueue` enqueues, after one call for warm-up.
template <class Enqueue>
double shortest_seconds(const Cuda& cuda, const Enqueue& enqueue) {
  enqueue();
  std::vector<Timer> timers(RateTuning::kTries);
  for (Timer& timer : timers) {
    timer.start(cuda.stream);
    enqueue();
    timer.stop(cuda.stream);
  }
  cuda.stream.synchronize("measuring the rates of a GPU");
  double shortest = timers.front().seconds();
  for (const Timer& timer : timers) shortest = std::min(shortest, timer.seconds());
  return shortest;
}

double copied_bytes_per_second(const Cuda& cuda) {
  DeviceBuffer<unsigned char> d_from(cuda.stream), d_to(cuda.stream);
  d_from.resize(RateTuning::kCopyBytes);
  d_to.resize(RateTuning::kCopyBytes);
  d_from.zero();
  const double seconds = shortest_seconds(cuda, [&] {
    DROPMD_CUDA(
        cudaMemcpyAsync(d_to.data(), d_from.data(), RateTuning::kCopyBytes, cudaMemcpyDeviceToDevice, cuda.get()),
        "copying within a GPU");
  });
  return 2 * static_cast<double>(RateTuning::kCopyBytes) / seconds;
}

constexpr double kCalls =
    static_cast<double>(RateTuning::kThreads) * RateTuning::kBlocks * static_cast<double>(RateTuning::kRounds);

template <class Real>
double additions_per_second(const Cuda& cuda) {
  DeviceBuffer<unsigned long long> d_sums(cuda.stream);
  d_sums.resize(RateTuning::kMeshWords);
  d_sums.zero();
  const double seconds = shortest_seconds(cuda, [&] {
    if constexpr (std::is_same_v<Real, float>)
      add_in_shared_memory_kernel<<<RateTuning::kBlocks, RateTuning::kThreads, 0, cuda.get()>>>(
          reinterpret_cast<int*>(d_sums.data()));
    else
      add_in_global_memory_kernel<<<RateTuning::kBlocks, RateTuning::kThreads, 0, cuda.get()>>>(d_sums.data());
    DROPMD_CUDA_LAUNCHED("measuring atomic additions");
  });
  return kCalls / seconds;
}

template <class Real>
double multiply_adds_per_second(const Cuda& cuda) {
  DeviceBuffer<Real> d_result(cuda.stream);
  d_result.resize(1);
  const double seconds = shortest_seconds(cuda, [&] {
    multiply_add_kernel<Real>
        <<<RateTuning::kBlocks, RateTuning::kThreads, 0, cuda.get()>>>(static_cast<Real>(0.5), d_result.data());
    DROPMD_CUDA_LAUNCHED("measuring multiply-adds");
  });
  return RateTuning::kChains * kCalls / seconds;
}

}  // namespace

template <class Real>
MeshRates measure_mesh_rates(const Cuda& cuda) {
  const double multiply_adds = multiply_adds_per_second<Real>(cuda);
  return {copied_bytes_per_second(cuda), additions_per_second<Real>(cuda), multiply_adds, multiply_adds};
}

template MeshRates measure_mesh_rates<float>(const Cuda& cuda);
template MeshRates measure_mesh_rates<double>(const Cuda& cuda);

}  // namespace dropmd
