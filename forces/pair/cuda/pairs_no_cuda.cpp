#include "device/device_info.h"
#include "forces/pair/cuda/pairs_cuda.h"

namespace dropmd {

template <class Real>
std::unique_ptr<PairForces> make_pairs_cuda(int device, Cpu, const PairSearch&, const PairModel&, PairAtoms) {
  require_device(device);  // throws: there is no device without CUDA
  return nullptr;
}

template std::unique_ptr<PairForces> make_pairs_cuda<float>(int, Cpu, const PairSearch&, const PairModel&, PairAtoms);
template std::unique_ptr<PairForces> make_pairs_cuda<double>(int, Cpu, const PairSearch&, const PairModel&, PairAtoms);

}  // namespace dropmd
