#pragma once

#include "device/error_record.cuh"
#include "forces/device_force_term.cuh"

namespace dropmd {

#if defined(__CUDACC__)
/// Whether forces have been added at a step; the same on all peers. After a fault, peers may differ in their clocks and
/// in their marks of a stale list, depending on when their threads noticed it, so there is a sum in any case.
template <class Real>
struct ForcesAdded {
  DeviceMoment<Real> now;
  ErrorRecordView errors;
  __device__ bool operator()() const { return now.wants_forces() || errors.any(); }
};
#endif

}  // namespace dropmd
