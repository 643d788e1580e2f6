#include "forces/pair/cuda/pairs_cuda.cuh"

namespace dropmd {

template std::unique_ptr<PairForces> make_pairs_cuda<float>(int, Cpu, const PairSearch&, const PairModel&, PairAtoms);
template std::unique_ptr<PairForces> make_pairs_cuda<double>(int, Cpu, const PairSearch&, const PairModel&, PairAtoms);

}  // namespace dropmd
