#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cmath>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/topology/topology.h"
#include "integrators/constraints/cluster_shapes.h"
#include "integrators/constraints/settle.h"
#include "integrators/constraints/small_cluster.h"

/// Molecules with constraints for tests, and what constraints must conserve.
namespace dropmd {

using Positions = std::vector<Vec3<double>>;

/// A cluster in its own frame, in Å and g/mol.
struct TestCluster {
  std::string_view name;
  Positions position;
  std::vector<double> mass;
  std::vector<std::array<std::uint32_t, 2>> bond;

  double length(std::size_t c) const { return norm(position[bond[c][1]] - position[bond[c][0]]); }
};

inline void PrintTo(const TestCluster& cluster, std::ostream* out) { *out << cluster.name; }

inline TestCluster water_cluster() {
  const double half = 0.5 * 109.4712 / 180 * 3.14159265358979323846;
  return {"water",
          {{0, 0, 0}, {std::sin(half), std::cos(half), 0}, {-std::sin(half), std::cos(half), 0}},
          {15.999, 1.008, 1.008},
          {{0, 1}, {0, 2}, {1, 2}}};
}

inline std::vector<TestCluster> small_clusters() {
  const Positions four{{0, 0, 0}, {0.95, 0.2, 0.1}, {-0.4, 0.85, 0.2}, {-0.45, -0.9, 0.35}};
  const std::vector<double> oxonium{15.999, 1.008, 1.008, 1.008};
  return {
      {"bond", {{0, 0, 0}, {0.96, 0.1, -0.2}}, {15.999, 1.008}, {{0, 1}}},
      {"CH2", {{0, 0, 0}, {1.05, 0.1, 0.2}, {-0.3, 1.0, 0.1}}, {12.011, 1.008, 2.014}, {{0, 1}, {0, 2}}},
      {"CH3", four, {12.011, 1.008, 1.008, 1.008}, {{0, 1}, {0, 2}, {0, 3}}},
      {"CH4",
       {{0, 0, 0}, {0.63, 0.63, 0.63}, {-0.63, -0.63, 0.63}, {-0.63, 0.63, -0.63}, {0.63, -0.63, -0.63}},
       {12.011, 1.008, 1.008, 2.014, 1.008},
       {{0, 1}, {0, 2}, {0, 3}, {0, 4}}},
      {"triangle", {{0, 0, 0}, {1.4, 0.1, 0.3}, {0.4, 1.7, -0.2}}, {12.011, 15.999, 32.06}, {{0, 1}, {0, 2}, {1, 2}}},
      {"H3O+", four, oxonium, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}},
      {"chain of four", four, {1.008, 12.011, 12.011, 1.008}, {{0, 1}, {1, 2}, {2, 3}}},
      {"triangle with a bond", four, oxonium, {{0, 1}, {0, 2}, {1, 2}, {2, 3}}},
      {"ring of four", four, oxonium, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}},
      {"five of six", four, oxonium, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}}},
  };
}

inline std::vector<TestCluster> all_clusters() {
  auto clusters = small_clusters();
  clusters.push_back(water_cluster());
  return clusters;
}

/// Adds a cluster to a topology and its atoms to `position` and `mass`.
inline void append(const TestCluster& cluster, const Positions& at, Topology& topology, Positions& position,
                   std::vector<double>& mass) {
  const auto first = static_cast<std::uint32_t>(position.size());
  position.insert(position.end(), at.begin(), at.end());
  mass.insert(mass.end(), cluster.mass.begin(), cluster.mass.end());
  for (std::size_t c = 0; c < cluster.bond.size(); ++c)
    topology.constraints.push_back({{first + cluster.bond[c][0], first + cluster.bond[c][1]}, cluster.length(c)});
}

/// Random vectors, each component of a normal distribution.
class RandomVectors {
 public:
  explicit RandomVectors(std::uint64_t seed) : random_(seed) {}

  Vec3<double> vector(double width) {
    std::normal_distribution<double> normal(0, width);
    return {normal(random_), normal(random_), normal(random_)};
  }
  Positions vectors(std::size_t n, double width) {
    Positions all(n);
    for (auto& one : all) one = vector(width);
    return all;
  }
  /// Returns the positions after a random rotation and shift.
  Positions turned(const Positions& position, const Vec3<double>& shift) {
    Vec3<double> x = vector(1), z = cross(x, vector(1)), y = cross(z, x);
    x *= 1 / norm(x), y *= 1 / norm(y), z *= 1 / norm(z);
    Positions turned;
    for (const auto& p : position) turned.push_back(shift + p.x * x + p.y * y + p.z * z);
    return turned;
  }

 private:
  std::mt19937_64 random_;
};

inline Positions operator+(Positions a, const Positions& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
inline Positions operator*(double s, Positions a) {
  for (auto& one : a) one *= s;
  return a;
}

/// Largest error of a constrained length, relative.
inline double length_error(const Topology& topology, const Positions& position) {
  double largest = 0;
  for (const Constraint& c : topology.constraints) {
    const double error = std::fabs(norm(position[c.atom[1]] - position[c.atom[0]]) / c.length - 1);
    largest = error <= largest ? largest : error;
  }
  return largest;
}

/// Largest velocity along a constraint.
inline double velocity_along(const Topology& topology, const Positions& position, const Positions& velocity) {
  double largest = 0;
  for (const Constraint& c : topology.constraints) {
    const Vec3<double> bond = position[c.atom[1]] - position[c.atom[0]];
    const double along = std::fabs(dot(bond, velocity[c.atom[1]] - velocity[c.atom[0]])) / norm(bond);
    largest = along <= largest ? largest : along;
  }
  return largest;
}

/// Σ m v.
inline Vec3<double> momentum(const std::vector<double>& mass, const Positions& velocity) {
  Vec3<double> sum;
  for (std::size_t i = 0; i < mass.size(); ++i) sum += mass[i] * velocity[i];
  return sum;
}

/// Σ m (x − x_0) × v, about the first atom.
inline Vec3<double> angular_momentum(const std::vector<double>& mass, const Positions& position,
                                     const Positions& velocity) {
  Vec3<double> sum;
  for (std::size_t i = 0; i < mass.size(); ++i) sum += mass[i] * cross(position[i] - position[0], velocity[i]);
  return sum;
}

inline std::string name_of_cluster(const testing::TestParamInfo<TestCluster>& info) {
  std::string name(info.param.name);
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
}

}  // namespace dropmd
