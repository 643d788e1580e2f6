#pragma once

#include <memory>

#include "forces/pair_forces.h"

namespace dropmd {

/// All pairs on a GPU, each pair seen from both sides; the grid and the pair copy are made on the CPU (`cpu`).
/// Real: float (mixed precision) or double. Throws DeviceError if the device cannot be used or this build has no CUDA.
template <class Real>
std::unique_ptr<PairForces> make_all_pairs_cuda(int device, Cpu cpu, const PairModel& model, PairAtoms atoms);

inline std::unique_ptr<PairForces> make_all_pairs_cuda(int device, Cpu cpu, Precision precision, const PairModel& model,
                                                       PairAtoms atoms) {
  return precision == Precision::mixed ? make_all_pairs_cuda<float>(device, cpu, model, atoms)
                                       : make_all_pairs_cuda<double>(device, cpu, model, atoms);
}

}  // namespace dropmd
