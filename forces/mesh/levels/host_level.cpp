#include "forces/mesh/levels/host_level.h"

#include <cstddef>

#include "core/ordered_sum.h"
#include "core/vector_bytes.h"

namespace dropmd {

void HostLevel::fit(Cpu cpu, const MeshKernel& kernel, const MeshBox& box, int order, bool anew,
                    InfluenceFunctions& known) {
  if (!anew && mesh_ != nullptr && mesh_->box().points == box.points) return mesh_->move_to(box.first);
  at_zero_ = kernel.at_zero();
  mesh_.reset();  // frees its memory first
  mesh_ = std::make_unique<MeshPotential>(cpu, kernel, box, order, box.diagonal(), &known);
}

double HostLevel::add(Cpu cpu, double coulomb_constant, std::span<const std::uint32_t> charges,
                      std::span<const Vec3<double>> position, std::span<const double> charge,
                      std::span<Vec3<double>> force) {
  const std::size_t n = charges.size();
  if (n == 0) return 0;
  position_.resize(n);
  charge_.resize(n);
  potential_.resize(n);
  gradient_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    position_[k] = position[charges[k]];
    charge_[k] = charge[charges[k]];
  }
  mesh_->evaluate(cpu, position_, charge_, potential_, gradient_);
  for_each_index(cpu, n, [&](std::size_t k) { force[charges[k]] -= (coulomb_constant * charge_[k]) * gradient_[k]; });
  return 0.5 * coulomb_constant * ordered_sum<double>(cpu, n, [&](std::size_t k) {
           return charge_[k] * (potential_[k] - at_zero_ * charge_[k]);
         });
}

std::uint64_t HostLevel::bytes() const {
  return (mesh_ != nullptr ? mesh_->bytes() : 0) + bytes_of_all(position_, gradient_, charge_, potential_);
}

}  // namespace dropmd
