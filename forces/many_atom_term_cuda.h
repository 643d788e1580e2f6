#pragma once

#include <memory>

#include "core/execution.h"
#include "core/run/choices.h"
#include "forces/many_atom_term.h"
#include "forces/pair/pair_model.h"

namespace dropmd {

/// Returns a force term of many atoms that is computed on a GPU for positions in host memory, by the code that steps on
/// a GPU use. Its reference, and forces beyond the range of the device's sums, come from the host. model: determines
/// the scale of the sums. The particles must outlive the term. Throws DeviceError if the device cannot be used or this
/// build has no CUDA, and what the term throws if it has no code for a GPU.
std::unique_ptr<ForceTerm> on_gpu(const ManyAtomTerm& term, int device, Precision precision, Cpu cpu,
                                  const PairModel& model, const Particles& particles);

}  // namespace dropmd
