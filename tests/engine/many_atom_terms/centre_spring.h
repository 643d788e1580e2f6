#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "forces/many_atom_term.h"

namespace dropmd {

/// A spring from the origin to the geometric centre c of all atoms, U = ½ k c²: a term of many atoms that is fixed in
/// space and invariant under rotation about the origin alone. On the host only.
class CentreSpring final : public ManyAtomTerm {
 public:
  static constexpr Invariance kInvariance{.translation = false, .rotation = true};

  /// invariance: what the term says of itself, for tests of what a run makes of it.
  explicit CentreSpring(double stiffness, const Invariance& invariance = kInvariance)
      : stiffness_(stiffness), invariance_(invariance) {}

  std::vector<std::string_view> energy_names() const override { return {"spring"}; }
  Invariance invariance() const override { return invariance_; }
  std::unique_ptr<ForceTerm> on_host(Cpu, const Particles&) const override {
    return std::make_unique<OnHost>(stiffness_);
  }
  std::unique_ptr<DeviceForceTerm<float>> on_gpu_in_mixed(const Cuda&, const Particles&) const override {
    throw std::logic_error("not used");
  }
  std::unique_ptr<DeviceForceTerm<double>> on_gpu_in_double(const Cuda&, const Particles&) const override {
    throw std::logic_error("not used");
  }
  std::uint64_t device_bytes(std::size_t) const override { return 0; }

  static Vec3<double> centre_of(std::span<const Vec3<double>> position) {
    Vec3<double> sum{};
    for (const Vec3<double>& x : position) sum += x;
    return (1.0 / static_cast<double>(position.size())) * sum;
  }

 private:
  class OnHost final : public ForceTerm {
   public:
    explicit OnHost(double stiffness) : stiffness_(stiffness) {}
    std::vector<std::string_view> energy_names() const override { return {"spring"}; }
    void evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force,
                  Energies& energies) override {
      if (first) std::fill(force.begin(), force.end(), Vec3<double>{});
      for (Vec3<double>& f : force) f += force_on_each(now);
      if (want == Want::forces_and_energies) add_reference_energies({}, now, energies);
    }
    void add_reference(Cpu, const Moment& now, std::span<const std::uint32_t>,
                       std::span<AtomSums> sums) const override {
      for (AtomSums& sum : sums) sum.force += force_on_each(now);
    }
    void add_reference_energies(Cpu, const Moment& now, Energies& energies) const override {
      const Vec3<double> centre = centre_of(now.position);
      energies.add("spring", 0.5 * stiffness_ * dot(centre, centre));
    }

   private:
    Vec3<double> force_on_each(const Moment& now) const {
      return (-stiffness_ / static_cast<double>(now.position.size())) * centre_of(now.position);
    }
    double stiffness_;
  };

  double stiffness_;
  Invariance invariance_;
};

}  // namespace dropmd
