#pragma once

#include <optional>
#include <span>

#include "core/run/coulomb_settings.h"
#include "forces/mesh/charge_statistics.h"

namespace dropmd {

/// The parameters of an untruncated Coulomb term that is divided between pairs and a mesh.
struct MeshParameters {
  double cutoff = 0;     ///< r_c: of the pairs, length
  double bandwidth = 0;  ///< c of the split (coulomb_split.h)
  double spacing = 0;    ///< h of the mesh, length
  int order = 0;         ///< P of the B-splines
  /// Bound of SplitPolynomial::error for the polynomial of the pair form: a fifth of the error of the mesh.
  double fit_error = 0;

  friend bool operator==(const MeshParameters&, const MeshParameters&) = default;
};

/// Returns f_P(η), the error of the forces of a mesh of spacing h = η r_c with B-splines of order P, if the bandwidth
/// is that of f_P: the RMS error over all atoms is k_e ⟨q²⟩ √(ρ/r_c) f_P for uncorrelated charges of density ρ. It is a
/// power law of η, measured from 0.1 to 0.25; below that, the bandwidth rises and the error falls more slowly, which a
/// second term of the logarithm describes (measured down to f = 1e-9; tests/forces/mesh/mesh_accuracy_test.cpp).
double spline_error(int order, double ratio);
/// Returns the η at which the error is f; at most kMostSpacing.
double spline_ratio(int order, double error);
/// The largest h/r_c that is used: beyond it the power law does not hold.
inline constexpr double kMostSpacing = 0.3;
/// The factor by which the estimated error is multiplied before it is compared with the requested accuracy: estimates
/// were between 0.8 and 6 times the measured errors.
inline constexpr double kErrorMargin = 1.3;

/// The time that parts of an evaluation take, in any one unit, by which parameters and boxes are chosen.
struct MeshPrices {
  double pair = 0;          ///< a pair within the cutoff, counted once, with its share of the search
  double point = 0;         ///< a point of the padded mesh, both transforms
  double spline_point = 0;  ///< a point to which a charge is spread, and from which it is interpolated
  double direct_pair = 0;   ///< a pair with one atom outside of the mesh
  double level = 0;         ///< a second mesh, besides its points
  /// A pair within the range in which charges of a second mesh meet directly, relative to direct_pair: where such
  /// charges are far from each other, more pairs are looked at than are within range.
  double near_pair = 1;
};

/// Of one thread of a CPU with AVX2 (AMD EPYC, Zen 5), in ns, for pairs in mixed precision; docs/experiments.md has the
/// measurements ("Far field on the CPU").
inline constexpr MeshPrices kCpuMeshPrices{1.65, 2, 0.45, 4};

/// Returns the estimated RMS error of the forces, relative to the force scale of the charges:
///
///   k_e √(n/r_c) f_P(h/r_c) / force_scale,   n = ⟨q² Σ_j q_j²⟩ per volume + 3.5 ⟨q⁴⟩/r_c³
///
/// which is k_e ⟨q²⟩ √(ρ/r_c) f_P for charges of uniform density ρ. The volume is that around the atoms, so that two
/// distant droplets have the density of one, and the second part is the force of a charge on itself through the mesh,
/// which matters in thin systems alone. Where neighbours have charges of one sign, their errors add up: the first part
/// is multiplied by ChargeStatistics::coherence.
double estimated_error(const ChargeStatistics& charges, double coulomb_constant, double cutoff, double spacing,
                       int order);

/// Returns the parameters of a mesh whose estimated error, times the margin, is the accuracy, for a cutoff and an
/// order.
MeshParameters mesh_parameters(const ChargeStatistics& charges, double coulomb_constant, double accuracy, double cutoff,
                               int order);

/// Returns the parameters with a smaller spacing, for which the law of f_P gives the error times a factor below 1.
MeshParameters finer_mesh(const MeshParameters& parameters, double factor);

/// Parameters, with what they are estimated to give.
struct MeshPlan {
  MeshParameters parameters{};
  double error = 0;  ///< estimated, without the margin
  double cost = 0;   ///< of an evaluation, in the unit of the prices
};

/// Returns the number of points of the padded mesh that charges filling a cuboid need; infinite beyond what fits into
/// the memory of any machine.
double padded_points(const Vec3<double>& size, double spacing, int order);

/// Returns the plan of least cost for the accuracy of the settings. Its parameters are those that the settings fix, and
/// otherwise a cutoff from `cutoffs` (lengths), an order of 4 to 8, and the widest spacing that suffices. If a fixed
/// spacing is too wide for every choice of the others, the plan of the least error is returned.
MeshPlan plan_mesh(const ChargeStatistics& charges, double coulomb_constant, const CoulombSettings& settings,
                   std::span<const double> cutoffs, const MeshPrices& prices);

}  // namespace dropmd
