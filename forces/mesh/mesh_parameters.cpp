#include "forces/mesh/mesh_parameters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "forces/mesh/b_spline.h"
#include "forces/mesh/coulomb_split.h"
#include "forces/mesh/levels/level_choice.h"
#include "forces/mesh/mesh_region.h"

namespace dropmd {

namespace {

/// f_P(η) = at_fifth (η/0.2)^power; below η = 0.2, where the bandwidth rises as the spacing falls, times
/// exp(curvature ln²(η/0.2)).
struct PowerLaw {
  double at_fifth, power, curvature;
};
constexpr PowerLaw kLaws[] = {
    {5.2e-3, 2.7, 0.04}, {1.43e-3, 3.8, 0.07}, {5.1e-4, 4.7, 0.14}, {2.2e-4, 5.6, 0.04}, {1.15e-4, 6.7, 0.2}};

const PowerLaw& law_of(int order) {
  return kLaws[std::clamp(order, kLeastSplineOrder, kMostSplineOrder) - kLeastSplineOrder];
}

/// Number of charges in a volume r_c³ whose error is as large as the force of a charge on itself through the mesh.
/// Measured for charges at random places with ρ r_c³ from 0.2 to 22, for which it was 2.5 to 4.
constexpr double kSelf = 3.5;

/// The range, over r_c, within which the errors of neighbours add up: the one that gives charges of one sign the error
/// that was measured.
constexpr double kRange = 0.13;

/// Returns the factor of f_P in the relative error.
double error_per_f(const ChargeStatistics& charges, double coulomb_constant, double cutoff) {
  const double scale = charges.force_scale(coulomb_constant);
  if (!(scale > 0)) return 0;
  // The error of forces falls within a fraction of r_c, so the density is that of near neighbours.
  const double of_others = charges.coherence_within(kRange * cutoff) * charges.charge_pair_density(0.5 * cutoff);
  const double of_itself = kSelf * charges.sum_q4 / static_cast<double>(charges.n_atoms) / std::pow(cutoff, 3);
  return coulomb_constant * std::sqrt((of_others + of_itself) / cutoff) / scale;
}

MeshParameters with_spacing(double cutoff, double spacing, int order) {
  const double f = spline_error(order, spacing / cutoff);
  return {cutoff, CoulombSplit::bandwidth_for(f), spacing, order, 0.2 * f};
}

double cost_of(const ChargeStatistics& charges, const MeshParameters& p, const MeshPrices& prices) {
  const auto n = static_cast<double>(charges.n_atoms), charged = static_cast<double>(charges.n_charged);
  // Without a mesh each pair of charges is computed once.
  double smooth = 0.5 * prices.direct_pair * charged * charged;
  for (const ChargeExtents::Extent& extent : charges.extents.extents) {
    const auto far = static_cast<double>(extent.outside);
    smooth = std::min(smooth, prices.point * padded_points(extent.cuboid.size(), p.spacing, p.order) +
                                  prices.direct_pair * far * charged +
                                  prices.spline_point * (charged - far) * std::pow(p.order, 3));
  }
  smooth = std::min(smooth, cheapest_levels(charges.extents, p, prices).cost);
  return prices.pair * 0.5 * n * charges.neighbors_within(p.cutoff) + smooth;
}

}  // namespace

double spline_error(int order, double ratio) {
  const PowerLaw& law = law_of(order);
  const double x = std::log(ratio / 0.2);
  return law.at_fifth * std::exp(law.power * x + (x < 0 ? law.curvature * x * x : 0));
}

double spline_ratio(int order, double error) {
  const PowerLaw& law = law_of(order);
  const double log_error = std::log(error / law.at_fifth);
  double x = log_error / law.power;
  if (x < 0) {  // the root of curvature x² + power x = log_error that is near to it
    const double square = std::max(0.0, law.power * law.power + 4 * law.curvature * log_error);
    x = 2 * log_error / (law.power + std::sqrt(square));
  }
  return std::min(kMostSpacing, 0.2 * std::exp(x));
}

double estimated_error(const ChargeStatistics& charges, double coulomb_constant, double cutoff, double spacing,
                       int order) {
  return error_per_f(charges, coulomb_constant, cutoff) * spline_error(order, spacing / cutoff);
}

MeshParameters mesh_parameters(const ChargeStatistics& charges, double coulomb_constant, double accuracy, double cutoff,
                               int order) {
  const double per_f = kErrorMargin * error_per_f(charges, coulomb_constant, cutoff);
  const double f = per_f > 0 ? accuracy / per_f : std::numeric_limits<double>::infinity();
  return with_spacing(cutoff, cutoff * spline_ratio(order, f), order);
}

MeshParameters finer_mesh(const MeshParameters& parameters, double factor) {
  const double f = factor * spline_error(parameters.order, parameters.spacing / parameters.cutoff);
  return with_spacing(parameters.cutoff, parameters.cutoff * spline_ratio(parameters.order, f), parameters.order);
}

MeshPlan plan_mesh(const ChargeStatistics& charges, double coulomb_constant, const CoulombSettings& settings,
                   std::span<const double> cutoffs, const MeshPrices& prices) {
  const double accuracy = settings.accuracy.value_or(kUsualMeshAccuracy);
  if (settings.mesh_cutoff) cutoffs = {&*settings.mesh_cutoff, 1};
  const int first = settings.mesh_order.value_or(kLeastSplineOrder),
            last = settings.mesh_order.value_or(kMostSplineOrder);
  MeshPlan best;
  bool found = false, suffices = false;
  for (const double cutoff : cutoffs)
    for (int order = first; order <= last; ++order) {
      const MeshParameters widest = mesh_parameters(charges, coulomb_constant, accuracy, cutoff, order);
      const MeshParameters parameters =
          settings.mesh_spacing ? with_spacing(cutoff, *settings.mesh_spacing, order) : widest;
      const MeshPlan plan{parameters, estimated_error(charges, coulomb_constant, cutoff, parameters.spacing, order),
                          cost_of(charges, parameters, prices)};
      const bool enough = parameters.spacing <= widest.spacing;
      const bool better = enough != suffices ? enough : enough ? plan.cost < best.cost : plan.error < best.error;
      if (!found || better) best = plan, suffices = enough;
      found = true;
    }
  return best;
}

}  // namespace dropmd
