#pragma once

#include <cmath>

#include "core/counted_noun.h"
#include "core/lanes/fused_vec3.h"
#include "core/macros.h"
#include "core/vec3.h"
#include "integrators/constraints/cluster_shapes.h"
#include "integrators/constraints/small_cluster.h"

namespace dropmd {

/// Rigid three-site water: an isosceles triangle of an apex (oxygen), atom 0, and two equal atoms. Positions follow in
/// closed form (SETTLE: Miyamoto and Kollman, J. Comput. Chem. 13, 952, 1992). So do velocities and forces: in the
/// 3 × 3 system of SmallCluster, with vectors r_c between atoms instead of unit vectors, all products r_c·r_d are those
/// of the rigid triangle, and the inverse matrix is constant. The names of angles and lengths are the paper's.
struct Settle {
  static constexpr int kAtoms = 3, kConstraints = 3;
  static constexpr CountedNoun kName{"rigid water of three sites", "rigid waters of three sites"};

  SmallCluster<TriangleShape> triangle;  ///< the same molecule for the general solver
  double apex_share;                     ///< mass of the apex over that of the molecule
  double ra, rb, rc;  ///< length: centre of mass to apex and to the base, half of the base; the paper's Figure 2
  double inverse_ra, inverse_base;  ///< of ra and of the base, length⁻¹
  /// The inverse of the matrix K_cd r_c·r_d of SmallCluster, mass/length²; c, d: the legs 0 and 1, the base 2. By
  /// symmetry there are four values: 00 and 11, 01, 02 and 12, 22.
  double leg_leg, leg_other, leg_base, base_base;

  friend bool operator==(const Settle&, const Settle&) = default;

  /// leg: apex to base atoms; base: between those. The triangle inequality base < 2 leg holds.
  static Settle make(double mass_apex, double mass_base, double leg, double base) {
    const double height = std::sqrt((leg - 0.5 * base) * (leg + 0.5 * base));
    const double share = mass_apex / (mass_apex + 2 * mass_base), w_apex = 1 / mass_apex, w_base = 1 / mass_base;
    // Differences of the legs' multipliers are coupled with nothing: eigenvalue A00 − A01. Sums are coupled with the
    // base: [A00 + A01, A02; 2 A02, A22] for (half of the sum, base).
    const double half_base2 = 0.5 * base * base, legs = leg * leg - half_base2;  // legs: r_0·r_1
    const double a00 = (w_apex + w_base) * leg * leg, a01 = w_apex * legs, a02 = w_base * half_base2,
                 a22 = 2 * w_base * base * base;
    const double of_difference = 1 / (a00 - a01), determinant = (a00 + a01) * a22 - 2 * a02 * a02;
    const double of_sum = a22 / determinant;
    return {{{w_apex, w_base, w_base}, {leg, leg, base}},
            share,
            (1 - share) * height,
            share * height,
            0.5 * base,
            1 / ((1 - share) * height),
            1 / base,
            0.5 * (of_sum + of_difference),
            0.5 * (of_sum - of_difference),
            -a02 / determinant,
            (a00 + a01) / determinant};
  }

  /// See SmallCluster::displacements().
  DROPMD_HOST_DEVICE bool displacements(const Vec3<double>* reference, const Vec3<double>* position,
                                        Vec3<double>* displacement) const {
    displacement[0] = displacement[1] = displacement[2] = {};
    // Vectors from the apex at the reference positions, and from the centre of mass after the move.
    const Vec3<double> b0 = reference[1] - reference[0], c0 = reference[2] - reference[0];
    const Vec3<double> to_b = position[1] - position[0], to_c = position[2] - position[0];
    const Vec3<double> a1 = (-0.5 * (1 - apex_share)) * (to_b + to_c), b1 = to_b + a1, c1 = to_c + a1;

    // The frame: Z is normal to the reference plane, and the apex after the move has no component along X.
    Vec3<double> z = fused_cross(b0, c0), x = fused_cross(a1, z);
    const double squared_x = fused_dot(x, x), squared_z = fused_dot(z, z);
    if (!(squared_x > 0 && squared_z > 0)) return false;
    x *= lane_rsqrt(squared_x);
    z *= lane_rsqrt(squared_z);
    const Vec3<double> y = fused_cross(z, x);
    const double b0x = fused_dot(x, b0), b0y = fused_dot(y, b0), c0x = fused_dot(x, c0), c0y = fused_dot(y, c0);
    const double a1y = fused_dot(y, a1), a1z = fused_dot(z, a1);
    const double b1x = fused_dot(x, b1), b1y = fused_dot(y, b1), b1z = fused_dot(z, b1);
    const double c1x = fused_dot(x, c1), c1y = fused_dot(y, c1), c1z = fused_dot(z, c1);

    // Rotations about X (φ) and Y (ψ), which bring the atoms to their heights above the reference plane.
    const double sin_phi = a1z * inverse_ra, cos2_phi = lane_fma(-sin_phi, sin_phi, 1.0);
    if (!(cos2_phi > 0)) return false;
    const double inverse_cos_phi = lane_rsqrt(cos2_phi), cos_phi = cos2_phi * inverse_cos_phi;
    const double sin_psi = (b1z - c1z) * inverse_base * inverse_cos_phi, cos2_psi = lane_fma(-sin_psi, sin_psi, 1.0);
    if (!(cos2_psi > 0)) return false;
    const double cos_psi = cos2_psi * lane_rsqrt(cos2_psi);
    const double a2y = ra * cos_phi, b2x = -rc * cos_psi, tilt = rc * sin_psi * sin_phi;
    const double b2y = lane_fma(-rb, cos_phi, -tilt), c2y = lane_fma(-rb, cos_phi, tilt);

    // Rotation about Z (θ), for which the constraint forces exert no torque.
    const double alpha = lane_fma(b2x, b0x - c0x, lane_fma(b0y, b2y, c0y * c2y));
    const double beta = lane_fma(b2x, c0y - b0y, lane_fma(b0x, b2y, c0x * c2y));
    const double gamma = lane_fma(b0x, b1y, lane_fma(c0x, c1y, -lane_fma(b1x, b0y, c1x * c0y)));
    const double squares = lane_fma(alpha, alpha, beta * beta), root2 = lane_fma(-gamma, gamma, squares);
    if (!(root2 > 0)) return false;
    const double root = root2 * lane_rsqrt(root2), inverse = 1 / squares;
    const double sin_theta = lane_fma(alpha, gamma, -(beta * root)) * inverse;
    const double cos_theta = lane_fma(alpha, root, beta * gamma) * inverse;

    // Where the atoms are in the frame's plane. Their heights above it do not change any more.
    const double a3x = -a2y * sin_theta, a3y = a2y * cos_theta;
    const double b3x = lane_fma(b2x, cos_theta, -(b2y * sin_theta)), b3y = lane_fma(b2x, sin_theta, b2y * cos_theta);
    const double c3x = -lane_fma(b2x, cos_theta, c2y * sin_theta), c3y = lane_fma(-b2x, sin_theta, c2y * cos_theta);
    const auto along = [](double ux, double uy, double vx, double vy) { return lane_fma(ux, vx, uy * vy); };
    if (!(along(b3x - a3x, b3y - a3y, b0x, b0y) > 0 && along(c3x - a3x, c3y - a3y, c0x, c0y) > 0 &&
          along(c3x - b3x, c3y - b3y, c0x - b0x, c0y - b0y) > 0))
      return false;
    displacement[0] = fused_multiply_add(a3x, x, (a3y - a1y) * y);
    displacement[1] = fused_multiply_add(b3x - b1x, x, (b3y - b1y) * y);
    displacement[2] = fused_multiply_add(c3x - c1x, x, (c3y - c1y) * y);
    return true;
  }

  /// See SmallCluster::solve_positions().
  DROPMD_HOST_DEVICE bool solve_positions(const Vec3<double>* reference, Vec3<double>* position) const {
    Vec3<double> displacement[kAtoms];
    const bool solved = displacements(reference, position, displacement);
    for (int i = 0; i < kAtoms; ++i) position[i] += displacement[i];
    return solved;
  }
  /// See SmallCluster::solve_velocities().
  DROPMD_HOST_DEVICE bool solve_velocities(const Vec3<double>* position, Vec3<double>* velocity) const {
    Vec3<double> impulse[kAtoms];
    if (!impulses(position, velocity, impulse)) return false;
    for (int i = 0; i < kAtoms; ++i)
      velocity[i] = fused_multiply_add(triangle.inverse_mass[i], impulse[i], velocity[i]);
    return true;
  }
  /// See SmallCluster::solve_forces().
  DROPMD_HOST_DEVICE bool solve_forces(const Vec3<double>* position, Vec3<double>* force) const {
    Vec3<double> acceleration[kAtoms], impulse[kAtoms];
    for (int i = 0; i < kAtoms; ++i) acceleration[i] = triangle.inverse_mass[i] * force[i];
    if (!impulses(position, acceleration, impulse)) return false;
    for (int i = 0; i < kAtoms; ++i) force[i] += impulse[i];
    return true;
  }

 private:
  /// Returns whether a vector has the length of a constraint within a factor of two: the constant matrix is that of
  /// the rigid triangle, so that other positions are a mistake.
  DROPMD_HOST_DEVICE bool has_length(const Vec3<double>& r, int constraint) const {
    const double length2 = triangle.length[constraint] * triangle.length[constraint], r2 = fused_dot(r, r);
    return r2 > 0.25 * length2 && r2 < 4 * length2;
  }

  /// Computes the impulses along the constraints that remove the velocities along them. Returns false if one is not
  /// finite, or if the positions are far from those of the triangle.
  DROPMD_HOST_DEVICE bool impulses(const Vec3<double>* position, const Vec3<double>* velocity,
                                   Vec3<double>* impulse) const {
    const Vec3<double> r0 = position[1] - position[0], r1 = position[2] - position[0], r2 = position[2] - position[1];
    const double g0 = fused_dot(r0, velocity[1] - velocity[0]), g1 = fused_dot(r1, velocity[2] - velocity[0]),
                 g2 = fused_dot(r2, velocity[2] - velocity[1]);
    const double m0 = lane_fma(leg_leg, g0, lane_fma(leg_other, g1, leg_base * g2));
    const double m1 = lane_fma(leg_other, g0, lane_fma(leg_leg, g1, leg_base * g2));
    const double m2 = lane_fma(leg_base, g0 + g1, base_base * g2);
    if (!(std::fabs(m0) + std::fabs(m1) + std::fabs(m2) < 1e300)) return false;
    if (!(has_length(r0, 0) && has_length(r1, 1) && has_length(r2, 2))) return false;
    impulse[0] = fused_multiply_add(m0, r0, m1 * r1);
    impulse[1] = fused_multiply_add(m2, r2, -(m0 * r0));
    impulse[2] = -fused_multiply_add(m1, r1, m2 * r2);
    return true;
  }
};

}  // namespace dropmd
