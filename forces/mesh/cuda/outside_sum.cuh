#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cub/block/block_reduce.cuh>

#include "core/particles.h"
#include "device/buffer.cuh"
#include "device/cuda.cuh"
#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/outside_order.cuh"
#include "forces/mesh/cuda/outside_pairs.cuh"
#include "forces/pair/coulomb_short_range.h"

namespace dropmd {

#if defined(__CUDACC__)

template <class Real>
__global__ void all_outside_kernel(DeviceMoment<Real> now, OutsideView outside) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < now.n_atoms && now.wants_forces()) outside.set(k, now.charge[k] != 0, now.position[k]);
}

/// Sums n values in a fixed order, by one block.
template <std::uint32_t kThreads>
__global__ void __launch_bounds__(kThreads) sum_kernel(const double* value, std::uint32_t n, double* sum) {
  using Reduce = cub::BlockReduce<double, kThreads>;
  __shared__ typename Reduce::TempStorage shared;
  double mine = 0;
  for (std::uint32_t k = threadIdx.x; k < n; k += kThreads) mine += value[k];
  const double all = Reduce(shared).Sum(mine);
  if (threadIdx.x == 0) *sum = all;
}

/// The pairs of the charges outside of a mesh, summed directly, and the list of these charges in device memory.
template <class Real>
class OutsideSum {
 public:
  /// pairs: gives the smooth part of the Coulomb potential.
  OutsideSum(const Stream& stream, double coulomb_constant, const FormChoice& pairs, const Particles& particles)
      : coulomb_(coulomb_constant),
        form_{CoulombShortRange<Real>(pairs)},
        energy_form_{CoulombShortRange<double>(pairs)},
        d_count_(stream),
        d_list_(stream),
        d_ordered_(stream),
        d_entry_(stream),
        d_energy_(stream) {
    const std::size_t n = particles.size();
    d_count_.fit(1);
    d_list_.fit(n);
    d_ordered_.fit(n);
    d_entry_.fit(n);
    d_energy_.fit(n);
    double largest = 0;
    for (const double q : particles.charge) largest = std::max(largest, std::abs(q));
    most_force_ = std::abs(coulomb_constant) * largest * largest * most_slope(energy_form_);
  }

  static constexpr std::uint64_t kBytesPerAtom = 2 * sizeof(OutsideAtom) + sizeof(std::uint32_t) + sizeof(double);

  const CoulombShortRange<double>& form() const { return energy_form_.form; }

  /// Sets whether a coarse mesh has some of the charges. ratio: of its cutoff to that of the fine mesh; 0: there is no
  /// coarse mesh. cutoff: of the coarse mesh.
  void set_coarse(double ratio, double cutoff) {
    energy_form_.per_ratio = ratio > 0 ? 1 / ratio : 0;
    energy_form_.range2 = cutoff * cutoff;
    form_.per_ratio = static_cast<Real>(energy_form_.per_ratio);
    form_.range2 = static_cast<Real>(energy_form_.range2);
  }

  /// Returns the view that the spreading of charges fills. on_coarse: for spreading on the coarse mesh.
  OutsideView view(bool on_coarse = false) const {
    return {d_count_.data(), d_list_.data(), d_entry_.data(), form_.per_ratio > 0 ? 0 : OutsideAtom::kFar, on_coarse};
  }

  /// Lists all charges, where there is no mesh.
  void list_all(const Cuda& cuda, const DeviceMoment<Real>& now) const {
    d_count_.zero();
    all_outside_kernel<<<OutsideTuning::groups(now.n_atoms), OutsideTuning::kAtoms, 0, cuda.get()>>>(now, view());
    DROPMD_CUDA_LAUNCHED("finding charges outside of a mesh");
  }

  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const {
    outside_forces_kernel<<<OutsideTuning::blocks(now.n_atoms), OutsideTuning::kThreads, 0, cuda.get()>>>(
        now, OutsideCharges{view(), d_list_.data()}, form_, coulomb_, sums,
        PairUnit<Real>(most_force_, static_cast<double>(sums.quanta)));
    DROPMD_CUDA_LAUNCHED("summing the charges outside of a mesh");
  }

  /// Adds the energies of atoms. by_host_index: [n_atoms].
  void add_energies(const Cuda& cuda, const DeviceMoment<Real>& now, double* by_host_index) const {
    if (now.n_atoms == 0) return;
    constexpr std::uint32_t kThreads = OutsideTuning::kThreads;
    order_outside_kernel<<<(now.n_atoms + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(now, view(),
                                                                                               d_ordered_.data());
    DROPMD_CUDA_LAUNCHED("ordering the charges outside of a mesh");
    outside_energies_kernel<<<OutsideTuning::blocks(now.n_atoms), OutsideTuning::kThreads, 0, cuda.get()>>>(
        now, OutsideCharges{view(), d_ordered_.data()}, energy_form_, coulomb_, by_host_index);
    DROPMD_CUDA_LAUNCHED("summing the energies of the charges outside of a mesh");
  }

  /// Computes the energy of all listed charges, without a mesh. d_energy: [1].
  void energy_without_mesh(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy) const {
    d_energy_.zero();
    add_energies(cuda, now, d_energy_.data());
    constexpr std::uint32_t kSumThreads = 1024;
    sum_kernel<kSumThreads><<<1, kSumThreads, 0, cuda.get()>>>(d_energy_.data(), now.n_atoms, d_energy);
    DROPMD_CUDA_LAUNCHED("summing the energies of charges without a mesh");
  }

 private:
  /// Returns the largest −L', 1/length².
  static double most_slope(const OutsideForm<double>& form) {
    constexpr int kPoints = 1000;
    const double r_c = std::sqrt(form.form.cutoff2);
    double most = 0;
    for (int k = 1; k <= kPoints; ++k) {
      const double r = r_c * k / kPoints;
      most = std::max(most, r * std::abs(form.smooth(r * r).force_over_r));
    }
    constexpr double kBetween = 1.01;  // for larger values between the points
    return kBetween * most;
  }

  double coulomb_;
  OutsideForm<Real> form_;
  OutsideForm<double> energy_form_;
  double most_force_ = 0;  ///< of a pair
  DeviceBuffer<std::uint32_t> d_count_;
  DeviceBuffer<OutsideAtom> d_list_, d_ordered_;  ///< [n_atoms] in any order, and in that of the host's arrays
  DeviceBuffer<std::uint32_t> d_entry_;           ///< [n_atoms]
  DeviceBuffer<double> d_energy_;                 ///< [n_atoms] by host index, without a mesh
};

#endif

}  // namespace dropmd
