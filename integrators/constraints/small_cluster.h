#pragma once

#include <cmath>
#include <string_view>

#include "core/macros.h"
#include "core/vec3.h"
#include "integrators/constraints/linear_solve.h"

namespace dropmd {

/// The solvers of a few coupled constraints |r_c| = d_c, r_c the vector from a constraint's first atom to its second,
/// in one text for both processors. Shape: see cluster_shapes.h; c and d count constraints.
///
/// Positions (Kräutler, van Gunsteren and Hünenberger, J. Comput. Chem. 22, 501, 2001): the atoms are displaced along
/// the constraints' directions e_d at the reference positions,
///
///   x_i += w_i Σ_d s_id λ_d e_d,   w_i = 1/m_i,   s_id = +1 for the second atom of d, −1 for the first, else 0
///
/// so that r_c changes by Σ_d K_cd λ_d e_d with K_cd = w_second(c) s_second(c),d − w_first(c) s_first(c),d. Newton's
/// method solves g_c = (r_c²/d_c² − 1)/2 = 0 with the full matrix ∂g_c/∂λ_d = K_cd r_c·e_d/d_c², renewed in each
/// iteration. Velocities (Andersen, J. Comput. Phys. 52, 24, 1983): v_i += w_i Σ_d s_id μ_d e_d with e_d at the present
/// positions, and e_c·(relative velocity of c) = 0, one linear system of K_cd e_c·e_d.
///
/// Momentum and angular momentum (about any point, with the reference positions) are conserved to rounding. All
/// computation is in differences of positions, so that its precision does not depend on the distance from the origin.
template <class Shape>
struct SmallCluster {
  static constexpr int kAtoms = Shape::kAtoms, kConstraints = Shape::kConstraints;
  static constexpr std::string_view kName = Shape::kName;
  static constexpr double kTolerance = 1e-13;  ///< of a length, relative
  static constexpr int kMostIterations = 30;   ///< three or four are usual

  double inverse_mass[kAtoms];  ///< 1/mass
  double length[kConstraints];  ///< length; 0: this constraint does not exist

  friend bool operator==(const SmallCluster&, const SmallCluster&) = default;

  /// Computes the displacements that bring the atoms from `position` to positions that satisfy the constraints.
  /// reference, position, displacement: [kAtoms] length; the reference positions are those before the move. Returns
  /// false, with displacements 0, if there is no solution in which each constraint turns by less than 90°.
  DROPMD_HOST_DEVICE bool displacements(const Vec3<double>* reference, const Vec3<double>* position,
                                        Vec3<double>* displacement) const {
    DROPMD_UNROLL
    for (int i = 0; i < kAtoms; ++i) displacement[i] = {};
    Vec3<double> direction[kConstraints], free[kConstraints], bond[kConstraints];
    if (!directions(reference, direction)) return false;
    DROPMD_UNROLL
    for (int c = 0; c < kConstraints; ++c) free[c] = position[Shape::second(c)] - position[Shape::first(c)];

    double multiplier[kConstraints] = {};
    bool solved = false;
    for (int iteration = 0; iteration < kMostIterations && !solved; ++iteration) {
      double matrix[kConstraints][kConstraints], excess[kConstraints];
      solved = true;
      DROPMD_UNROLL
      for (int c = 0; c < kConstraints; ++c) {
        bond[c] = free[c];
        DROPMD_UNROLL
        for (int d = 0; d < kConstraints; ++d)
          if (coupled(c, d)) bond[c] += (coupling(c, d) * multiplier[d]) * direction[d];
        const bool exists = length[c] > 0;
        const double scale = exists ? 1 / (length[c] * length[c]) : 0;
        excess[c] = exists ? 0.5 * (1 - dot(bond[c], bond[c]) * scale) : 0;
        solved = solved && std::fabs(excess[c]) <= kTolerance;  // false for NaN
        DROPMD_UNROLL
        for (int d = 0; d < kConstraints; ++d)
          matrix[c][d] = coupled(c, d) ? coupling(c, d) * scale * dot(bond[c], direction[d]) : 0;
        if (!exists) matrix[c][c] = coupling(c, c) / longest();
      }
      if (solved) break;
      if (!solve_linear(matrix, excess)) return false;
      DROPMD_UNROLL
      for (int c = 0; c < kConstraints; ++c) multiplier[c] += excess[c];
    }
    DROPMD_UNROLL
    for (int c = 0; c < kConstraints; ++c) solved = solved && (length[c] == 0 || dot(bond[c], direction[c]) > 0);
    if (solved) add_impulses(multiplier, direction, inverse_mass, displacement);
    return solved;
  }

  /// Satisfies the constraints: position += displacement. Returns false, and changes nothing, if that fails.
  DROPMD_HOST_DEVICE bool solve_positions(const Vec3<double>* reference, Vec3<double>* position) const {
    Vec3<double> displacement[kAtoms];
    const bool solved = displacements(reference, position, displacement);
    DROPMD_UNROLL
    for (int i = 0; i < kAtoms; ++i) position[i] += displacement[i];
    return solved;
  }

  /// Removes the velocities along the constraints. position, velocity: [kAtoms]; the positions satisfy the constraints.
  /// Returns false, and changes nothing, if the constraints depend on each other or a value is not finite.
  DROPMD_HOST_DEVICE bool solve_velocities(const Vec3<double>* position, Vec3<double>* velocity) const {
    Vec3<double> direction[kConstraints];
    double multiplier[kConstraints];
    if (!velocity_multipliers(position, velocity, direction, multiplier)) return false;
    add_impulses(multiplier, direction, inverse_mass, velocity);
    return true;
  }

  /// Removes what of the forces would change the constrained distances: the accelerations that remain have no component
  /// along the constraints. Returns and requires what solve_velocities() does.
  DROPMD_HOST_DEVICE bool solve_forces(const Vec3<double>* position, Vec3<double>* force) const {
    Vec3<double> acceleration[kAtoms], direction[kConstraints];
    double multiplier[kConstraints], one[kAtoms];
    DROPMD_UNROLL
    for (int i = 0; i < kAtoms; ++i) {
      acceleration[i] = inverse_mass[i] * force[i];
      one[i] = 1;
    }
    if (!velocity_multipliers(position, acceleration, direction, multiplier)) return false;
    add_impulses(multiplier, direction, one, force);
    return true;
  }

 private:
  /// s_id of the formulas above.
  static DROPMD_HOST_DEVICE constexpr int sign(int atom, int d) {
    return (atom == Shape::second(d) ? 1 : 0) - (atom == Shape::first(d) ? 1 : 0);
  }
  /// Whether two constraints share an atom.
  static DROPMD_HOST_DEVICE constexpr bool coupled(int c, int d) {
    return sign(Shape::first(c), d) != 0 || sign(Shape::second(c), d) != 0;
  }
  /// K_cd of the formulas above.
  DROPMD_HOST_DEVICE double coupling(int c, int d) const {
    return inverse_mass[Shape::second(c)] * sign(Shape::second(c), d) -
           inverse_mass[Shape::first(c)] * sign(Shape::first(c), d);
  }
  DROPMD_HOST_DEVICE double longest() const {
    double longest = 0;
    DROPMD_UNROLL
    for (int c = 0; c < kConstraints; ++c) longest = std::fmax(longest, length[c]);
    return longest;
  }

  /// Computes the unit vectors along the constraints, 0 for those that do not exist. Returns false if one has no
  /// direction.
  DROPMD_HOST_DEVICE bool directions(const Vec3<double>* position, Vec3<double>* direction) const {
    bool defined = true;
    DROPMD_UNROLL
    for (int c = 0; c < kConstraints; ++c) {
      direction[c] = {};
      if (!(length[c] > 0)) continue;
      const Vec3<double> bond = position[Shape::second(c)] - position[Shape::first(c)];
      const double squared = dot(bond, bond);
      defined = defined && squared > 0 && squared < 1e300;  // false for NaN, too
      direction[c] = (1 / std::sqrt(squared)) * bond;
    }
    return defined;
  }

  /// Computes μ of the formulas above.
  DROPMD_HOST_DEVICE bool velocity_multipliers(const Vec3<double>* position, const Vec3<double>* velocity,
                                               Vec3<double>* direction, double (&multiplier)[kConstraints]) const {
    if (!directions(position, direction)) return false;
    double matrix[kConstraints][kConstraints];
    bool finite = true;
    DROPMD_UNROLL
    for (int c = 0; c < kConstraints; ++c) {
      multiplier[c] = -dot(direction[c], velocity[Shape::second(c)] - velocity[Shape::first(c)]);
      finite = finite && std::fabs(multiplier[c]) < 1e300;
      DROPMD_UNROLL
      for (int d = 0; d < kConstraints; ++d)
        matrix[c][d] = coupled(c, d) ? coupling(c, d) * dot(direction[c], direction[d]) : 0;
      if (length[c] == 0) matrix[c][c] = coupling(c, c);
    }
    return finite && solve_linear(matrix, multiplier);
  }

  /// Adds weight_i Σ_d s_id multiplier_d direction_d to the vector of each atom.
  DROPMD_HOST_DEVICE static void add_impulses(const double* multiplier, const Vec3<double>* direction,
                                              const double* weight, Vec3<double>* vector) {
    DROPMD_UNROLL
    for (int i = 0; i < kAtoms; ++i) {
      Vec3<double> sum;
      DROPMD_UNROLL
      for (int d = 0; d < kConstraints; ++d)
        if (sign(i, d) != 0) sum += (sign(i, d) * multiplier[d]) * direction[d];
      vector[i] += weight[i] * sum;
    }
  }
};

}  // namespace dropmd
