#pragma once

#include <cmath>

#include "core/macros.h"
#include "core/vec3.h"
#include "forces/bonded/potentials/bonded_value.h"

namespace dropmd {

/// The dihedral angle φ of four atoms, 0 for cis and 180° for trans (IUPAC), and the forces that follow from it
/// (Blondel and Karplus, J. Comput. Chem. 17, 1132 (1996)). With F = x_0 − x_1, G = x_1 − x_2, H = x_3 − x_2,
/// A = F × G and B = H × G:
///
///   cos φ = A · B/(|A| |B|),   sin φ = |G| A · H/(|A| |B|)
///   ∂φ/∂x_0 = −|G| A/A²,   ∂φ/∂x_3 = |G| B/B²
///   ∂φ/∂x_1 = −∂φ/∂x_0 + S,   ∂φ/∂x_2 = −∂φ/∂x_3 − S,   S = (F · G/A²) A/|G| − (H · G/B²) B/|G|
///
/// Nothing is divided by sin φ, so φ = 0 and 180° are like any other angle. Where three consecutive atoms are on a line
/// the angle does not exist and its gradient has no bound. Closer to that than kLeastSine the forces are zero; at
/// distances of 1 Å this is about where GROMACS in double precision also leaves them out. An angle that does not exist
/// has the cosine 1 and the sine 0.
class DihedralAngle {
 public:
  /// Sine of the angle between consecutive bonds.
  static constexpr double kLeastSine = 1e-7;

  DROPMD_HOST_DEVICE DihedralAngle(const Vec3<double>& x0, const Vec3<double>& x1, const Vec3<double>& x2,
                                   const Vec3<double>& x3)
      : f_(x0 - x1), g_(x1 - x2), h_(x3 - x2), a_(cross(f_, g_)), b_(cross(h_, g_)) {
    const double g2 = dot(g_, g_), y = std::sqrt(g2) * dot(a_, h_), x = dot(a_, b_);
    const double size2 = x * x + y * y;
    if (size2 > 0) {
      const double scale = 1 / std::sqrt(size2);
      cosine_ = scale * x;
      sine_ = scale * y;
    }
  }

  DROPMD_HOST_DEVICE double cosine() const { return cosine_; }
  DROPMD_HOST_DEVICE double sine() const { return sine_; }
  /// Returns φ in rad, from −π to π.
  DROPMD_HOST_DEVICE double radians() const { return std::atan2(sine_, cosine_); }

  /// Adds the forces on the four atoms. torque: −dU/dφ, energy/rad.
  DROPMD_HOST_DEVICE void add_forces(double torque, Vec3<double>* force) const {
    const double f2 = dot(f_, f_), g2 = dot(g_, g_), h2 = dot(h_, h_), a2 = dot(a_, a_), b2 = dot(b_, b_);
    constexpr double kLeast2 = kLeastSine * kLeastSine;
    if (!(f2 > kNoDirection2 && g2 > kNoDirection2 && h2 > kNoDirection2)) return;
    if (!(a2 > kLeast2 * f2 * g2 && b2 > kLeast2 * h2 * g2)) return;
    const double g = std::sqrt(g2);
    const Vec3<double> a = (torque / a2) * a_, b = (torque / b2) * b_;
    const Vec3<double> on_first = -g * a, on_last = g * b;
    const Vec3<double> on_second = (dot(f_, g_) / g) * a - (dot(h_, g_) / g) * b - on_first;
    force[0] += on_first;
    force[1] += on_second;
    force[2] -= on_first + on_second + on_last;
    force[3] += on_last;
  }

 private:
  Vec3<double> f_, g_, h_, a_, b_;
  double cosine_ = 1, sine_ = 0;
};

}  // namespace dropmd
