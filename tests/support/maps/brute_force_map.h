#pragma once

#include <cmath>

#include "maps/map_model.h"

/// Potential and field at one point in long double, directly from the formulas of docs/physics.md.
namespace dropmd {

struct BruteForcePoint {
  long double potential = 0;
  Vec3<long double> field{};
  long double scale = 0;        ///< k_e Σ |q|/r over the atoms that count; errors are relative to it
  long double field_scale = 0;  ///< k_e Σ |q|/r²
  long double edge = 0;         ///< k_e Σ |q|/r over atoms within 1e-5 of the cutoff; mixed precision may differ there
  bool is_near = false;
};

inline BruteForcePoint brute_force_point(const MapModel& model, MapCharges charges, const Vec3<double>& point) {
  using Real = long double;
  const std::string& form = model.coulomb.form;
  const Real c = model.coulomb.value_or("cutoff", INFINITY), k = model.coulomb_constant;
  BruteForcePoint sum;
  for (std::size_t i = 0; i < charges.charge.size(); ++i) {
    const Real q = charges.charge[i];
    if (q == 0) continue;
    const Vec3<double>& atom = charges.position[i];
    const Vec3<Real> d{Real{point.x} - atom.x, Real{point.y} - atom.y, Real{point.z} - atom.z};
    const Real distance = std::sqrt(dot(d, d));
    const Real r = std::max(distance, Real{model.nearest});
    if (distance < Real{model.nearest}) sum.is_near = true;
    if (std::abs(r - c) < 1e-5L) sum.edge += k * std::abs(q) / r;
    if (!(r < c)) continue;
    const Real x2 = r * r / (c * c);
    Real u = 1 / r, slope = -1 / (r * r);
    if (form == "shift") {
      const Real s = (1 - x2) * (1 - x2);
      u = s / r;
      slope = -s / (r * r) - 4 * (1 - x2) / (c * c);
    } else if (form == "smoothed") {
      u = 1 / r - (15.0L / 8 - 5.0L / 4 * x2 + 3.0L / 8 * x2 * x2) / c;
      slope = -1 / (r * r) + (5.0L / 2 * r - 3.0L / 2 * r * x2) / (c * c * c);
    } else if (form == "reaction-field") {
      const Real e = model.coulomb.at("dielectric");
      const Real k_rf = (std::isinf(e) ? 0.5L : (e - 1) / (2 * e + 1)) / (c * c * c);
      u = 1 / r + k_rf * r * r - (1 / c + k_rf * c * c);
      slope = -1 / (r * r) + 2 * k_rf * r;
    }
    sum.potential += k * q * u;
    sum.scale += k * std::abs(q) / r;
    if (distance >= Real{model.nearest}) sum.field += (-k * q * slope / r) * d;
    sum.field_scale += k * std::abs(q) / (r * r);
  }
  return sum;
}

}  // namespace dropmd
