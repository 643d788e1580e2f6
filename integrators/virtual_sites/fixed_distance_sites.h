#pragma once

#include <cmath>

#include "core/macros.h"
#include "core/topology/virtual_sites.h"
#include "core/vec3.h"
#include "integrators/virtual_sites/unit_direction.h"

/// Virtual sites at a fixed distance from their first parent, in the plane of the parents (see linear_sites.h). If the
/// parents leave a direction undefined, the site has no displacement along it, and the force is spread accordingly.
namespace dropmd {

/// r_i + a r_ij/|r_ij|.
struct SiteOfTwoFixedDistance {
  static constexpr SiteForm kForm = SiteForm::two_fd;
  static constexpr int kParents = 2;
  double a;  ///< length

  friend bool operator==(const SiteOfTwoFixedDistance&, const SiteOfTwoFixedDistance&) = default;

  static SiteOfTwoFixedDistance make(const VirtualSite& site) { return {site.parameter[0]}; }
  DROPMD_HOST_DEVICE Vec3<double> place(const Vec3<double>* parent) const { return parent[0] + a * along(parent).unit; }
  DROPMD_HOST_DEVICE void spread(const Vec3<double>* parent, const Vec3<double>& force, Vec3<double>* on_parent) const {
    on_parent[1] = a * along(parent).derivative(force);
    on_parent[0] = force - on_parent[1];
  }

 private:
  DROPMD_HOST_DEVICE static UnitDirection along(const Vec3<double>* parent) { return {parent[1] - parent[0], 0}; }
};

/// r_i + b d/|d|, d = r_ij + a r_jk.
struct SiteOfThreeFixedDistance {
  static constexpr SiteForm kForm = SiteForm::three_fd;
  static constexpr int kParents = 3;
  double a;
  double b;  ///< length

  friend bool operator==(const SiteOfThreeFixedDistance&, const SiteOfThreeFixedDistance&) = default;

  static SiteOfThreeFixedDistance make(const VirtualSite& site) { return {site.parameter[0], site.parameter[1]}; }
  DROPMD_HOST_DEVICE Vec3<double> place(const Vec3<double>* parent) const { return parent[0] + b * along(parent).unit; }
  DROPMD_HOST_DEVICE void spread(const Vec3<double>* parent, const Vec3<double>& force, Vec3<double>* on_parent) const {
    const Vec3<double> on_d = b * along(parent).derivative(force);
    on_parent[0] = force - on_d;
    on_parent[1] = (1 - a) * on_d;
    on_parent[2] = a * on_d;
  }

 private:
  DROPMD_HOST_DEVICE UnitDirection along(const Vec3<double>* parent) const {
    const Vec3<double> ij = parent[1] - parent[0], jk = a * (parent[2] - parent[1]);
    return {ij + jk, dot(ij, ij) + dot(jk, jk)};
  }
};

/// r_i + d (cos θ e + sin θ u) with e = r_ij/|r_ij| and u = p/|p|, p = r_jk − (e·r_jk) e. GROMACS' θ and d are a and b.
struct SiteOfThreeFixedAngle {
  static constexpr SiteForm kForm = SiteForm::three_fad;
  static constexpr int kParents = 3;
  double along, across;  ///< d cos θ, d sin θ: length

  friend bool operator==(const SiteOfThreeFixedAngle&, const SiteOfThreeFixedAngle&) = default;

  static SiteOfThreeFixedAngle make(const VirtualSite& site) {
    const double angle = site.parameter[0], distance = site.parameter[1];
    return {distance * std::cos(angle), distance * std::sin(angle)};
  }
  DROPMD_HOST_DEVICE Vec3<double> place(const Vec3<double>* parent) const {
    const Frame frame(parent);
    return parent[0] + (along * frame.e.unit + across * frame.u.unit);
  }
  /// The derivative of p is dp = dr_jk − (e·dr_jk) e − (e·r_jk) de − (p·de) e, where de is perpendicular to e, and a
  /// change of p changes u by its part perpendicular to u. With g = across (F − (u·F) u)/|p| this gives g − (e·g) e on
  /// r_jk, and on e: along F − (e·r_jk) g − (e·g) p.
  DROPMD_HOST_DEVICE void spread(const Vec3<double>* parent, const Vec3<double>& force, Vec3<double>* on_parent) const {
    const Frame frame(parent);
    const Vec3<double> g = across * frame.u.derivative(force);
    const double g_along = dot(frame.e.unit, g);
    const Vec3<double> on_jk = g - g_along * frame.e.unit;
    const Vec3<double> on_ij = frame.e.derivative(along * force - frame.jk_along * g - g_along * frame.p);
    on_parent[0] = force - on_ij;
    on_parent[1] = on_ij - on_jk;
    on_parent[2] = on_jk;
  }

 private:
  struct Frame {
    DROPMD_HOST_DEVICE explicit Frame(const Vec3<double>* parent)
        : e(parent[1] - parent[0], 0),
          jk_along(dot(e.unit, parent[2] - parent[1])),
          p((parent[2] - parent[1]) - jk_along * e.unit),
          u(p, e.per_length > 0 ? jk_along * jk_along + dot(p, p) : 1e300) {}

    UnitDirection e;
    double jk_along;  ///< e·r_jk
    Vec3<double> p;
    UnitDirection u;
  };
};

}  // namespace dropmd
