#pragma once

#include <string_view>

#include "core/macros.h"
#include "core/topology/virtual_sites.h"
#include "core/vec3.h"

/// Virtual sites whose positions are linear in those of their parents. The struct of each form, here and in the other
/// headers, holds its parameters and has
///
///   place(parent)                       position of the site; parent: [kParents] positions of i, j, k, l
///   spread(parent, force, on_parent)    on_parent[p] = (∂site/∂parent p)ᵀ force: total force and torque stay the same
///
/// Formulas are those of the GROMACS manual ("Virtual interaction sites"), in differences of positions, so that their
/// precision does not depend on the distance from the origin. Results are finite wherever the parents are.
namespace dropmd {

/// r_i.
struct SiteAtOne {
  static constexpr SiteForm kForm = SiteForm::at_one;
  static constexpr int kParents = 1;

  friend bool operator==(const SiteAtOne&, const SiteAtOne&) = default;

  static SiteAtOne make(const VirtualSite&) { return {}; }
  DROPMD_HOST_DEVICE Vec3<double> place(const Vec3<double>* parent) const { return parent[0]; }
  DROPMD_HOST_DEVICE void spread(const Vec3<double>*, const Vec3<double>& force, Vec3<double>* on_parent) const {
    on_parent[0] = force;
  }
};

/// r_i + a r_ij.
struct SiteOfTwo {
  static constexpr SiteForm kForm = SiteForm::two;
  static constexpr int kParents = 2;
  double a;

  friend bool operator==(const SiteOfTwo&, const SiteOfTwo&) = default;

  static SiteOfTwo make(const VirtualSite& site) { return {site.parameter[0]}; }
  DROPMD_HOST_DEVICE Vec3<double> place(const Vec3<double>* parent) const {
    return parent[0] + a * (parent[1] - parent[0]);
  }
  DROPMD_HOST_DEVICE void spread(const Vec3<double>*, const Vec3<double>& force, Vec3<double>* on_parent) const {
    on_parent[1] = a * force;
    on_parent[0] = force - on_parent[1];
  }
};

/// r_i + a r_ij + b r_ik.
struct SiteOfThree {
  static constexpr SiteForm kForm = SiteForm::three;
  static constexpr int kParents = 3;
  double a, b;

  friend bool operator==(const SiteOfThree&, const SiteOfThree&) = default;

  static SiteOfThree make(const VirtualSite& site) { return {site.parameter[0], site.parameter[1]}; }
  DROPMD_HOST_DEVICE Vec3<double> place(const Vec3<double>* parent) const {
    return parent[0] + (a * (parent[1] - parent[0]) + b * (parent[2] - parent[0]));
  }
  DROPMD_HOST_DEVICE void spread(const Vec3<double>*, const Vec3<double>& force, Vec3<double>* on_parent) const {
    on_parent[1] = a * force;
    on_parent[2] = b * force;
    on_parent[0] = force - on_parent[1] - on_parent[2];
  }
};

}  // namespace dropmd
