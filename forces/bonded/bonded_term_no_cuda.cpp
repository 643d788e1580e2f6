#include <stdexcept>

#include "forces/bonded/bonded_term.h"

namespace dropmd {

std::unique_ptr<DeviceForceTerm<float>> BondedTerm::on_gpu_in_mixed(const Cuda&, const Particles&) const {
  throw std::logic_error("a build without CUDA makes no steps on a GPU");
}
std::unique_ptr<DeviceForceTerm<double>> BondedTerm::on_gpu_in_double(const Cuda&, const Particles&) const {
  throw std::logic_error("a build without CUDA makes no steps on a GPU");
}
std::uint64_t BondedTerm::device_bytes(std::size_t) const { return 0; }

}  // namespace dropmd
