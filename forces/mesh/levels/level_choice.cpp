#include "forces/mesh/levels/level_choice.h"

#include <cmath>
#include <vector>

namespace dropmd {

namespace {

/// Ratios that are tried: from 4, below which the error of the coarse mesh, 1/√s of that of the fine one, would count,
/// to 128, by quarters of an octave.
constexpr int kFirst = 8, kLast = 28;

struct Least {
  double cost = std::numeric_limits<double>::infinity();
  std::size_t extent = 0;

  void take(double other, std::size_t index) {
    if (other < cost) cost = other, extent = index;
  }
};

}  // namespace

LevelChoice cheapest_levels(const ChargeExtents& charges, const MeshParameters& parameters, const MeshPrices& prices) {
  LevelChoice best;
  const auto n = static_cast<double>(charges.n_charges);
  const double on_mesh = prices.spline_point * std::pow(parameters.order, 3);
  const double near_pair = prices.near_pair * prices.direct_pair;
  std::vector<double> fine_mesh;
  for (const ChargeExtents::Extent& e : charges.extents)
    fine_mesh.push_back(prices.point * padded_points(e.cuboid.size(), parameters.spacing, parameters.order) +
                        on_mesh * (n - static_cast<double>(e.outside)));
  for (int k = kFirst; k <= kLast; ++k) {
    const double ratio = std::exp2(0.25 * k);
    Least fine, coarse;
    for (std::size_t e = 0; e < charges.extents.size(); ++e) {
      const ChargeExtents::Extent& extent = charges.extents[e];
      const auto outside = static_cast<double>(extent.outside);
      fine.take(fine_mesh[e] + near_pair * charges.pairs_within(extent, ratio * parameters.cutoff), e);
      // The farthest charges meet all others.
      if (prices.direct_pair * outside * n < coarse.cost)
        coarse.take(prices.point * padded_points(extent.cuboid.size(), ratio * parameters.spacing, parameters.order) +
                        on_mesh * (n - outside) + prices.direct_pair * outside * n,
                    e);
    }
    const double cost = prices.level + fine.cost + coarse.cost;
    // A coarse mesh for no more charges than the fine one has is of no use.
    if (cost < best.cost && coarse.extent < fine.extent) best = {ratio, fine.extent, coarse.extent, cost};
  }
  return best;
}

}  // namespace dropmd
