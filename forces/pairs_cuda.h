#pragma once

#include <memory>

#include "forces/pair_forces.h"

namespace dropmd {

/// Forces of a GPU for positions that lie on the host, where the spatial order is made, too (`cpu`). They throw
/// DeviceError if the device cannot be used or this build has no CUDA. Real: float (mixed precision) or double.

/// All pairs.
template <class Real>
std::unique_ptr<PairForces> make_all_pairs_cuda(int device, Cpu cpu, const PairModel& model, PairAtoms atoms);
/// A pair list; every pair term has a cutoff, or it throws InputError.
template <class Real>
std::unique_ptr<PairForces> make_pair_list_cuda(int device, Cpu cpu, const PairModel& model, PairAtoms atoms);

inline std::unique_ptr<PairForces> make_all_pairs_cuda(int device, Cpu cpu, Precision precision, const PairModel& model,
                                                       PairAtoms atoms) {
  return precision == Precision::mixed ? make_all_pairs_cuda<float>(device, cpu, model, atoms)
                                       : make_all_pairs_cuda<double>(device, cpu, model, atoms);
}
inline std::unique_ptr<PairForces> make_pair_list_cuda(int device, Cpu cpu, Precision precision, const PairModel& model,
                                                       PairAtoms atoms) {
  return precision == Precision::mixed ? make_pair_list_cuda<float>(device, cpu, model, atoms)
                                       : make_pair_list_cuda<double>(device, cpu, model, atoms);
}

}  // namespace dropmd
