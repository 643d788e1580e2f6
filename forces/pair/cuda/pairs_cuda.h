#pragma once

#include <memory>

#include "forces/pair/pair_forces.h"
#include "forces/pair/pair_search.h"

namespace dropmd {

/// Forces of a GPU for positions that lie on the host, where the spatial order is made, too (`cpu`). Every evaluation
/// searches again. Throws DeviceError if the device cannot be used or this build has no CUDA; InputError where the
/// method needs a cutoff and a pair term has none. Real: float (mixed precision) or double.
template <class Real>
std::unique_ptr<PairForces> make_pairs_cuda(int device, Cpu cpu, const PairSearch& search, const PairModel& model,
                                            PairAtoms atoms);

inline std::unique_ptr<PairForces> make_pairs_cuda(int device, Cpu cpu, const PairSearch& search, Precision precision,
                                                   const PairModel& model, PairAtoms atoms) {
  return precision == Precision::mixed ? make_pairs_cuda<float>(device, cpu, search, model, atoms)
                                       : make_pairs_cuda<double>(device, cpu, search, model, atoms);
}

}  // namespace dropmd
