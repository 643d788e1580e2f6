#pragma once

#include <memory>

#include "forces/pair/pair_forces.h"
#include "forces/pair/pair_search.h"

namespace dropmd {

/// Returns pair forces on a GPU for positions in host memory, which the host (`cpu`) sorts into spatial order. Every
/// evaluation builds its neighbour structure. Throws DeviceError if the device cannot be used or this build has no
/// CUDA, and InputError if the method needs a cutoff and a pair term has none. Real: float (mixed precision) or double.
template <class Real>
std::unique_ptr<PairForces> make_pairs_cuda(int device, Cpu cpu, const PairSearch& search, const PairModel& model,
                                            PairAtoms atoms);

inline std::unique_ptr<PairForces> make_pairs_cuda(int device, Cpu cpu, const PairSearch& search, Precision precision,
                                                   const PairModel& model, PairAtoms atoms) {
  return precision == Precision::mixed ? make_pairs_cuda<float>(device, cpu, search, model, atoms)
                                       : make_pairs_cuda<double>(device, cpu, search, model, atoms);
}

}  // namespace dropmd
