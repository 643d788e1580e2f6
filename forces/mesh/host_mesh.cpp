#include "forces/mesh/host_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>

#include "core/ordered_sum.h"
#include "core/parallel_for.h"
#include "core/vector_bytes.h"
#include "forces/pair/pair_force_term.h"

namespace dropmd {

HostMesh::HostMesh(Cpu cpu, double coulomb_constant, const MeshParameters& parameters, const MeshPrices& prices,
                   const Particles& particles, const std::optional<FormChoice>& pairs)
    : cpu_(cpu),
      coulomb_constant_(coulomb_constant),
      parameters_(parameters),
      split_(parameters.cutoff, parameters.bandwidth),
      kernel_(split_),
      rule_(parameters, prices),
      particles_(particles) {
  if (pairs) pairs_.emplace(*pairs);
  region_.box.spacing = parameters.spacing;
  for (std::uint32_t i = 0; i < particles.size(); ++i) {
    mass_ += particles.mass[i];
    if (particles.charge[i] == 0) continue;
    charged_.push_back(i);
    charge_.push_back(particles.charge[i]);
  }
}

std::vector<std::string_view> HostMesh::energy_names() const { return {kCoulombEnergy}; }

SmoothKernel::Value HostMesh::smooth(double r2) const {
  if (!pairs_) return kernel_(r2);
  const SmoothTerm<double> term = pairs_->smooth(r2);
  return {term.energy, term.force_over_r};
}

void HostMesh::update_region() {
  if (rule_.outdated(region_, position_)) region_ = rule_.choose(position_);
  if (region_.empty()) {
    mesh_.reset();
  } else if (mesh_ == nullptr || mesh_->box().points != region_.box.points) {
    mesh_ = std::make_unique<MeshPotential>(cpu_, split_, region_.box, parameters_.order, region_.extent());
  } else {
    mesh_->move_to(region_.box.first);
  }
  inside_.clear();
  outside_.clear();
  for (std::uint32_t k = 0; k < position_.size(); ++k) {
    const bool inside = !region_.empty() && region_.holds(position_[k], parameters_.order);
    (inside ? inside_ : outside_).push_back(k);
  }
}

double HostMesh::add_mesh() {
  const std::size_t n = inside_.size();
  if (n == 0) return 0;
  inside_position_.resize(n);
  inside_charge_.resize(n);
  potential_.resize(n);
  gradient_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    inside_position_[k] = position_[inside_[k]];
    inside_charge_[k] = charge_[inside_[k]];
  }
  mesh_->evaluate(cpu_, inside_position_, inside_charge_, potential_, gradient_);
  for_each_index(cpu_, n, [&](std::size_t k) {
    of_charge_[inside_[k]] -= (coulomb_constant_ * inside_charge_[k]) * gradient_[k];
  });
  const double self = split_.smooth(0);
  return 0.5 * coulomb_constant_ * ordered_sum<double>(cpu_, n, [&](std::size_t k) {
           return inside_charge_[k] * (potential_[k] - self * inside_charge_[k]);
         });
}

double HostMesh::add_outside() {
  if (outside_.empty()) return 0;
  std::vector<char> is_outside(position_.size(), 0);
  for (const std::uint32_t k : outside_) is_outside[k] = 1;
  // Each charge sums over those outside, and those outside sum over all, so that no two threads write to one charge.
  std::vector<double> energy(position_.size(), 0.0);
  parallel_for(cpu_, position_.size(), [&](std::size_t i) {
    Vec3<double> field;
    double potential = 0;
    const auto add = [&](std::size_t j) {
      if (j == i) return;
      const Vec3<double> d = position_[i] - position_[j];
      const SmoothKernel::Value value = smooth(dot(d, d));
      field += (charge_[j] * value.force_over_r) * d;
      potential += charge_[j] * value.potential;
    };
    if (is_outside[i] != 0) {
      for (std::size_t j = 0; j < position_.size(); ++j) add(j);
    } else {
      for (const std::uint32_t j : outside_) add(j);
    }
    of_charge_[i] += (coulomb_constant_ * charge_[i]) * field;
    energy[i] = coulomb_constant_ * charge_[i] * potential;
  });
  return 0.5 * ordered_sum<double>(cpu_, energy.size(), [&](std::size_t i) { return energy[i]; });
}

void HostMesh::evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force, Energies& energies) {
  if (first) std::fill(force.begin(), force.end(), Vec3<double>{});
  const std::size_t n = charged_.size();
  position_.resize(n);
  for (std::size_t k = 0; k < n; ++k) position_[k] = now.position[charged_[k]];
  of_charge_.assign(n, {});
  update_region();
  const double of_mesh = add_mesh(), of_outside = add_outside();
  if (want == Want::forces_and_energies) energies.add(kCoulombEnergy, of_mesh + of_outside);

  const auto net = ordered_sum<Vec3<double>>(cpu_, n, [&](std::size_t k) { return of_charge_[k]; });
  if (n == 0) return;
  const Vec3<double> per_mass = (1 / mass_) * net;
  for_each_index(cpu_, n, [&](std::size_t k) { force[charged_[k]] += of_charge_[k]; });
  for_each_index(cpu_, force.size(), [&](std::size_t i) { force[i] -= particles_.mass[i] * per_mass; });
}

void HostMesh::add_reference(Cpu cpu, const Moment& now, std::span<const std::uint32_t> sample,
                             std::span<AtomSums> sums) const {
  const double cutoff2 = parameters_.cutoff * parameters_.cutoff;
  parallel_for(cpu, sample.size(), [&](std::size_t s) {
    const std::uint32_t i = sample[s];
    AtomSums own;
    for (const std::uint32_t j : charged_) {
      if (j == i) continue;
      const Vec3<double> d = now.position[i] - now.position[j];
      const double r2 = dot(d, d), qq = coulomb_constant_ * particles_.charge[i] * particles_.charge[j];
      const SmoothKernel::Value value = smooth(r2);
      own.force += (qq * value.force_over_r) * d;
      own.coulomb += qq * value.potential;
      if (r2 < cutoff2) continue;  // the pair term has 1/r of nearer pairs
      own.absolute += std::abs(qq * value.potential);
      own.terms2 += qq * qq / (r2 * r2);
    }
    sums[s] += own;
  });
}

void HostMesh::add_reference_energies(Cpu cpu, const Moment& now, Energies& energies) const {
  const auto twice = ordered_sum<double>(cpu, charged_.size(), [&](std::size_t a) {
    double potential = 0;
    for (std::size_t b = 0; b < charged_.size(); ++b) {
      if (b == a) continue;
      const Vec3<double> d = now.position[charged_[a]] - now.position[charged_[b]];
      potential += charge_[b] * smooth(dot(d, d)).potential;
    }
    return charge_[a] * potential;
  });
  energies.add(kCoulombEnergy, 0.5 * coulomb_constant_ * twice);
}

std::vector<double> HostMesh::state() const {
  const auto numbers = region_.numbers();
  return {numbers.begin(), numbers.end()};
}

void HostMesh::set_state(std::span<const double> state) {
  const std::optional<MeshRegion> region = MeshRegion::from_numbers(state, parameters_.spacing);
  if (!region) throw std::invalid_argument("the state of a mesh has seven whole numbers that describe its box");
  region_ = *region;
}

std::uint64_t HostMesh::bytes() const {
  return (mesh_ != nullptr ? mesh_->bytes() : 0) + bytes_of_all(charged_, position_, of_charge_, charge_, inside_,
                                                                outside_, inside_position_, gradient_, inside_charge_,
                                                                potential_);
}

}  // namespace dropmd
