#pragma once

#include <stdexcept>

#include "tests/engine/many_atom_terms/bond_term.h"

namespace dropmd {

/// A bond between atoms 1 and 2 that says another invariance than it has, for tests of what a run does beside such a
/// term. On the host alone.
class FixedBondTerm final : public ManyAtomTerm {
 public:
  explicit FixedBondTerm(const Invariance& invariance) : invariance_(invariance) {}

  std::vector<std::string_view> energy_names() const override { return {"anchor"}; }
  Invariance invariance() const override { return invariance_; }
  std::unique_ptr<ForceTerm> on_host(Cpu cpu, const Particles& particles) const override;
  std::unique_ptr<DeviceForceTerm<float>> on_gpu_in_mixed(const Cuda&, const Particles&) const override {
    throw std::logic_error("not used");
  }
  std::unique_ptr<DeviceForceTerm<double>> on_gpu_in_double(const Cuda&, const Particles&) const override {
    throw std::logic_error("not used");
  }
  std::uint64_t device_bytes(std::size_t) const override { return 0; }

 private:
  Invariance invariance_;
};

}  // namespace dropmd
