#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "integrators/integrator.h"

/// Atoms without interactions, free or each in a harmonic well at the origin.
namespace dropmd {

/// n atoms at rest at the origin, with the masses in turn.
inline Particles atoms_at_rest(std::size_t n, const std::vector<double>& masses) {
  Particles p;
  p.position.resize(n);
  p.velocity.resize(n);
  for (std::size_t i = 0; i < n; ++i) p.mass.push_back(masses[i % masses.size()]);
  return p;
}

/// F = -stiffness x
inline std::vector<Vec3<double>> harmonic_force(const Particles& p, double stiffness) {
  std::vector<Vec3<double>> force;
  for (const Vec3<double>& x : p.position) force.push_back(-stiffness * x);
  return force;
}

/// Makes the steps `first` to `last`.
inline void make_steps(Integrator& integrator, Particles& p, double stiffness, std::uint64_t first, std::uint64_t last,
                       int threads = 1) {
  const Cpu cpu{threads};
  auto force = harmonic_force(p, stiffness);
  for (std::uint64_t step = first; step <= last; ++step) {
    integrator.move(cpu, p, force, step, {});
    force = harmonic_force(p, stiffness);
    integrator.finish(cpu, p, force, step);
    integrator.couple(cpu, p, force, step, {});
  }
}

inline bool same_bytes(const std::vector<Vec3<double>>& a, const std::vector<Vec3<double>>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}
inline bool same_bytes(const Particles& a, const Particles& b) {
  return same_bytes(a.position, b.position) && same_bytes(a.velocity, b.velocity);
}

/// The components of the vectors first, first + stride, ...; with `stride` masses in turn, these are atoms of equal
/// mass.
inline std::vector<double> components(const std::vector<Vec3<double>>& vectors, std::size_t first = 0,
                                      std::size_t stride = 1) {
  std::vector<double> all;
  for (std::size_t i = first; i < vectors.size(); i += stride)
    all.insert(all.end(), {vectors[i].x, vectors[i].y, vectors[i].z});
  return all;
}

}  // namespace dropmd
