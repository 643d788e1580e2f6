#include "maps/mesh/map_mesh_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/errors.h"
#include "forces/mesh/b_spline.h"
#include "forces/mesh/coulomb_split.h"
#include "forces/mesh/mesh_region.h"
#include "maps/point_block.h"

namespace dropmd {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// The least h/r_c that is used.
constexpr double kLeastSpacing = 0.02;

/// Returns the widest h/r_c whose error is at most f.
double map_spline_ratio(int order, double f) {
  double low = kLeastSpacing, high = kMostSpacing;
  if (map_spline_error(order, high) <= f) return high;
  for (int step = 0; step < 40; ++step) {
    const double middle = 0.5 * (low + high);
    (map_spline_error(order, middle) <= f ? low : high) = middle;
  }
  return low;
}

/// Returns the volume of all places closer than r to a block of points.
double volume_around(const MapGrid& grid, const Vec3<std::int32_t>& block, double r) {
  const auto edge = [](std::int32_t points, std::int32_t of_block, double spacing) {
    return (std::min(points, of_block) - 1) * spacing;
  };
  const double a = edge(grid.points.x, block.x, grid.spacing.x), b = edge(grid.points.y, block.y, grid.spacing.y),
               c = edge(grid.points.z, block.z, grid.spacing.z);
  return a * b * c + 2 * r * (a * b + b * c + c * a) + kPi * r * r * (a + b + c) + 4 * kPi / 3 * r * r * r;
}

/// The error of the fit of a polynomial is at most f √(n/6) √r_c in the potential of charges of density n (Σq² per
/// volume), by the bound of SplitPolynomial::error. This makes it a fifth of the mesh's.
double fit_error(double of_mesh) { return 0.2 * std::sqrt(6.0) * of_mesh; }

MeshParameters with_ratio(double cutoff, double ratio, int order) {
  return {cutoff, CoulombSplit::bandwidth_for(spline_error(order, ratio)), cutoff * ratio, order,
          fit_error(map_spline_error(order, ratio))};
}

/// The box of the mesh for a cuboid, with the most points whose transforms have the same length.
MeshBox box_around(const Cuboid& cuboid, const MeshParameters& p) {
  MeshBox box = MeshBox::around(cuboid.low, cuboid.high, p.spacing, p.order);
  for (int& points : box.points) points = fast_length(2 * points - 1) / 2;
  return box;
}

/// Whether the indices of a mesh there are exact.
bool indexable(const Cuboid& cuboid, double spacing) {
  const double most = 1e15 * spacing;
  return std::min({cuboid.low.x, cuboid.low.y, cuboid.low.z}) > -most &&
         std::max({cuboid.high.x, cuboid.high.y, cuboid.high.z}) < most;
}

/// What a plan with a cutoff is chosen by.
class AtCutoff {
 public:
  AtCutoff(const MapGrid& grid, const MapSurroundings& surroundings, double rms, const MapMeshPrices& prices,
           double cutoff)
      : surroundings_(surroundings), prices_(prices), n_points_(static_cast<double>(grid.n_points())), cutoff_(cutoff) {
    const MapSurroundings::Density density = surroundings.density(0.5 * cutoff);
    error_per_f_ = rms > 0 ? std::sqrt(density.square * cutoff) / rms : 0;
    of_points_ =
        n_points_ * (prices.pair * density.number * volume_around(grid, prices.block, cutoff) + prices.map_point);
  }

  /// Returns the map_spline_error() for an accuracy, with the margin.
  double spline_error_for(double accuracy) const {
    return error_per_f_ > 0 ? accuracy / (kErrorMargin * error_per_f_) : std::numeric_limits<double>::infinity();
  }

  /// Replaces a plan and its cost by that of a mesh with this cutoff if it is cheaper.
  void improve(MapMeshPlan& plan, double& cost, const MeshParameters& p) const {
    for (const MapSurroundings::Extent& extent : surroundings_.extents()) {
      if (!indexable(extent.cuboid, p.spacing)) continue;
      const auto inside = static_cast<double>(surroundings_.n_charges() - extent.outside);
      const double all = of_points_ + prices_.point * padded_points(extent.cuboid.size(), p.spacing, p.order) +
                         prices_.spline_point * inside * std::pow(p.order, 3) +
                         prices_.direct_pair * n_points_ * static_cast<double>(extent.outside);
      if (!(all < cost)) continue;
      cost = all;
      plan = {p, box_around(extent.cuboid, p), error_per_f_ * map_spline_error(p.order, p.spacing / cutoff_)};
    }
  }

 private:
  const MapSurroundings& surroundings_;
  const MapMeshPrices& prices_;
  double n_points_, cutoff_;
  double error_per_f_;  ///< the relative error for a unit of map_spline_error()
  double of_points_;    ///< cost of the pairs within the cutoff and of interpolation
};

}  // namespace

void require_map_accuracy(double accuracy, Precision precision) {
  constexpr double kFinestMixed = 1e-5, kFinest = 1e-10, kCoarsest = 1e-2;
  if (!(accuracy >= kFinest && accuracy <= kCoarsest))
    throw InputError("the accuracy of a map by a mesh is not from 1e-10 to 1e-2");
  if (precision == Precision::mixed && accuracy < kFinestMixed)
    throw InputError(
        "a map of this accuracy needs double precision (--precision double, or an accuracy of at least 1e-5)");
}

MapSurroundings::MapSurroundings(const MapGrid& grid, MapCharges charges, double nearest)
    : charges_(charges), nearest_(nearest) {
  const Vec3<double> more{nearest, nearest, nearest};
  grid_.add(grid.at(0, 0, 0) - more);
  grid_.add(grid.at(grid.points.x - 1, grid.points.y - 1, grid.points.z - 1) + more);
  const SpaceBox box{grid_.low, grid_.high};
  std::vector<std::uint32_t> outside;
  std::vector<double> distance(charges.charge.size());
  for (std::uint32_t i = 0; i < charges.charge.size(); ++i) {
    if (charges.charge[i] == 0) continue;
    ++n_charges_;
    distance[i] = box.squared_distance(charges.position[i]);
    if (distance[i] > 0) outside.push_back(i);
  }
  std::sort(outside.begin(), outside.end(), [&](std::uint32_t a, std::uint32_t b) {
    return distance[a] != distance[b] ? distance[a] < distance[b] : a < b;
  });
  // From the charges in the grid outwards, with a list of those numbers outside that are powers of two.
  Cuboid cuboid = grid_;
  std::size_t left = outside.size();
  extents_.push_back({left, cuboid});
  for (const std::uint32_t i : outside) {
    cuboid.add(charges.position[i]);
    --left;
    if ((left & (left - 1)) == 0) extents_.push_back({left, cuboid});
  }
}

MapSurroundings::Density MapSurroundings::density(double distance) const {
  const Vec3<double> middle = 0.5 * (grid_.low + grid_.high), size = grid_.size();
  const Vec3<double> half{std::max(0.5 * size.x, distance), std::max(0.5 * size.y, distance),
                          std::max(0.5 * size.z, distance)};
  Density sum{0, 0};
  for (std::size_t i = 0; i < charges_.charge.size(); ++i) {
    const Vec3<double> d = charges_.position[i] - middle;
    if (charges_.charge[i] == 0 || !(std::abs(d.x) <= half.x && std::abs(d.y) <= half.y && std::abs(d.z) <= half.z))
      continue;
    sum.number += 1;
    sum.square += charges_.charge[i] * charges_.charge[i];
  }
  const double volume = 8 * half.x * half.y * half.z;
  return {sum.number / volume, sum.square / volume};
}

bool MapMeshPlan::holds(const Vec3<double>& position) const {
  return !empty() && MeshRegion{box, 0}.holds(position, parameters.order);
}

double MapMeshPlan::extent() const { return MeshRegion{box, 0}.extent(); }

double map_spline_error(int order, double ratio) { return 0.33 * ratio * spline_error(order, ratio); }

MapMeshPlan plan_map_mesh(const MapMesh& wanted, const MapGrid& grid, const MapSurroundings& surroundings, double rms,
                          const MapMeshPrices& prices) {
  const auto n_charges = static_cast<double>(surroundings.n_charges());
  MapMeshPlan plan;
  double cost = prices.direct_pair * static_cast<double>(grid.n_points()) * n_charges;
  if (surroundings.n_charges() == 0) return plan;
  if (wanted.of_run && wanted.of_run->cutoff > surroundings.nearest()) {
    const MeshParameters& p = *wanted.of_run;
    const double f = map_spline_error(p.order, p.spacing / p.cutoff);
    const AtCutoff at(grid, surroundings, rms, prices, p.cutoff);
    if (f <= at.spline_error_for(wanted.accuracy)) {
      at.improve(plan, cost, {p.cutoff, p.bandwidth, p.spacing, p.order, fit_error(f)});
      return plan;
    }
  }
  // Multiples of the distance between charges.
  const Vec3<double> size = surroundings.extents().front().cuboid.size();
  const double around = 0.5 * std::max({size.x, size.y, size.z}), number = surroundings.density(around).number;
  const double apart = number > 0 ? 1 / std::cbrt(number) : around;
  for (const double factor : {1.7, 2.0, 2.4, 2.9, 3.5, 4.2, 5.0, 6.0, 8.0}) {
    const double cutoff = factor * apart;
    if (!(cutoff > surroundings.nearest())) continue;
    const AtCutoff at(grid, surroundings, rms, prices, cutoff);
    for (int order = kLeastSplineOrder; order <= kMostSplineOrder; ++order)
      at.improve(plan, cost, with_ratio(cutoff, map_spline_ratio(order, at.spline_error_for(wanted.accuracy)), order));
  }
  return plan;
}

std::uint64_t map_mesh_bytes(const MeshBox& box) {
  // Charges and potential, lines along z and along y and z in complex numbers, the influence function and the plane
  // from which it is made.
  constexpr std::uint64_t kPerPoint = 8 + 16 + 32 + 8 + 16;
  return kPerPoint * box.size();
}

std::uint64_t map_mesh_device_bytes(const MeshBox& box, Precision precision) {
  // The padded planes, two padded spectra, cuFFT's workspace, and the influence function, in numbers per point.
  constexpr std::uint64_t kPerPoint = 4 + 2 * 8 + 8 + 1;
  return kPerPoint * box.size() * (precision == Precision::mixed ? sizeof(float) : sizeof(double));
}

}  // namespace dropmd
