#include "tests/engine/many_atom_terms/bond_term.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace dropmd {

namespace {

class HostBonds final : public ForceTerm {
 public:
  HostBonds(std::vector<TestBond> bonds, double stiffness, double length)
      : bonds_(std::move(bonds)), stiffness_(stiffness), length_(length) {}

  std::vector<std::string_view> energy_names() const override { return {"bond"}; }
  Invariance invariance() const override { return {}; }

  void evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force, Energies& energies) override {
    if (first) std::fill(force.begin(), force.end(), Vec3<double>{});
    double energy = 0;
    for (const TestBond& bond : bonds_) {
      const Vec3<double> on_a = force_on_a(now, bond, energy);
      force[bond.a] += on_a;
      force[bond.b] -= on_a;
    }
    if (want == Want::forces_and_energies) energies.add("bond", energy);
  }

  void add_reference(Cpu, const Moment& now, std::span<const std::uint32_t> sample,
                     std::span<AtomSums> sums) const override {
    double energy = 0;
    for (std::size_t k = 0; k < sample.size(); ++k)
      for (const TestBond& bond : bonds_) {
        if (bond.a == sample[k]) sums[k].force += force_on_a(now, bond, energy);
        if (bond.b == sample[k]) sums[k].force -= force_on_a(now, bond, energy);
      }
  }

 private:
  Vec3<double> force_on_a(const Moment& now, const TestBond& bond, double& energy) const {
    const Vec3<double> d = now.position[bond.a] - now.position[bond.b];
    const double r = norm(d), stretch = r - length_;
    energy += 0.5 * stiffness_ * stretch * stretch;
    return (-stiffness_ * stretch / r) * d;
  }

  std::vector<TestBond> bonds_;
  double stiffness_;
  double length_;
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
  return std::make_unique<HostBonds>(bonds_of(particles), stiffness_, length_);
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
