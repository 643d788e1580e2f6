#pragma once

#include "engine/device/step_sums.cuh"
#include "engine/device/step_view.cuh"

namespace dropmd {

#if defined(__CUDACC__)

/// Returns what the atom at `index`, which is not a virtual site, adds to the sums of step `now`.
template <class Real>
__device__ inline StepSums sums_of(const StepView<Real>& step, std::uint32_t index, const MovingAtom& atom,
                                   std::uint64_t now) {
  StepSums sums;
  step.fields.add_energies(step.point(index, atom.position, now), sums.fields);
  sums.motion = motion_sums(atom);
  sums.momentum = atom.mass * atom.velocity;
  sums.position = atom.position;
  sums.mass_moment = atom.mass * atom.position;
  sums.mass = atom.mass;
  sums.largest_f2 = dot(atom.force, atom.force);
  return sums;
}

/// The same for a virtual site: it has no mass and no part in the geometric centre, and its parents have its force.
template <class Real>
__device__ inline StepSums sums_of_site(const StepView<Real>& step, std::uint32_t index, std::uint64_t now) {
  StepSums sums;
  step.fields.add_energies(step.point(index, step.atoms.position[index], now), sums.fields);
  return sums;
}

/// Returns the sums of a lane. All lanes of a warp must call it.
__device__ inline StepSums from_lane(const StepSums& sums, int lane) {
  constexpr int kWords = sizeof(StepSums) / sizeof(double);
  static_assert(sizeof(StepSums) % sizeof(double) == 0);
  StepSums other;
  const auto* from = reinterpret_cast<const double*>(&sums);
  auto* to = reinterpret_cast<double*>(&other);
#pragma unroll
  for (int w = 0; w < kWords; ++w) to[w] = __shfl_sync(0xFFFFFFFFU, from[w], lane);
  return other;
}

/// Returns the sums of the lane whose index differs in the bits of mask. All lanes of a warp must call it.
__device__ inline StepSums from_lane_xor(const StepSums& sums, int mask) {
  return from_lane(sums, static_cast<int>(threadIdx.x % 32) ^ mask);
}

/// Returns the sums over the lanes of a warp; all of them must call it.
__device__ inline StepSums sum_of_warp(StepSums sums) {
  for (int mask = 16; mask > 0; mask /= 2) sums += from_lane_xor(sums, mask);
  return sums;
}

#endif

}  // namespace dropmd
