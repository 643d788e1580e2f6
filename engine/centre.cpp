#include "engine/centre.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "core/ordered_sum.h"

namespace dropmd {

namespace {

double total_mass(Cpu cpu, const Particles& p) {
  return ordered_sum<double>(cpu, p.size(), [&](std::size_t i) { return p.mass[i]; });
}

Eigen::Vector3d to_eigen(const Vec3<double>& a) { return {a.x, a.y, a.z}; }

void remove_linear(Cpu cpu, Particles& p) {
  const auto momentum =
      ordered_sum<Vec3<double>>(cpu, p.size(), [&](std::size_t i) { return p.mass[i] * p.velocity[i]; });
  const Vec3<double> drift = (1.0 / total_mass(cpu, p)) * momentum;
  for_each_index(cpu, p.size(), [&](std::size_t i) { p.velocity[i] -= drift; });
}

/// Inertia tensor about the mass centre, as columns xx xy xz yy yz zz summed in order.
struct InertiaSum {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  InertiaSum& operator+=(const InertiaSum& o) {
    xx += o.xx, xy += o.xy, xz += o.xz, yy += o.yy, yz += o.yz, zz += o.zz;
    return *this;
  }
};

/// ω = I⁺ L with the pseudo-inverse: an axis with (nearly) no inertia has no rotation to remove.
void remove_angular(Cpu cpu, Particles& p) {
  const Vec3<double> centre = centre_of(cpu, p, Recenter::mass);
  const Vec3<double> drift = (1.0 / total_mass(cpu, p)) * ordered_sum<Vec3<double>>(cpu, p.size(), [&](std::size_t i) {
                               return p.mass[i] * p.velocity[i];
                             });
  const auto angular = ordered_sum<Vec3<double>>(
      cpu, p.size(), [&](std::size_t i) { return p.mass[i] * cross(p.position[i] - centre, p.velocity[i] - drift); });
  const auto sum = ordered_sum<InertiaSum>(cpu, p.size(), [&](std::size_t i) {
    const Vec3<double> d = p.position[i] - centre;
    const double m = p.mass[i];
    return InertiaSum{m * (d.y * d.y + d.z * d.z), -m * d.x * d.y, -m * d.x * d.z,
                      m * (d.x * d.x + d.z * d.z), -m * d.y * d.z, m * (d.x * d.x + d.y * d.y)};
  });
  Eigen::Matrix3d inertia;
  inertia << sum.xx, sum.xy, sum.xz, sum.xy, sum.yy, sum.yz, sum.xz, sum.yz, sum.zz;

  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(inertia);
  constexpr double kNoInertia = 1e-12;  // of the largest: rounding of a linear arrangement stays below
  Eigen::Vector3d rate = Eigen::Vector3d::Zero();
  for (int k = 0; k < 3; ++k) {
    const double moment = axes.eigenvalues()[k];
    if (!(moment > kNoInertia * axes.eigenvalues()[2])) continue;
    const Eigen::Vector3d axis = axes.eigenvectors().col(k);
    rate += (axis.dot(to_eigen(angular)) / moment) * axis;
  }
  const Vec3<double> omega{rate.x(), rate.y(), rate.z()};
  for_each_index(cpu, p.size(), [&](std::size_t i) { p.velocity[i] -= cross(omega, p.position[i] - centre); });
}

}  // namespace

Vec3<double> centre_of(Cpu cpu, const Particles& p, Recenter which) {
  if (which == Recenter::none || p.size() == 0) return {};
  if (which == Recenter::geometric) {
    const auto sum = ordered_sum<Vec3<double>>(cpu, p.size(), [&](std::size_t i) { return p.position[i]; });
    return (1.0 / static_cast<double>(p.size())) * sum;
  }
  const auto sum = ordered_sum<Vec3<double>>(cpu, p.size(), [&](std::size_t i) { return p.mass[i] * p.position[i]; });
  return (1.0 / total_mass(cpu, p)) * sum;
}

void recenter(Cpu cpu, Particles& p, Recenter which) {
  if (which == Recenter::none) return;
  const Vec3<double> centre = centre_of(cpu, p, which);
  for_each_index(cpu, p.size(), [&](std::size_t i) { p.position[i] -= centre; });
}

void remove_momentum(Cpu cpu, Particles& p, RemoveMomentum which) {
  if (p.size() == 0) return;
  if (which == RemoveMomentum::linear || which == RemoveMomentum::both) remove_linear(cpu, p);
  if (which == RemoveMomentum::angular || which == RemoveMomentum::both) remove_angular(cpu, p);
}

std::size_t removed_degrees(const Particles& p, RemoveMomentum which) {
  const std::size_t linear = which == RemoveMomentum::linear || which == RemoveMomentum::both ? 3 : 0;
  const bool angular = which == RemoveMomentum::angular || which == RemoveMomentum::both;
  const std::size_t rotations = p.size() >= 3 ? 3 : p.size() == 2 ? 2 : 0;
  return linear + (angular ? rotations : 0);
}

}  // namespace dropmd
