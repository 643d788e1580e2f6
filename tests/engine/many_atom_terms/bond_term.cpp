#include "tests/engine/many_atom_terms/bond_term.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace dropmd {

namespace {

class HostBonds final : public ForceTerm {
 public:
  HostBonds(std::vector<TestBond> bonds, const BondFormula& form) : bonds_(std::move(bonds)), form_(form) {}

  std::vector<std::string_view> energy_names() const override { return {"bond"}; }

  void evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force, Energies& energies) override {
    if (first) std::fill(force.begin(), force.end(), Vec3<double>{});
    double energy = 0;
    for (const TestBond& bond : bonds_) {
      const BondFormula::Value value = value_of(now, bond);
      energy += value.energy;
      force[bond.a] += value.force_on_a;
      force[bond.b] -= value.force_on_a;
    }
    if (want == Want::forces_and_energies) energies.add("bond", energy);
  }

  void add_reference(Cpu, const Moment& now, std::span<const std::uint32_t> sample,
                     std::span<AtomSums> sums) const override {
    for (std::size_t k = 0; k < sample.size(); ++k)
      for (const TestBond& bond : bonds_) {
        if (bond.a == sample[k]) sums[k].force += value_of(now, bond).force_on_a;
        if (bond.b == sample[k]) sums[k].force -= value_of(now, bond).force_on_a;
      }
  }
  void add_reference_energies(Cpu, const Moment& now, Energies& energies) const override {
    for (const TestBond& bond : bonds_) energies.add("bond", value_of(now, bond).energy);
  }

 private:
  BondFormula::Value value_of(const Moment& now, const TestBond& bond) const {
    return form_(now.position[bond.a] - now.position[bond.b]);
  }

  std::vector<TestBond> bonds_;
  BondFormula form_;
};

std::optional<std::uint32_t> index_of(const Particles& particles, std::uint32_t id) {
  for (std::uint32_t i = 0; i < particles.size(); ++i)
    if (particles.id_of(i) == id) return i;
  return std::nullopt;
}

}  // namespace

std::vector<TestBond> BondTerm::bonds_of(const Particles& particles) const {
  std::vector<TestBond> bonds;
  for (const TestBond& bond : bonds_) {
    const auto a = index_of(particles, bond.a), b = index_of(particles, bond.b);
    if (a && b) bonds.push_back({*a, *b});
  }
  return bonds;
}

std::unique_ptr<ForceTerm> BondTerm::on_host(Cpu, const Particles& particles) const {
  return std::make_unique<HostBonds>(bonds_of(particles), form_);
}

std::uint64_t BondTerm::device_bytes(std::size_t n_atoms) const {
  return sizeof(std::uint32_t) * n_atoms + sizeof(TestBond) * bonds_.size();
}

#if !DROPMD_HAS_CUDA  // else in bond_term.cu
std::unique_ptr<DeviceForceTerm<float>> BondTerm::on_gpu_in_mixed(const Cuda&, const Particles&) const {
  throw std::logic_error("a build without CUDA makes no steps on a GPU");
}
std::unique_ptr<DeviceForceTerm<double>> BondTerm::on_gpu_in_double(const Cuda&, const Particles&) const {
  throw std::logic_error("a build without CUDA makes no steps on a GPU");
}
#endif

}  // namespace dropmd
