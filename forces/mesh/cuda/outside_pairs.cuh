#pragma once

#include <cstdint>

#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/gather.cuh"
#include "forces/mesh/cuda/outside.cuh"
#include "forces/mesh/levels/outside_form.h"

namespace dropmd {

struct OutsideTuning {
  static constexpr std::uint32_t kAtoms = 128;  ///< of a block, which has a thread for each
};

#if defined(__CUDACC__)

/// The smooth part of the pairs of which one or both charges are outside of the mesh, for the atoms of a block:
///
///   each atom of the block      with each charge outside:    what acts on the atom
///   each atom that is inside    with each charge outside:    what acts on the charge outside
///
/// A block goes through the charges outside in parts that it keeps in shared memory. For the first line a thread has an
/// atom of the block; for the second line it has a charge outside, or one and a part of the atoms of the block. So a
/// pair is computed twice, and nothing is reduced. Both times its force is the same number of quanta, since the
/// difference of the positions only changes its sign.
template <class Real>
class OutsidePairs {
  static constexpr std::uint32_t kAtoms = OutsideTuning::kAtoms;

 public:
  struct Shared {
    Vec3<double> atom[kAtoms], outside[kAtoms];
    double charge[kAtoms];  ///< of the atoms that are inside, else 0
    double outside_charge[kAtoms];
    std::uint32_t outside_atom[kAtoms];
  };

  __device__ OutsidePairs(Shared& shared, const DeviceMoment<Real>& now, const OutsideView& outside,
                          const OutsideForm& form, double coulomb)
      : shared_(shared),
        now_(now),
        outside_(outside),
        form_(form),
        coulomb_(coulomb),
        index_(blockIdx.x * kAtoms + threadIdx.x) {}

  /// Adds the forces to the sums. All threads of a block must call it.
  __device__ void add_forces(const ForceSumsView<Real>& sums) const {
    const std::uint32_t n = *outside_.count;
    if (n == 0) return;
    const Mine mine = load();
    Vec3<long long> on_mine{0, 0, 0};
    for (std::uint32_t first = 0; first < n; first += kAtoms) {
      const std::uint32_t n_here = min(kAtoms, n - first);
      stage(first, n_here);
      if (mine.charge != 0)
        for (std::uint32_t k = 0; k < n_here; ++k)
          if (shared_.outside_atom[k] != index_)
            add(on_mine, force(mine.position - shared_.outside[k], mine.charge * shared_.outside_charge[k], sums));
      add_reactions(n_here, sums);
    }
    if (mine.charge != 0) sums.add_quanta(index_, on_mine);
  }

  /// Adds the energy of the atoms' pairs; each pair of two charges outside counts half for either. The order of the
  /// charges outside must be fixed. All threads of a block must call it.
  __device__ void add_energies(double* by_host_index) const {
    const std::uint32_t n = *outside_.count;
    if (n == 0) return;
    const Mine mine = load();
    double sum = 0;
    for (std::uint32_t first = 0; first < n; first += kAtoms) {
      const std::uint32_t n_here = min(kAtoms, n - first);
      stage(first, n_here);
      if (mine.charge == 0) continue;
      for (std::uint32_t k = 0; k < n_here; ++k) {
        if (shared_.outside_atom[k] == index_) continue;
        const Vec3<double> d = mine.position - shared_.outside[k];
        sum += coulomb_ * (mine.charge * shared_.outside_charge[k]) * form_.smooth(dot(d, d)).energy;
      }
    }
    if (mine.charge != 0) by_host_index[now_.host_index[index_]] += (mine.outside ? 0.5 : 1.0) * sum;
  }

 private:
  struct Mine {
    Vec3<double> position{};
    double charge = 0;
    bool outside = false;
  };

  /// Returns the atom of the thread, without charge behind the last one, and puts it into shared memory.
  __device__ Mine load() const {
    Mine mine;
    if (index_ < now_.n_atoms) mine = {now_.position[index_], now_.charge[index_], outside_.is_outside[index_] != 0};
    shared_.atom[threadIdx.x] = mine.position;
    shared_.charge[threadIdx.x] = mine.outside ? 0 : mine.charge;
    return mine;
  }

  /// Puts charges outside into shared memory.
  __device__ void stage(std::uint32_t first, std::uint32_t n_here) const {
    __syncthreads();
    if (threadIdx.x < n_here) {
      const std::uint32_t atom = outside_.atom[first + threadIdx.x];
      shared_.outside[threadIdx.x] = now_.position[atom];
      shared_.outside_charge[threadIdx.x] = now_.charge[atom];
      shared_.outside_atom[threadIdx.x] = atom;
    }
    __syncthreads();
  }

  /// Adds what the atoms inside do to the charges outside. Few charges are each divided among several threads.
  __device__ void add_reactions(std::uint32_t n_here, const ForceSumsView<Real>& sums) const {
    const std::uint32_t threads_of_one = kAtoms / n_here, k = threadIdx.x % n_here, part = threadIdx.x / n_here;
    if (part >= threads_of_one) return;
    Vec3<long long> on_outside{0, 0, 0};
    for (std::uint32_t atom = part; atom < kAtoms; atom += threads_of_one)
      if (shared_.charge[atom] != 0)
        add(on_outside,
            force(shared_.outside[k] - shared_.atom[atom], shared_.charge[atom] * shared_.outside_charge[k], sums));
    sums.add_quanta(shared_.outside_atom[k], on_outside);
  }

  /// Returns the force of a pair, of which a charge is at a distance d from the other, in quanta.
  __device__ Vec3<long long> force(const Vec3<double>& d, double charges, const ForceSumsView<Real>& sums) const {
    return whole_quanta((coulomb_ * charges * form_.smooth(dot(d, d)).force_over_r) * d,
                        static_cast<double>(sums.quanta), index_, sums.errors);
  }

  static __device__ void add(Vec3<long long>& sum, const Vec3<long long>& f) {
    sum = {sum.x + f.x, sum.y + f.y, sum.z + f.z};
  }

  Shared& shared_;
  const DeviceMoment<Real>& now_;
  const OutsideView& outside_;
  const OutsideForm& form_;
  double coulomb_;
  std::uint32_t index_;
};

template <class Real>
__global__ void __launch_bounds__(OutsideTuning::kAtoms)
    outside_forces_kernel(DeviceMoment<Real> now, OutsideView outside, const __grid_constant__ OutsideForm form,
                          double coulomb, ForceSumsView<Real> sums) {
  __shared__ typename OutsidePairs<Real>::Shared shared;
  if (now.wants_forces()) OutsidePairs<Real>(shared, now, outside, form, coulomb).add_forces(sums);
}

template <class Real>
__global__ void __launch_bounds__(OutsideTuning::kAtoms)
    outside_energies_kernel(DeviceMoment<Real> now, OutsideView outside, const __grid_constant__ OutsideForm form,
                            double coulomb, double* by_host_index) {
  __shared__ typename OutsidePairs<Real>::Shared shared;
  OutsidePairs<Real>(shared, now, outside, form, coulomb).add_energies(by_host_index);
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
