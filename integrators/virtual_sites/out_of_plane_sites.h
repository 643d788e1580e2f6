#pragma once

#include "core/macros.h"
#include "core/topology/virtual_sites.h"
#include "core/vec3.h"
#include "integrators/virtual_sites/unit_direction.h"

/// Virtual sites outside the plane of their parents (see linear_sites.h).
namespace dropmd {

/// r_i + a r_ij + b r_ik + c (r_ij × r_ik).
struct SiteOutOfPlane {
  static constexpr SiteForm kForm = SiteForm::three_out;
  static constexpr int kParents = 3;
  double a, b;
  double c;  ///< 1/length

  friend bool operator==(const SiteOutOfPlane&, const SiteOutOfPlane&) = default;

  static SiteOutOfPlane make(const VirtualSite& site) {
    return {site.parameter[0], site.parameter[1], site.parameter[2]};
  }
  DROPMD_HOST_DEVICE Vec3<double> place(const Vec3<double>* parent) const {
    const Vec3<double> ij = parent[1] - parent[0], ik = parent[2] - parent[0];
    return parent[0] + (a * ij + b * ik + c * cross(ij, ik));
  }
  DROPMD_HOST_DEVICE void spread(const Vec3<double>* parent, const Vec3<double>& force, Vec3<double>* on_parent) const {
    const Vec3<double> ij = parent[1] - parent[0], ik = parent[2] - parent[0];
    on_parent[1] = a * force + c * cross(ik, force);
    on_parent[2] = b * force + c * cross(force, ij);
    on_parent[0] = force - on_parent[1] - on_parent[2];
  }
};

/// r_i + c n/|n|, n = p × q, p = a r_ik − r_ij, q = b r_il − r_ij. Where the parents leave n undefined, the site is at
/// the first parent, and its force acts there.
struct SiteOfFourNormal {
  static constexpr SiteForm kForm = SiteForm::four_fdn;
  static constexpr int kParents = 4;
  double a, b;
  double c;  ///< length

  friend bool operator==(const SiteOfFourNormal&, const SiteOfFourNormal&) = default;

  static SiteOfFourNormal make(const VirtualSite& site) {
    return {site.parameter[0], site.parameter[1], site.parameter[2]};
  }
  DROPMD_HOST_DEVICE Vec3<double> place(const Vec3<double>* parent) const {
    return parent[0] + c * Normal(*this, parent).n.unit;
  }
  DROPMD_HOST_DEVICE void spread(const Vec3<double>* parent, const Vec3<double>& force, Vec3<double>* on_parent) const {
    const Normal normal(*this, parent);
    const Vec3<double> on_n = c * normal.n.derivative(force);
    const Vec3<double> on_p = cross(normal.q, on_n), on_q = cross(on_n, normal.p);
    on_parent[1] = -(on_p + on_q);
    on_parent[2] = a * on_p;
    on_parent[3] = b * on_q;
    on_parent[0] = force - on_parent[1] - on_parent[2] - on_parent[3];
  }

 private:
  struct Normal {
    DROPMD_HOST_DEVICE Normal(const SiteOfFourNormal& site, const Vec3<double>* parent)
        : p(site.a * (parent[2] - parent[0]) - (parent[1] - parent[0])),
          q(site.b * (parent[3] - parent[0]) - (parent[1] - parent[0])),
          n(cross(p, q), dot(p, p) * dot(q, q)) {}

    Vec3<double> p, q;
    UnitDirection n;
  };
};

}  // namespace dropmd
