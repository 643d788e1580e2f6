#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "forces/many_atom_term.h"
#include "tests/engine/many_atom_terms/bond_formula.h"

namespace dropmd {

/// A harmonic bond between two atoms, by their ids.
struct TestBond {
  std::uint32_t a, b;
};

/// Harmonic bonds ½ k (r − r₀)², a term of many atoms that only tests have: it shows what such a term needs, and that
/// the steps of every processor carry it out. Bonds of atoms that are gone are left out.
class BondTerm final : public ManyAtomTerm {
 public:
  /// is_slow: what the term says of itself, for tests of slow forces.
  BondTerm(std::vector<TestBond> bonds, const BondFormula& form, bool is_slow = false)
      : bonds_(std::move(bonds)), form_(form), is_slow_(is_slow) {}

  std::vector<std::string_view> energy_names() const override { return {"bond"}; }
  bool is_slow() const override { return is_slow_; }
  std::unique_ptr<ForceTerm> on_host(Cpu cpu, const Particles& particles) const override;
  std::unique_ptr<DeviceForceTerm<float>> on_gpu_in_mixed(const Cuda& cuda, const Particles& particles) const override;
  std::unique_ptr<DeviceForceTerm<double>> on_gpu_in_double(const Cuda& cuda,
                                                            const Particles& particles) const override;
  std::uint64_t device_bytes(std::size_t n_atoms) const override;

  /// The bonds whose atoms are there, by index in the arrays of the host.
  std::vector<TestBond> bonds_of(const Particles& particles) const;

 private:
  std::vector<TestBond> bonds_;
  BondFormula form_;
  bool is_slow_;
};

}  // namespace dropmd
