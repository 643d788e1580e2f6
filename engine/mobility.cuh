#pragma once

#include <cstdint>

#include "device/buffer.cuh"
#include "device/pinned.cuh"
#include "engine/device_state.cuh"
#include "engine/sort_pace.h"
#include "engine/step_sums.cuh"

namespace dropmd {

/// before, now: [n_atoms] by number, places relative to the geometric centre of all atoms, in units of 1/unit_inv; may
/// be the same memory. before = null: places are only noted. sum: of disorder_of_atom.
static __global__ void mobility_kernel(DeviceStateView atoms, const StepSums* total, double unit_inv,
                                       const Vec3<float>* before, Vec3<float>* now, unsigned long long* sum) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t disorder = 0;
  if (k < atoms.n_atoms) {
    const Vec3<double> centre = (1.0 / static_cast<double>(atoms.n_atoms)) * total->position;
    const Vec3<double> d = unit_inv * (atoms.position[k] - centre);
    const Vec3<float> place{static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)};
    const std::uint32_t i = atoms.number[k];
    if (before != nullptr) disorder = disorder_of_atom(place - before[i]);
    now[i] = place;
  }
  for (int mask = 16; mask > 0; mask /= 2) disorder += __shfl_xor_sync(0xFFFFFFFFU, disorder, mask);
  if (threadIdx.x % 32 == 0 && disorder > 0) atomicAdd(sum, static_cast<unsigned long long>(disorder));
}

/// How far atoms on the device have come since they were sorted. Places are kept in fp32: what they lose far from the
/// centre, where atoms are few, changes the disorder by nothing that matters. The drift of all atoms does not count.
class Mobility {
 public:
  /// unit: of length, see disorder_of_atom.
  Mobility(const Stream& stream, std::uint32_t n_atoms, double unit)
      : unit_inv_(1.0 / unit),
        n_atoms_(n_atoms),
        d_place_{DeviceBuffer<Vec3<float>>(stream), DeviceBuffer<Vec3<float>>(stream)},
        d_sum_(stream) {
    for (DeviceBuffer<Vec3<float>>& place : d_place_) place.resize(n_atoms);
    d_sum_.resize(1);
  }

  /// Notes where the atoms are. d_total: the sums over them as they are now.
  void begin(const Cuda& cuda, const DeviceStateView& atoms, const StepSums* d_total) {
    note(cuda, atoms, d_total, nullptr);
  }

  /// Enqueues: adds up how far they have come since they were noted, notes them anew, and copies the sum to the host.
  void measure(const Cuda& cuda, const DeviceStateView& atoms, const StepSums* d_total) {
    DROPMD_CUDA(cudaMemsetAsync(d_sum_.data(), 0, sizeof(unsigned long long), cuda.get()), "clearing a sum");
    note(cuda, atoms, d_total, d_place_[current_].data());
    d_sum_.download({h_sum_.get(), 1});
  }
  /// What was measured last, after a wait: 0 .. 1.
  double disorder_read() const {
    return static_cast<double>(*h_sum_) / (static_cast<double>(kWholeDisorder) * static_cast<double>(n_atoms_));
  }

  /// What is noted now is kept until the next save(); restore() goes back to it.
  void save() { saved_ = current_; }
  void restore() { current_ = saved_; }

 private:
  void note(const Cuda& cuda, const DeviceStateView& atoms, const StepSums* d_total, const Vec3<float>* d_before) {
    constexpr std::uint32_t kThreads = 256;
    if (current_ == saved_) current_ = 1 - saved_;
    mobility_kernel<<<(n_atoms_ + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(
        atoms, d_total, unit_inv_, d_before, d_place_[current_].data(), d_sum_.data());
    DROPMD_CUDA_LAUNCHED("measuring the atoms' mobility");
  }

  double unit_inv_;
  std::uint32_t n_atoms_;
  int current_ = 0, saved_ = 0;
  DeviceBuffer<Vec3<float>> d_place_[2];
  DeviceBuffer<unsigned long long> d_sum_;
  Pinned<unsigned long long> h_sum_;
};

}  // namespace dropmd
