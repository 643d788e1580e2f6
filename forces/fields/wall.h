#pragma once

#include <cmath>
#include <tuple>

#include "core/forms/form.h"
#include "core/macros.h"
#include "core/vec3.h"
#include "forces/fields/atom_point.h"

/// Walls that confine a droplet: spheres of radius R around the origin, in fp64. Few atoms are ever outside.
namespace dropmd {

/// The key `radius` of a wall.
inline constexpr FormKey wall_radius_key() {
  FormKey key{"radius", "length"};
  key.required = false;
  key.note = "the structure's radius";
  return key;
}

/// The key `stiffness` of a wall; otherwise: its default.
inline constexpr FormKey wall_stiffness_key(const char* unit, double otherwise) {
  return {"stiffness", unit, Range::positive, false, /*required=*/false, otherwise, otherwise};
}

/// U = ½ k (r − R)² for r > R; F = −k (r − R) x/r. k is in energy/length².
struct HarmonicWall {
  static FormInfo form() {
    return {"harmonic", {wall_radius_key(), wall_stiffness_key("energy/length^2", 1.0)}, "k/2 (r - R)^2 beyond R"};
  }

  double radius, stiffness;

  explicit HarmonicWall(const FormChoice& choice) : radius(choice.at("radius")), stiffness(choice.at("stiffness")) {}

  DROPMD_HOST_DEVICE AtomTermValue operator()(const Vec3<double>& x) const {
    const double r2 = dot(x, x);
    if (!(r2 > radius * radius)) return {};
    return outside(radius, stiffness, x, r2);
  }

 private:
  static DROPMD_HOST_DEVICE DROPMD_OUTLINED AtomTermValue outside(double radius, double stiffness, Vec3<double> x,
                                                                  double r2) {
    const double r = sqrt(r2);
    const double beyond = r - radius;
    return {0.5 * stiffness * beyond * beyond, (-stiffness * beyond / r) * x};
  }
};

/// U = (k/4R)(r² − R²)² for r > R; F = −k (r² − R²) x/R. k is in energy/length³. With k = 0.01 it is the wall of the
/// 2009 program simple_md_gpu.
struct QuarticWall {
  static FormInfo form() {
    return {
        "quartic", {wall_radius_key(), wall_stiffness_key("energy/length^3", 0.01)}, "k/(4R) (r^2 - R^2)^2 beyond R"};
  }

  double radius, stiffness;

  explicit QuarticWall(const FormChoice& choice) : radius(choice.at("radius")), stiffness(choice.at("stiffness")) {}

  DROPMD_HOST_DEVICE AtomTermValue operator()(const Vec3<double>& x) const {
    const double beyond = dot(x, x) - radius * radius;
    if (!(beyond > 0)) return {};
    return outside(radius, stiffness, x, beyond);
  }

 private:
  static DROPMD_HOST_DEVICE DROPMD_OUTLINED AtomTermValue outside(double radius, double stiffness, Vec3<double> x,
                                                                  double beyond) {
    return {0.25 * stiffness / radius * beyond * beyond, (-stiffness * beyond / radius) * x};
  }
};

/// The walls of this build. A new wall needs a struct and its name here.
using WallForms = std::tuple<HarmonicWall, QuarticWall>;

}  // namespace dropmd
