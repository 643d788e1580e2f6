#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/buffer.cuh"
#include "device/pinned.cuh"
#include "engine/device/device_state.cuh"
#include "engine/device/ordering/reorder_interval.h"

namespace dropmd {

/// Encodes recorded positions: relative to an anchor, in a unit of length. fp32 loses a sixteenth of a unit when a
/// droplet has drifted a million units away, which is also the range of the curve.
struct NotedPositions {
  Vec3<double> anchor;
  double unit_inv;

  DROPMD_HOST_DEVICE Vec3<float> of(const Vec3<double>& x) const {
    const Vec3<double> d = unit_inv * (x - anchor);
    return {static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)};
  }
};

/// Computes the drift of all atoms since positions were recorded, from a sample that is spread evenly along the atoms'
/// order. One block. before: [n_atoms] by host index.
static __global__ void __launch_bounds__(kDriftSample + 1)
    drift_kernel(DeviceStateView atoms, NotedPositions noted, const Vec3<float>* before, Vec3<float>* drift) {
  __shared__ float moved[3][kDriftSample];
  const std::uint32_t n = min(kDriftSample, atoms.n_atoms), t = threadIdx.x;
  if (t < n) {
    const auto k = static_cast<std::uint32_t>(std::uint64_t{t} * atoms.n_atoms / n);
    const Vec3<float> d = noted.of(atoms.position[k]) - before[atoms.host_index[k]];
    moved[0][t] = d.x;
    moved[1][t] = d.y;
    moved[2][t] = d.z;
  }
  __syncthreads();
  if (t >= n) return;
  if (rank_of(moved[0], n, t) == n / 2) drift->x = moved[0][t];
  if (rank_of(moved[1], n, t) == n / 2) drift->y = moved[1][t];
  if (rank_of(moved[2], n, t) == n / 2) drift->z = moved[2][t];
}

/// Records positions and sums the locality loss. before, now: [n_atoms] by host index; they may be the same memory.
/// With before = null, positions are only recorded. sum: of locality_loss_of_atom().
static __global__ void mobility_kernel(DeviceStateView atoms, NotedPositions noted, const Vec3<float>* before,
                                       const Vec3<float>* drift, Vec3<float>* now, unsigned long long* sum) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t locality_loss = 0;
  if (k < atoms.n_atoms) {
    const Vec3<float> position = noted.of(atoms.position[k]);
    const std::uint32_t i = atoms.host_index[k];
    if (before != nullptr) locality_loss = locality_loss_of_atom(position - before[i] - *drift);
    now[i] = position;
  }
  for (int mask = 16; mask > 0; mask /= 2) locality_loss += __shfl_xor_sync(0xFFFFFFFFU, locality_loss, mask);
  if (threadIdx.x % 32 == 0 && locality_loss > 0) atomicAdd(sum, static_cast<unsigned long long>(locality_loss));
}

/// Measures how far atoms on the device have moved since they were reordered. A drift common to all atoms does not
/// count. A lost atom, wherever it is, counts as no more than the largest displacement that counts.
class Mobility {
 public:
  /// unit: length, see locality_loss_of_atom().
  Mobility(const Stream& stream, std::uint32_t n_atoms, double unit)
      : noted_{{}, 1.0 / unit},
        n_atoms_(n_atoms),
        d_noted_{DeviceBuffer<Vec3<float>>(stream), DeviceBuffer<Vec3<float>>(stream)},
        d_drift_(stream),
        d_sum_(stream) {
    for (DeviceBuffer<Vec3<float>>& buffer : d_noted_) buffer.resize(n_atoms);
    d_drift_.resize(1);
    d_sum_.resize(1);
  }

  /// Device memory in bytes: two records of positions, the drift and the sum.
  static std::uint64_t bytes(std::uint64_t n_atoms) {
    return sizeof(Vec3<float>) * (2 * n_atoms + 1) + sizeof(unsigned long long);
  }

  /// Records the positions of the atoms. anchor: near most of them.
  void begin(const Cuda& cuda, const DeviceStateView& atoms, const Vec3<double>& anchor) {
    noted_.anchor = anchor;
    note(cuda, atoms, nullptr);
  }

  /// Enqueues kernels that sum how far the atoms have moved since they were recorded and record them again, and a copy
  /// of the sum to the host.
  void measure(const Cuda& cuda, const DeviceStateView& atoms) {
    const Vec3<float>* const d_before = d_noted_[current_].data();
    drift_kernel<<<1, kDriftSample + 1, 0, cuda.get()>>>(atoms, noted_, d_before, d_drift_.data());
    DROPMD_CUDA_LAUNCHED("measuring the atoms' drift");
    DROPMD_CUDA(cudaMemsetAsync(d_sum_.data(), 0, sizeof(unsigned long long), cuda.get()), "clearing a sum");
    note(cuda, atoms, d_before);
    d_sum_.store(h_sum_);
  }
  /// Returns the last measurement, after a wait: 0 to 1.
  double locality_loss_read() const {
    return static_cast<double>(*h_sum_) / (static_cast<double>(kWholeLocalityLoss) * static_cast<double>(n_atoms_));
  }

  /// Return and set the recorded positions; host memory, [n_atoms] by host index. Both wait.
  std::vector<Vec3<float>> noted(const Cuda& cuda) const {
    std::vector<Vec3<float>> positions(n_atoms_);
    d_noted_[current_].download(positions);
    cuda.stream.synchronize("reading where the atoms were");
    return positions;
  }
  void note(const Cuda& cuda, std::span<const Vec3<float>> positions, const Vec3<double>& anchor) {
    noted_.anchor = anchor;
    d_noted_[current_].upload(positions);
    cuda.stream.synchronize("noting where the atoms were");
    save();
  }
  const Vec3<double>& anchor() const { return noted_.anchor; }

  /// save() keeps the present record until the next save(); restore() returns to it.
  void save() { saved_ = current_; }
  void restore() { current_ = saved_; }

 private:
  void note(const Cuda& cuda, const DeviceStateView& atoms, const Vec3<float>* d_before) {
    constexpr std::uint32_t kThreads = 256;
    if (current_ == saved_) current_ = 1 - saved_;
    mobility_kernel<<<(n_atoms_ + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(
        atoms, noted_, d_before, d_drift_.data(), d_noted_[current_].data(), d_sum_.data());
    DROPMD_CUDA_LAUNCHED("measuring the atoms' mobility");
  }

  NotedPositions noted_;
  std::uint32_t n_atoms_;
  int current_ = 0, saved_ = 0;
  DeviceBuffer<Vec3<float>> d_noted_[2];
  DeviceBuffer<Vec3<float>> d_drift_;  ///< [1]
  DeviceBuffer<unsigned long long> d_sum_;
  Pinned<unsigned long long> h_sum_;
};

}  // namespace dropmd
