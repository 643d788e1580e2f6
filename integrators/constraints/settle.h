#pragma once

#include <cmath>
#include <string_view>

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
  static constexpr std::string_view kName = "rigid waters of three sites";

  SmallCluster<TriangleShape> triangle;  ///< the same molecule for the general solver
  double apex_share;                     ///< mass of the apex over that of the molecule
  double ra, rb, rc;  ///< length: centre of mass to apex and to the base, half of the base; the paper's Figure 2
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
    Vec3<double> z = cross(b0, c0), x = cross(a1, z), y = cross(z, x);
    const double squared_x = dot(x, x), squared_y = dot(y, y), squared_z = dot(z, z);
    if (!(squared_x > 0 && squared_y > 0 && squared_z > 0)) return false;
    x *= 1 / std::sqrt(squared_x);
    y *= 1 / std::sqrt(squared_y);
    z *= 1 / std::sqrt(squared_z);
    const double b0x = dot(x, b0), b0y = dot(y, b0), c0x = dot(x, c0), c0y = dot(y, c0);
    const double a1z = dot(z, a1), b1x = dot(x, b1), b1y = dot(y, b1), b1z = dot(z, b1);
    const double c1x = dot(x, c1), c1y = dot(y, c1), c1z = dot(z, c1);

    // Rotations about X (φ) and Y (ψ), which bring the atoms to their heights above the reference plane.
    const double sin_phi = a1z / ra, cos2_phi = 1 - sin_phi * sin_phi;
    if (!(cos2_phi > 0)) return false;
    const double cos_phi = std::sqrt(cos2_phi);
    const double sin_psi = (b1z - c1z) / (2 * rc * cos_phi), cos2_psi = 1 - sin_psi * sin_psi;
    if (!(cos2_psi > 0)) return false;
    const double a2y = ra * cos_phi, b2x = -rc * std::sqrt(cos2_psi);
    const double b2y = -rb * cos_phi - rc * sin_psi * sin_phi, c2y = -rb * cos_phi + rc * sin_psi * sin_phi;

    // Rotation about Z (θ), for which the constraint forces exert no torque.
    const double alpha = b2x * (b0x - c0x) + b0y * b2y + c0y * c2y;
    const double beta = b2x * (c0y - b0y) + b0x * b2y + c0x * c2y;
    const double gamma = b0x * b1y - b1x * b0y + c0x * c1y - c1x * c0y;
    const double squares = alpha * alpha + beta * beta, root2 = squares - gamma * gamma;
    if (!(root2 > 0)) return false;
    const double root = std::sqrt(root2);
    const double sin_theta = (alpha * gamma - beta * root) / squares;
    const double cos_theta = (alpha * root + beta * gamma) / squares;

    const Vec3<double> a3 = (-a2y * sin_theta) * x + (a2y * cos_theta) * y + a1z * z;
    const Vec3<double> b3 = (b2x * cos_theta - b2y * sin_theta) * x + (b2x * sin_theta + b2y * cos_theta) * y + b1z * z;
    const Vec3<double> c3 =
        (-b2x * cos_theta - c2y * sin_theta) * x + (-b2x * sin_theta + c2y * cos_theta) * y + c1z * z;
    if (!(dot(b3 - a3, b0) > 0 && dot(c3 - a3, c0) > 0 && dot(c3 - b3, c0 - b0) > 0)) return false;
    displacement[0] = a3 - a1;
    displacement[1] = b3 - b1;
    displacement[2] = c3 - c1;
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
    for (int i = 0; i < kAtoms; ++i) velocity[i] += triangle.inverse_mass[i] * impulse[i];
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
    const double length2 = triangle.length[constraint] * triangle.length[constraint], r2 = dot(r, r);
    return r2 > 0.25 * length2 && r2 < 4 * length2;
  }

  /// Computes the impulses along the constraints that remove the velocities along them. Returns false if one is not
  /// finite, or if the positions are far from those of the triangle.
  DROPMD_HOST_DEVICE bool impulses(const Vec3<double>* position, const Vec3<double>* velocity,
                                   Vec3<double>* impulse) const {
    const Vec3<double> r0 = position[1] - position[0], r1 = position[2] - position[0], r2 = position[2] - position[1];
    const double g0 = dot(r0, velocity[1] - velocity[0]), g1 = dot(r1, velocity[2] - velocity[0]),
                 g2 = dot(r2, velocity[2] - velocity[1]);
    const double m0 = leg_leg * g0 + leg_other * g1 + leg_base * g2;
    const double m1 = leg_other * g0 + leg_leg * g1 + leg_base * g2;
    const double m2 = leg_base * (g0 + g1) + base_base * g2;
    if (!(std::fabs(m0) + std::fabs(m1) + std::fabs(m2) < 1e300)) return false;
    if (!(has_length(r0, 0) && has_length(r1, 1) && has_length(r2, 2))) return false;
    impulse[0] = m0 * r0 + m1 * r1;
    impulse[1] = m2 * r2 - m0 * r0;
    impulse[2] = -(m1 * r1 + m2 * r2);
    return true;
  }
};

}  // namespace dropmd
