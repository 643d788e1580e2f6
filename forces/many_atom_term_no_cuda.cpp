#include "device/device_info.h"
#include "forces/many_atom_term_cuda.h"

namespace dropmd {

std::unique_ptr<ForceTerm> on_gpu(const ManyAtomTerm&, int device, Precision, Cpu, const PairModel&, const Particles&) {
  require_device(device);  // throws: there is no device without CUDA
  return nullptr;
}

}  // namespace dropmd
