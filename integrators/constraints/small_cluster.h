#pragma once

#include <cmath>
#include <type_traits>

#include "core/counted_noun.h"
#include "core/lanes/fused_vec3.h"
#include "core/macros.h"
#include "core/vec3.h"
#include "integrators/constraints/linear_solve.h"

namespace dropmd {

/// The solvers of a few coupled constraints |r_c| = d_c, r_c the vector from a constraint's first atom to its second,
/// in one source for both processors. Shape: see cluster_shapes.h; c and d count constraints.
///
/// Positions (Kräutler, van Gunsteren and Hünenberger, J. Comput. Chem. 22, 501, 2001): the atoms are displaced along
/// the vectors q_d of the constraints at the reference positions,
///
///   x_i += w_i Σ_d s_id λ_d q_d,   w_i = 1/m_i,   s_id = +1 for the second atom of d, −1 for the first, else 0
///
/// so that r_c changes by Σ_d K_cd λ_d q_d with K_cd = w_second(c) s_second(c),d − w_first(c) s_first(c),d. Newton's
/// method solves g_c = (r_c² − d_c²)/2 = 0 with the full matrix ∂g_c/∂λ_d = K_cd r_c·q_d, renewed in each iteration.
/// g is computed in double precision, and a step of the method in single precision without exchanges of rows, unless it
/// does not converge: its errors of some 1e-6 of the step do not delay convergence, and a GPU solves the equations in a
/// fraction of the time. After a step from g_c ≤ 1e-10 d_c² no further one is needed.
/// Velocities (Andersen, J. Comput. Phys. 52, 24, 1983): v_i += w_i Σ_d s_id μ_d r_d with r_d at the present positions,
/// and r_c·(relative velocity of c) = 0, one linear system of K_cd r_c·r_d. (Vectors that are not of unit length save
/// square roots and divisions.)
///
/// Momentum and angular momentum (about any point, with the reference positions) are conserved to rounding. All
/// computation is in differences of positions, so that its precision does not depend on the distance from the origin.
template <class Shape>
struct SmallCluster {
  static constexpr int kAtoms = Shape::kAtoms, kConstraints = Shape::kConstraints;
  static constexpr CountedNoun kName = Shape::kName;
  static constexpr double kTolerance = 1e-14;  ///< of a length, relative
  /// Of a length, relative: a step from there leads to less than the tolerance, even if single precision multiplies its
  /// error by 10³.
  static constexpr double kLastStep = 1e-10;
  static constexpr int kMostIterations = 30;  ///< three or four are usual

  double inverse_mass[kAtoms];  ///< 1/mass
  double length[kConstraints];  ///< length; 0: this constraint does not exist

  friend bool operator==(const SmallCluster&, const SmallCluster&) = default;

  /// Computes the displacements that bring the atoms from `position` to positions that satisfy the constraints.
  /// reference, position, displacement: [kAtoms] length; the reference positions are those before the move. Returns
  /// false, with displacements 0, if there is no solution in which each constraint turns by less than 90°.
  DROPMD_HOST_DEVICE bool displacements(const Vec3<double>* reference, const Vec3<double>* position,
                                        Vec3<double>* displacement) const {
    return displacements_by<float>(reference, position, displacement) ||
           displacements_in_double(reference, position, displacement);
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

  /// Removes the part of the forces that would change the constrained distances: the accelerations that remain have no
  /// component along the constraints. Returns and requires what solve_velocities() does.
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
  /// displacements() with the matrix in the precision of Real.
  template <class Real>
  DROPMD_HOST_DEVICE bool displacements_by(const Vec3<double>* reference, const Vec3<double>* position,
                                           Vec3<double>* displacement) const {
    DROPMD_UNROLL
    for (int i = 0; i < kAtoms; ++i) displacement[i] = {};
    Vec3<double> direction[kConstraints], free[kConstraints], bond[kConstraints];
    Vec3<Real> along[kConstraints];
    if (!vectors(reference, direction)) return false;
    DROPMD_UNROLL
    for (int c = 0; c < kConstraints; ++c) {
      free[c] = position[Shape::second(c)] - position[Shape::first(c)];
      along[c] = rounded<Real>(direction[c]);
    }
    double multiplier[kConstraints] = {};
    const Real of_absent = absent<Real>();
    bool solved = false;
    for (int iteration = 0; iteration < kMostIterations && !solved; ++iteration) {
      Real matrix[kConstraints][kConstraints], excess[kConstraints];
      bool done = true;
      solved = true;
      DROPMD_UNROLL
      for (int c = 0; c < kConstraints; ++c) {
        bond[c] = free[c];
        DROPMD_UNROLL
        for (int d = 0; d < kConstraints; ++d)
          if (coupled(c, d)) bond[c] = fused_multiply_add(coupling(c, d) * multiplier[d], direction[d], bond[c]);
        const double length2 = length[c] * length[c];
        const double g = length[c] > 0 ? 0.5 * (length2 - fused_dot(bond[c], bond[c])) : 0;
        done = done && std::fabs(g) <= kTolerance * length2;  // false for NaN
        solved = solved && std::fabs(g) <= kLastStep * length2;
        excess[c] = static_cast<Real>(g);
        const Vec3<Real> present = rounded<Real>(bond[c]);
        DROPMD_UNROLL
        for (int d = 0; d < kConstraints; ++d)
          matrix[c][d] = coupled(c, d) ? static_cast<Real>(coupling(c, d)) * fused_dot(present, along[d]) : Real(0);
        if (!(length[c] > 0)) matrix[c][c] = of_absent;
      }
      if (done) break;
      constexpr auto kPivots = std::is_same_v<Real, float> ? Pivots::on_diagonal : Pivots::any;
      if (!solve_linear<kPivots>(matrix, excess)) return false;
      DROPMD_UNROLL
      for (int c = 0; c < kConstraints; ++c) multiplier[c] += excess[c];
    }
    DROPMD_UNROLL
    for (int c = 0; c < kConstraints; ++c) solved = solved && (length[c] == 0 || fused_dot(bond[c], direction[c]) > 0);
    if (solved) add_impulses(multiplier, direction, inverse_mass, displacement);
    return solved;
  }
  DROPMD_HOST_DEVICE DROPMD_OUTLINED bool displacements_in_double(const Vec3<double>* reference,
                                                                  const Vec3<double>* position,
                                                                  Vec3<double>* displacement) const {
    return displacements_by<double>(reference, position, displacement);
  }

  template <class Real>
  static DROPMD_HOST_DEVICE Vec3<Real> rounded(const Vec3<double>& v) {
    return {static_cast<Real>(v.x), static_cast<Real>(v.y), static_cast<Real>(v.z)};
  }
  /// Returns the diagonal element for a constraint that does not exist, similar in size to the others.
  template <class Real>
  DROPMD_HOST_DEVICE Real absent() const {
    double longest = 0;
    DROPMD_UNROLL
    for (int c = 0; c < kConstraints; ++c) longest = std::fmax(longest, length[c]);
    return static_cast<Real>(coupling(0, 0) * longest * longest);
  }

  /// Computes the vectors of the constraints, 0 for those that do not exist. Returns false if one has no direction.
  DROPMD_HOST_DEVICE bool vectors(const Vec3<double>* position, Vec3<double>* vector) const {
    bool defined = true;
    DROPMD_UNROLL
    for (int c = 0; c < kConstraints; ++c) {
      vector[c] = {};
      if (!(length[c] > 0)) continue;
      vector[c] = position[Shape::second(c)] - position[Shape::first(c)];
      const double squared = fused_dot(vector[c], vector[c]);
      defined = defined && squared > 0 && squared < 1e300;  // false for NaN, too
    }
    return defined;
  }

  /// Computes μ of the formulas above.
  DROPMD_HOST_DEVICE bool velocity_multipliers(const Vec3<double>* position, const Vec3<double>* velocity,
                                               Vec3<double>* direction, double (&multiplier)[kConstraints]) const {
    if (!vectors(position, direction)) return false;
    const double of_absent = absent<double>();
    double matrix[kConstraints][kConstraints];
    bool finite = true;
    DROPMD_UNROLL
    for (int c = 0; c < kConstraints; ++c) {
      multiplier[c] = -fused_dot(direction[c], velocity[Shape::second(c)] - velocity[Shape::first(c)]);
      finite = finite && std::fabs(multiplier[c]) < 1e300;
      DROPMD_UNROLL
      for (int d = 0; d < kConstraints; ++d)
        matrix[c][d] = coupled(c, d) ? coupling(c, d) * fused_dot(direction[c], direction[d]) : 0;
      if (length[c] == 0) matrix[c][c] = of_absent;
    }
    return finite && solve_linear<Pivots::on_diagonal>(matrix, multiplier);  // the matrix is positive definite
  }

  /// Adds weight_i Σ_d s_id multiplier_d direction_d to the vector of each atom.
  DROPMD_HOST_DEVICE static void add_impulses(const double* multiplier, const Vec3<double>* direction,
                                              const double* weight, Vec3<double>* vector) {
    DROPMD_UNROLL
    for (int i = 0; i < kAtoms; ++i) {
      Vec3<double> sum;
      DROPMD_UNROLL
      for (int d = 0; d < kConstraints; ++d)
        if (sign(i, d) != 0) sum = fused_multiply_add(sign(i, d) * multiplier[d], direction[d], sum);
      vector[i] = fused_multiply_add(weight[i], sum, vector[i]);
    }
  }
};

}  // namespace dropmd
