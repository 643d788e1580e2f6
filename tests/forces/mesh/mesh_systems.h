#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "core/particles.h"
#include "core/units.h"

/// Seeded arrangements of charges for tests of the mesh, with lengths in Å and the charges of water and ions.
namespace dropmd {

inline constexpr double kCoulomb = kRealUnits.coulomb;

class ChargesForMesh {
 public:
  explicit ChargesForMesh(unsigned seed) : random_(seed) {}

  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(random_()) / 4294967295.0; }

  void add(const Vec3<double>& x, double charge) {
    particles_.position.push_back(x);
    particles_.charge.push_back(charge);
    particles_.mass.push_back(1 + static_cast<double>(particles_.size() % 4) * 5);
  }
  /// Adds n charges in [−1, 1] at random places in a cuboid, 0.1 per unit of volume.
  void add_random(std::size_t n, const Vec3<double>& centre, const Vec3<double>& shape, double offset = 0) {
    const double scale = std::cbrt(static_cast<double>(n) / (0.1 * shape.x * shape.y * shape.z));
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3<double> x{uniform(-0.5, 0.5) * shape.x, uniform(-0.5, 0.5) * shape.y, uniform(-0.5, 0.5) * shape.z};
      add(centre + scale * x, uniform(-1, 1) + offset);
    }
  }
  /// Adds n alternating unit charges on a simple cubic lattice of spacing 2.82, whose forces nearly vanish inside.
  void add_lattice(std::size_t n) {
    const auto edge = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(n))));
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = k / (edge * edge), j = k / edge % edge, l = k % edge;
      add({2.82 * static_cast<double>(i), 2.82 * static_cast<double>(j), 2.82 * static_cast<double>(l)},
          (i + j + l) % 2 == 0 ? 1 : -1);
    }
  }
  /// Adds n/3 molecules with the charges and the shape of SPC water in random orientations, one in a cube of 3.1.
  void add_water(std::size_t n, const Vec3<double>& centre = {}) {
    const std::size_t molecules = (n + 2) / 3;
    const auto edge = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(molecules))));
    for (std::size_t k = 0; k < molecules; ++k) {
      const auto along = [&](std::size_t index) {
        return 3.1 * static_cast<double>(index) + uniform(-0.3, 0.3) - 1.55 * static_cast<double>(edge);
      };
      const Vec3<double> oxygen =
          centre + Vec3<double>{along(k / (edge * edge)), along(k / edge % edge), along(k % edge)};
      const Vec3<double> a = direction(), b = perpendicular_to(a);
      const Vec3<double> sites[] = {oxygen, oxygen + 0.5774 * a + 0.8165 * b, oxygen + 0.5774 * a - 0.8165 * b};
      for (std::size_t site = 0; site < 3 && particles_.size() < n; ++site) add(sites[site], site == 0 ? -0.82 : 0.41);
    }
  }

  Particles take() { return std::move(particles_); }

 private:
  Vec3<double> direction() {
    for (;;) {
      const Vec3<double> d{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
      const double length = norm(d);
      if (length > 0.1 && length < 1) return (1 / length) * d;
    }
  }
  Vec3<double> perpendicular_to(const Vec3<double>& a) {
    for (;;) {
      const Vec3<double> b = cross(a, direction());
      if (norm(b) > 0.1) return (1 / norm(b)) * b;
    }
  }

  std::mt19937 random_;
  Particles particles_;
};

inline const std::vector<std::string> kMeshSystems{"random",    "lattice",      "water",   "charged",
                                                   "elongated", "two_droplets", "far_away"};

/// Returns n atoms of a system.
inline Particles mesh_system(const std::string& name, std::size_t n) {
  ChargesForMesh charges(7);
  if (name == "random") charges.add_random(n, {1, 2, 3}, {1, 1, 1});
  if (name == "lattice") charges.add_lattice(n);
  if (name == "water") charges.add_water(n);
  if (name == "charged") charges.add_random(n, {}, {1, 1, 1}, 0.5);
  if (name == "elongated") charges.add_random(n, {}, {6, 1, 1});
  if (name == "two_droplets") {
    charges.add_water(n / 2, {-20, 0, 0});
    charges.add_random(n - n / 2, {20, 5, 0}, {1, 1, 1});
  }
  if (name == "far_away") charges.add_random(n, {1e6, -2e6, 5e5}, {1, 1, 1});
  return charges.take();
}

}  // namespace dropmd
