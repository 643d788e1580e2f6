#include "device/device_info.h"
#include "forces/pairs_cuda.h"

namespace dropmd {

template <class Real>
std::unique_ptr<PairForces> make_all_pairs_cuda(int device, Cpu, const PairModel&, PairAtoms) {
  require_device(device);  // throws: there is none without CUDA
  return nullptr;
}

template <class Real>
std::unique_ptr<PairForces> make_pair_list_cuda(int device, Cpu, const PairModel&, PairAtoms) {
  require_device(device);
  return nullptr;
}

template std::unique_ptr<PairForces> make_all_pairs_cuda<float>(int, Cpu, const PairModel&, PairAtoms);
template std::unique_ptr<PairForces> make_all_pairs_cuda<double>(int, Cpu, const PairModel&, PairAtoms);
template std::unique_ptr<PairForces> make_pair_list_cuda<float>(int, Cpu, const PairModel&, PairAtoms);
template std::unique_ptr<PairForces> make_pair_list_cuda<double>(int, Cpu, const PairModel&, PairAtoms);

}  // namespace dropmd
