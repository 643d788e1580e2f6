#pragma once

#include <cstdint>
#include <cub/block/block_reduce.cuh>

#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/gather.cuh"
#include "forces/pair/coulomb_short_range.h"

namespace dropmd {

/// The charges outside of a mesh: the spreading of charges lists them, in any order.
struct OutsideView {
  std::uint32_t* count = nullptr;      ///< [1]; null: a charge outside is a fault
  std::uint32_t* atom = nullptr;       ///< [n_atoms] storage indices of the first `count`
  std::uint8_t* is_outside = nullptr;  ///< [n_atoms] by storage index; 1 for these

#if defined(__CUDACC__)
  __device__ void set(std::uint32_t index, bool outside) const {
    if (count == nullptr) return;
    is_outside[index] = outside ? 1 : 0;
    if (outside) atom[atomicAdd(count, 1U)] = index;
  }
#endif
};

struct OutsideTuning {
  static constexpr std::uint32_t kThreads = 128;  ///< an atom each
};

#if defined(__CUDACC__)

/// The smooth part of the pairs of which one or both charges are outside, for the atom of a thread. A charge inside has
/// pairs with those outside, whose force acts on both; one outside meets those outside, whose threads do the same.
template <class Real>
class OutsidePairs {
 public:
  __device__ OutsidePairs(const DeviceMoment<Real>& now, const OutsideView& outside,
                          const CoulombShortRange<double>& form, double coulomb)
      : now_(now),
        outside_(outside),
        form_(form),
        coulomb_(coulomb),
        index_(blockIdx.x * blockDim.x + threadIdx.x),
        exists_(index_ < now.n_atoms) {}

  /// Adds the forces to the sums. All threads of a block must call it.
  __device__ void add_forces(const ForceSumsView<Real>& sums) const {
    using Reduce = cub::BlockReduce<unsigned long long, OutsideTuning::kThreads>;
    __shared__ typename Reduce::TempStorage shared[3];
    const std::uint32_t n = *outside_.count;
    Vec3<long long> on_mine{0, 0, 0};
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t other = outside_.atom[k];
      Vec3<long long> f{0, 0, 0};
      if (meets(other)) {
        const Vec3<double> d = now_.position[index_] - now_.position[other];
        f = whole_quanta((charges(other) * smooth(d).force_over_r) * d, static_cast<double>(sums.quanta), index_,
                         sums.errors);
      }
      on_mine = {on_mine.x + f.x, on_mine.y + f.y, on_mine.z + f.z};
      // What acts on the other one: the sum over the atoms inside.
      const bool inside = exists_ && outside_.is_outside[index_] == 0;
      const unsigned long long sum[3] = {Reduce(shared[0]).Sum(inside ? static_cast<unsigned long long>(-f.x) : 0),
                                         Reduce(shared[1]).Sum(inside ? static_cast<unsigned long long>(-f.y) : 0),
                                         Reduce(shared[2]).Sum(inside ? static_cast<unsigned long long>(-f.z) : 0)};
      __syncthreads();
      if (threadIdx.x == 0)
        sums.add_quanta(
            other, {static_cast<long long>(sum[0]), static_cast<long long>(sum[1]), static_cast<long long>(sum[2])});
    }
    if (exists_ && n > 0) sums.add_quanta(index_, on_mine);
  }

  /// Adds the energy of the atom's pairs; each pair of two charges outside counts half for either. The order of the
  /// charges outside must be fixed.
  __device__ void add_energy(double* by_host_index) const {
    if (!exists_) return;
    const std::uint32_t n = *outside_.count;
    double sum = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t other = outside_.atom[k];
      if (!meets(other)) continue;
      sum += charges(other) * smooth(now_.position[index_] - now_.position[other]).energy;
    }
    if (n > 0) by_host_index[now_.host_index[index_]] += (outside_.is_outside[index_] != 0 ? 0.5 : 1.0) * sum;
  }

 private:
  __device__ bool meets(std::uint32_t other) const { return exists_ && other != index_ && now_.charge[index_] != 0; }
  __device__ double charges(std::uint32_t other) const { return coulomb_ * now_.charge[index_] * now_.charge[other]; }
  __device__ SmoothTerm<double> smooth(const Vec3<double>& d) const { return form_.smooth(dot(d, d)); }

  const DeviceMoment<Real>& now_;
  const OutsideView& outside_;
  const CoulombShortRange<double>& form_;
  double coulomb_;
  std::uint32_t index_;
  bool exists_;
};

template <class Real>
__global__ void __launch_bounds__(OutsideTuning::kThreads)
    outside_forces_kernel(DeviceMoment<Real> now, OutsideView outside,
                          const __grid_constant__ CoulombShortRange<double> form, double coulomb,
                          ForceSumsView<Real> sums) {
  if (now.wants_forces()) OutsidePairs<Real>(now, outside, form, coulomb).add_forces(sums);
}

template <class Real>
__global__ void __launch_bounds__(OutsideTuning::kThreads)
    outside_energies_kernel(DeviceMoment<Real> now, OutsideView outside,
                            const __grid_constant__ CoulombShortRange<double> form, double coulomb,
                            double* by_host_index) {
  OutsidePairs<Real>(now, outside, form, coulomb).add_energy(by_host_index);
}

/// Puts the charges outside into the order of the host's arrays: `ordered` receives the list.
template <class Real>
__device__ void order_outside(const DeviceMoment<Real>& now, const OutsideView& outside, std::uint32_t* ordered,
                              std::uint32_t k) {
  const std::uint32_t n = *outside.count;
  if (k >= n) return;
  const std::uint32_t mine = now.host_index[outside.atom[k]];
  std::uint32_t before = 0;
  for (std::uint32_t other = 0; other < n; ++other) before += now.host_index[outside.atom[other]] < mine ? 1 : 0;
  ordered[before] = outside.atom[k];
}

template <class Real>
__global__ void order_outside_kernel(DeviceMoment<Real> now, OutsideView outside, std::uint32_t* ordered) {
  order_outside(now, outside, ordered, blockIdx.x * blockDim.x + threadIdx.x);
}

#endif

}  // namespace dropmd
