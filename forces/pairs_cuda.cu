#include "forces/pairs_cuda.cuh"

namespace dropmd {

template std::unique_ptr<PairForces> make_all_pairs_cuda<float>(int, Cpu, const PairModel&, PairAtoms);
template std::unique_ptr<PairForces> make_all_pairs_cuda<double>(int, Cpu, const PairModel&, PairAtoms);
template std::unique_ptr<PairForces> make_pair_list_cuda<float>(int, Cpu, const PairModel&, PairAtoms);
template std::unique_ptr<PairForces> make_pair_list_cuda<double>(int, Cpu, const PairModel&, PairAtoms);

}  // namespace dropmd
