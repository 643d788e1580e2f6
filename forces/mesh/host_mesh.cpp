#include "forces/mesh/host_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/ordered_sum.h"
#include "core/parallel_for.h"
#include "core/vector_bytes.h"
#include "forces/mesh/levels/direct_sums.h"
#include "forces/pair/pair_force_term.h"

namespace dropmd {

HostMesh::HostMesh(Cpu cpu, double coulomb_constant, const MeshParameters& parameters, const MeshPrices& prices,
                   const Particles& particles, const std::optional<FormChoice>& pairs, ExcludedPairs excluded,
                   std::shared_ptr<InfluenceFunctions> known)
    : cpu_(cpu),
      coulomb_constant_(coulomb_constant),
      parameters_(parameters),
      split_(parameters.cutoff, parameters.bandwidth),
      kernel_(split_, pairs),
      rule_(parameters, prices),
      known_(std::move(known)),
      particles_(particles),
      excluded_(std::move(excluded)) {
  region_.box.spacing = parameters.spacing;
  for (std::uint32_t i = 0; i < particles.size(); ++i) {
    mass_ += particles.mass[i];
    if (particles.charge[i] == 0) continue;
    charged_.push_back(i);
    charge_.push_back(particles.charge[i]);
  }
}

std::vector<std::string_view> HostMesh::energy_names() const { return {kCoulombEnergy}; }

void HostMesh::update_region() {
  if (rule_.outdated(region_, position_)) region_ = rule_.choose(position_, charge_);
  fit_meshes();
  for (std::vector<std::uint32_t>* list : {&inside_, &between_, &on_mesh_, &outside_}) list->clear();
  for (std::uint32_t k = 0; k < position_.size(); ++k) {
    if (!region_.empty() && region_.holds(position_[k], parameters_.order))
      inside_.push_back(k);
    else if (region_.coarse.exists() && region_.coarse.box.holds(position_[k], parameters_.order))
      between_.push_back(k);
    else
      outside_.push_back(k);
  }
  on_mesh_ = inside_;
  on_mesh_.insert(on_mesh_.end(), between_.begin(), between_.end());
}

void HostMesh::fit_meshes() {
  const double ratio = region_.coarse.ratio;
  const bool anew = ratio != fitted_ratio_;
  fitted_ratio_ = ratio;
  if (region_.empty()) return fine_.clear(), coarse_.clear();
  if (!region_.coarse.exists()) {
    coarse_.clear();
    return fine_.fit(cpu_, split_, region_.box, parameters_.order, anew, *known_);
  }
  const CoulombSplit wide(ratio * parameters_.cutoff, parameters_.bandwidth);
  fine_.fit(cpu_, {split_, &wide}, region_.box, parameters_.order, anew, *known_);
  coarse_.fit(cpu_, wide, region_.coarse.box, parameters_.order, anew, *known_);
}

double HostMesh::add_meshes() {
  double energy = fine_.add(cpu_, coulomb_constant_, inside_, position_, charge_, of_charge_);
  if (region_.coarse.exists()) energy += coarse_.add(cpu_, coulomb_constant_, on_mesh_, position_, charge_, of_charge_);
  return energy;
}

double HostMesh::add_outside() {
  if (between_.empty() && outside_.empty()) return 0;
  const DirectKernel all{&kernel_};
  DirectKernel near = all;
  if (region_.coarse.exists()) {
    near.per_ratio = 1 / region_.coarse.ratio;
    near.range2 = std::pow(region_.coarse.ratio * parameters_.cutoff, 2);
  }
  field_.assign(position_.size(), {});
  const auto add = [&](const DirectKernel& kernel, const std::vector<std::uint32_t>& targets,
                       const std::vector<std::uint32_t>& sources) {
    return add_direct_sums(cpu_, kernel, position_, charge_, targets, sources, &targets == &sources, field_);
  };
  const double energy = add(near, inside_, between_) + add(near, between_, between_) + add(all, on_mesh_, outside_) +
                        add(all, outside_, outside_);
  for_each_index(cpu_, position_.size(),
                 [&](std::size_t k) { of_charge_[k] += (coulomb_constant_ * charge_[k]) * field_[k]; });
  return coulomb_constant_ * energy;
}

double HostMesh::subtract_excluded(std::span<const Vec3<double>> position) {
  if (excluded_.empty()) return 0;
  // Every pair is computed by both of its atoms, each of which has half of the energy.
  const auto twice = ordered_sum<double>(cpu_, charged_.size(), [&](std::size_t k) {
    const std::uint32_t i = charged_[k];
    double potential = 0;
    Vec3<double> field{};
    for (const std::uint32_t j : excluded_.of(i)) {
      const Vec3<double> d = position[i] - position[j];
      const SmoothKernel::Value value = kernel_(dot(d, d));
      potential += particles_.charge[j] * value.potential;
      field += (particles_.charge[j] * value.force_over_r) * d;
    }
    of_charge_[k] -= (coulomb_constant_ * charge_[k]) * field;
    return charge_[k] * potential;
  });
  return 0.5 * coulomb_constant_ * twice;
}

void HostMesh::evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force, Energies& energies) {
  if (first) std::fill(force.begin(), force.end(), Vec3<double>{});
  const std::size_t n = charged_.size();
  position_.resize(n);
  for (std::size_t k = 0; k < n; ++k) position_[k] = now.position[charged_[k]];
  of_charge_.assign(n, {});
  update_region();
  const double of_mesh = add_meshes(), of_outside = add_outside(), of_excluded = subtract_excluded(now.position);
  if (want == Want::forces_and_energies) energies.add(kCoulombEnergy, of_mesh + of_outside - of_excluded);

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
      if (j == i || is_excluded(i, j)) continue;
      const Vec3<double> d = now.position[i] - now.position[j];
      const double r2 = dot(d, d), qq = coulomb_constant_ * particles_.charge[i] * particles_.charge[j];
      const SmoothKernel::Value value = kernel_(r2);
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
      if (b == a || is_excluded(charged_[a], charged_[b])) continue;
      const Vec3<double> d = now.position[charged_[a]] - now.position[charged_[b]];
      potential += charge_[b] * kernel_(dot(d, d)).potential;
    }
    return charge_[a] * potential;
  });
  energies.add(kCoulombEnergy, 0.5 * coulomb_constant_ * twice);
}

std::vector<double> HostMesh::state() const { return region_.numbers(); }

void HostMesh::set_state(std::span<const double> state) {
  const std::optional<MeshRegion> region = MeshRegion::from_numbers(state, parameters_.spacing, parameters_.order);
  if (!region) throw std::invalid_argument("the state of a mesh lacks the numbers that describe its boxes");
  region_ = *region;
}

std::uint64_t HostMesh::bytes() const {
  return fine_.bytes() + coarse_.bytes() + excluded_.bytes() +
         bytes_of_all(charged_, position_, of_charge_, field_, charge_, inside_, between_, on_mesh_, outside_);
}

}  // namespace dropmd
