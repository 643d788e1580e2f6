#include "forces/all_pairs_cuda.cuh"

// One translation unit a precision: they hold every pair physics and compile side by side.
namespace dropmd {

template std::unique_ptr<PairForces> make_all_pairs_cuda<float>(int, Cpu, const PairModel&, PairAtoms);

}  // namespace dropmd
