#pragma once

#include <cstdint>

#include "core/outer_steps.h"
#include "device/buffer.cuh"
#include "device/conditional_branch.cuh"
#include "forces/device_force_term.cuh"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"

namespace dropmd {

/// The sums of the slow forces of the last outer step, in the layout of the common sums, which also contain them.
template <class Real>
struct SlowSumsView {
  unsigned long long* low = nullptr;  ///< null: no force is slow
  unsigned long long* high = nullptr;
  std::uint64_t every = 1;  ///< steps between outer steps

  /// Returns the sums with the quantum, and the records of errors and terms, of the common sums.
  DROPMD_HOST_DEVICE ForceSumsView<Real> like(const ForceSumsView<Real>& common) const {
    ForceSumsView<Real> sums = common;
    sums.low = low;
    sums.high = high;
    return sums;
  }

#if defined(__CUDACC__)
  /// Returns what must be added to the force on an atom before a half kick at a step, so that slow forces count `every`
  /// times in outer steps.
  __device__ Vec3<double> further_impulse(const ForceSumsView<Real>& common, std::uint32_t index,
                                          std::uint64_t step) const {
    if (low == nullptr || step % every != 0) return {0, 0, 0};
    return static_cast<double>(every - 1) * like(common).get(index);
  }
#endif
};

#if defined(__CUDACC__)

/// Decides whether the slow forces are computed; one thread.
template <class Real>
__global__ void slow_forces_wanted_kernel(DeviceMoment<Real> now, LoopCondition condition) {
  condition.set(now.wants_forces());
}

/// Sets n sums to zero; one thread per sum.
template <class Real>
__global__ void clear_slow_sums_kernel(DeviceMoment<Real> now, SlowSumsView<Real> slow, std::uint32_t n) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n || !now.wants_forces()) return;
  slow.low[k] = 0;
  slow.high[k] = 0;
}

/// Adds n sums to the common ones; one thread per sum.
template <class Real>
__global__ void add_slow_sums_kernel(DeviceMoment<Real> now, SlowSumsView<Real> slow, ForceSumsView<Real> common,
                                     std::uint32_t n) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n || !now.wants_forces()) return;
  if (slow.low[k] != 0) atomicAdd(common.low + k, slow.low[k]);
  if (slow.high[k] != 0) atomicAdd(common.high + k, slow.high[k]);
}

#endif

/// What the slow terms of a run on a GPU share: the branch on which they are computed in outer steps, and their sums.
/// The sums are kept until the next outer step and used by the two half kicks next to their own outer step. They are a
/// function of the positions and of the terms' states, so a run that returns to an outer step computes them again.
template <class Real>
class SlowForces {
 public:
  SlowForces(const Cuda& main, const OuterSteps& outer, std::uint32_t n_atoms)
      : outer_(outer), n_atoms_(n_atoms), branch_(main), d_sums_(branch_.cuda().stream) {
    d_sums_.resize(ForceSums<Real>::words(n_atoms));
    d_sums_.zero();
  }
  static std::uint64_t bytes(std::uint32_t n_atoms) {
    return sizeof(unsigned long long) * ForceSums<Real>::words(n_atoms);
  }

  const OuterSteps& outer() const { return outer_; }
  ConditionalBranch& branch() { return branch_; }
  SlowSumsView<Real> view() const {
    return {d_sums_.data(), d_sums_.data() + n_sums(), static_cast<std::uint64_t>(outer_.every)};
  }
  /// Starts a copy of the sums, ForceSums::words() of them, in the order of the main stream.
  void start_download(const Cuda& main, std::span<unsigned long long> h_words) {
    branch_.fork(main);
    d_sums_.download(h_words);
    branch_.join(main);
  }

  /// Enqueues the forces for an outer step, up to branch().join_if(); these have no effect if now.clock is at another
  /// step or the step is ineffective. add(now, sums) enqueues the forces of all terms. to_common: whether the sums, and
  /// the squares of their terms, are added to the common ones; only one of several GPUs does that, but all compute the
  /// sums.
  template <class Add>
  void fork(const Cuda& main, const DeviceMoment<Real>& now, const ForceSumsView<Real>& common, const Add& add,
            bool to_common) {
    DeviceMoment<Real> at_outer = now;
    at_outer.outer_every = static_cast<std::uint64_t>(outer_.every);
    branch_.fork_if(
        main,
        [&](const Cuda& on, LoopCondition condition) {
          slow_forces_wanted_kernel<<<1, 1, 0, on.get()>>>(at_outer, condition);
          DROPMD_CUDA_LAUNCHED("deciding on slow forces");
        },
        [&] { compute(at_outer, to_common ? common : without_squares(common), add); });
    if (!to_common) return;
    add_slow_sums_kernel<<<blocks(), kThreads, 0, branch_.behind().get()>>>(at_outer, view(), common, n_sums());
    DROPMD_CUDA_LAUNCHED("adding slow forces");
  }

  /// Computes the sums for the positions of a complete outer step, whose common sums already contain them.
  template <class Add>
  void compute_again(const Cuda& main, const DeviceMoment<Real>& now, const ForceSumsView<Real>& common,
                     const Add& add) {
    DeviceMoment<Real> in_any_case = now;
    in_any_case.clock = nullptr;
    in_any_case.search = nullptr;
    branch_.fork(main);
    compute(in_any_case, common, add);
    branch_.join(main);
  }

 private:
  static constexpr std::uint32_t kThreads = 256;

  std::uint32_t n_sums() const { return static_cast<std::uint32_t>(ForceSums<Real>::words(n_atoms_) / 2); }
  std::uint32_t blocks() const { return (n_sums() + kThreads - 1) / kThreads; }

  static ForceSumsView<Real> without_squares(ForceSumsView<Real> sums) {
    sums.squares = nullptr;
    return sums;
  }

  template <class Add>
  void compute(const DeviceMoment<Real>& now, const ForceSumsView<Real>& common, const Add& add) {
    clear_slow_sums_kernel<<<blocks(), kThreads, 0, branch_.cuda().get()>>>(now, view(), n_sums());
    DROPMD_CUDA_LAUNCHED("clearing slow forces");
    add(now, view().like(common));
  }

  OuterSteps outer_;
  std::uint32_t n_atoms_;
  ConditionalBranch branch_;
  DeviceBuffer<unsigned long long> d_sums_;  ///< all of low, then all of high
};

}  // namespace dropmd
