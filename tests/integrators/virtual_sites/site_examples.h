#pragma once

#include <cmath>
#include <limits>
#include <ostream>
#include <random>
#include <string_view>
#include <vector>

#include "core/topology/topology.h"
#include "core/vec3.h"

/// A virtual site of each form for tests, with parameters as of real models (Å, rad).
namespace dropmd {

using Vectors = std::vector<Vec3<double>>;

struct SiteExample {
  std::string_view name;
  SiteForm form;
  std::array<double, 3> parameter;
};
inline void PrintTo(const SiteExample& example, std::ostream* out) { *out << example.name; }

inline std::vector<SiteExample> site_examples() {
  return {{"one", SiteForm::at_one, {}},
          {"two", SiteForm::two, {0.3}},
          {"twofd", SiteForm::two_fd, {-0.7}},
          {"three", SiteForm::three, {0.128, 0.2}},
          {"threefd", SiteForm::three_fd, {0.4, -0.15}},
          {"threefad", SiteForm::three_fad, {2.1, 1.08}},
          {"threeout", SiteForm::three_out, {-0.34, -0.3, 0.66}},
          {"fourfdn", SiteForm::four_fdn, {0.9, 1.2, -1.05}}};
}

inline double norm_of(const Vec3<double>& v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

/// The formulas of the GROMACS manual as they stand there; r: positions of i, j, k, l.
inline Vec3<double> formula(const SiteExample& site, const Vectors& r) {
  const auto [a, b, c] = site.parameter;
  const auto unit = [](const Vec3<double>& v) { return (1 / norm_of(v)) * v; };
  switch (site.form) {
    case SiteForm::at_one:
      return r[0];
    case SiteForm::two:
      return (1 - a) * r[0] + a * r[1];
    case SiteForm::two_fd:
      return r[0] + a * unit(r[1] - r[0]);
    case SiteForm::three:
      return (1 - a - b) * r[0] + a * r[1] + b * r[2];
    case SiteForm::three_fd:
      return r[0] + b * unit((1 - a) * r[1] + a * r[2] - r[0]);
    case SiteForm::three_fad: {
      const Vec3<double> ij = r[1] - r[0], jk = r[2] - r[1];
      const Vec3<double> perpendicular = jk - (dot(ij, jk) / dot(ij, ij)) * ij;
      return r[0] + (b * std::cos(a)) * unit(ij) + (b * std::sin(a)) * unit(perpendicular);
    }
    case SiteForm::three_out:
      return r[0] + a * (r[1] - r[0]) + b * (r[2] - r[0]) + c * cross(r[1] - r[0], r[2] - r[0]);
    case SiteForm::four_fdn: {
      const Vec3<double> ij = r[1] - r[0], ja = a * (r[2] - r[0]) - ij, jb = b * (r[3] - r[0]) - ij;
      return r[0] + c * unit(cross(ja, jb));
    }
  }
  return {};
}

inline Vectors random_vectors(std::size_t n, double width, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, width);
  Vectors vectors(n);
  for (auto& v : vectors) v = {normal(random), normal(random), normal(random)};
  return vectors;
}

}  // namespace dropmd
