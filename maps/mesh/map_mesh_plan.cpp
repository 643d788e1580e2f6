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

/// The distance over r_c within which charges count as near: errors at the place of a charge are those of a density of
/// 3.5 charges per r_c³ (mesh_parameters.cpp).
constexpr double kNear = 0.33;

/// The finest split, by its spline_error(), that the polynomials of pairs in mixed precision follow: their degree ends
/// at 9 (coulomb_short_range.h).
constexpr double kFinestMixedSplit = 1e-5;

/// The error of the fit of a polynomial is at most f √(n/6) √r_c in the potential of charges of density n (Σq² per
/// volume), by the bound of SplitPolynomial::error. This makes it a fifth of the mesh's.
double fit_error(double of_mesh) { return 0.2 * std::sqrt(6.0) * of_mesh; }

MeshParameters with_ratio(double cutoff, double ratio, int order) {
  return {cutoff, CoulombSplit::bandwidth_for(spline_error(order, ratio)), cutoff * ratio, order,
          fit_error(map_spline_error(order, ratio))};
}

/// Returns the box of the mesh for a cuboid, with as many points as transforms of the same length allow.
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

/// The criteria by which a plan with a given cutoff is chosen.
class AtCutoff {
 public:
  AtCutoff(const MapGrid& grid, const MapSurroundings& surroundings, double rms, const MapMeshPrices& prices,
           double cutoff)
      : surroundings_(surroundings), prices_(prices), n_points_(static_cast<double>(grid.n_points())), cutoff_(cutoff) {
    const double square = surroundings.largest_square(kNear * cutoff, cutoff);
    error_per_f_ = rms > 0 ? std::sqrt(square * cutoff) / rms : 0;
    of_points_ = n_points_ *
                 (prices.pair * surroundings.density(0.5 * cutoff).number * volume_around(grid, prices.block, cutoff) +
                  prices.map_point);
  }

  /// Returns the map_spline_error() for an accuracy, with the margin.
  double spline_error_for(double accuracy) const {
    return error_per_f_ > 0 ? accuracy / (kErrorMargin * error_per_f_) : std::numeric_limits<double>::infinity();
  }

  /// Replaces a plan by that of a mesh with this cutoff if the latter is cheaper.
  void improve(MapMeshPlan& plan, const MeshParameters& p) const {
    for (const MapSurroundings::Extent& extent : surroundings_.extents()) {
      if (!indexable(extent.cuboid, p.spacing)) continue;
      const auto inside = static_cast<double>(surroundings_.n_charges() - extent.outside);
      const double all = of_points_ + prices_.point * padded_points(extent.cuboid.size(), p.spacing, p.order) +
                         prices_.spline_point * inside * std::pow(p.order, 3) +
                         prices_.direct_pair * n_points_ * static_cast<double>(extent.outside);
      if (!(all < plan.cost)) continue;
      plan = {p, box_around(extent.cuboid, p), error_per_f_ * map_spline_error(p.order, p.spacing / cutoff_), all};
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
  if (!(accuracy >= kFinestMap && accuracy <= kCoarsestMap))
    throw InputError("the accuracy of a map computed by a mesh must be from 1e-10 to 1e-2");
  if (precision == Precision::mixed && accuracy < kFinestMixedMap)
    throw InputError(
        "a map of this accuracy needs double precision (use --precision double, or an accuracy of at least 1e-5)");
}

MapSurroundings::MapSurroundings(const MapGrid& grid, MapCharges charges, double nearest) : nearest_(nearest) {
  const Vec3<double> more{nearest, nearest, nearest};
  Cuboid cuboid;
  cuboid.add(grid.at(0, 0, 0) - more);
  cuboid.add(grid.at(grid.points.x - 1, grid.points.y - 1, grid.points.z - 1) + more);
  half_ = 0.5 * cuboid.size();
  const Vec3<double> middle = cuboid.low + half_;
  struct Outside {
    double distance;
    std::uint32_t index;
  };
  std::vector<Outside> outside;
  double number = 0, square = 0;
  for (std::uint32_t i = 0; i < charges.charge.size(); ++i) {
    if (charges.charge[i] == 0) continue;
    ++n_charges_;
    const Vec3<double> d = charges.position[i] - middle;
    const auto beyond = [](double along, double half) { return std::abs(along) > half ? std::abs(along) : 0.0; };
    const double distance = std::max({beyond(d.x, half_.x), beyond(d.y, half_.y), beyond(d.z, half_.z)});
    if (distance > 0) {
      outside.push_back({distance, i});
      continue;
    }
    number += 1;
    square += charges.charge[i] * charges.charge[i];
  }
  std::sort(outside.begin(), outside.end(), [](const Outside& a, const Outside& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.index < b.index;
  });
  // From the charges in the grid outwards; an extent is kept where the number left outside is zero or a power of two.
  std::size_t left = outside.size();
  extents_.push_back({left, cuboid});
  distance_.push_back(0);
  number_.push_back(number);
  square_.push_back(square);
  for (const auto& [distance, i] : outside) {
    cuboid.add(charges.position[i]);
    --left;
    if ((left & (left - 1)) == 0) extents_.push_back({left, cuboid});
    distance_.push_back(distance);
    number_.push_back(number += 1);
    square_.push_back(square += charges.charge[i] * charges.charge[i]);
  }
}

MapSurroundings::Density MapSurroundings::density(double distance) const {
  const auto last = std::upper_bound(distance_.begin(), distance_.end(), distance) - distance_.begin() - 1;
  const auto at = static_cast<std::size_t>(last);
  const double volume = 8 * std::max(half_.x, distance) * std::max(half_.y, distance) * std::max(half_.z, distance);
  return {number_[at] / volume, square_[at] / volume};
}

double MapSurroundings::largest_square(double least, double range) const {
  double most = 0;
  constexpr double kStep = 1.25;
  for (double distance = least;; distance *= kStep) {
    const double share = distance > range ? std::pow(range / distance, 4) : 1;
    most = std::max(most, share * density(distance).square);
    if (distance >= distance_.back()) return most;
  }
}

double MapSurroundings::distance_between() const {
  constexpr double kSome = 30;
  const auto wanted = std::lower_bound(number_.begin(), number_.end(), std::min(kSome, number_.back()));
  const double number = density(distance_[static_cast<std::size_t>(wanted - number_.begin())]).number;
  return 1 / std::cbrt(number);
}

bool MapMeshPlan::holds(const Vec3<double>& position) const {
  return !empty() && box.holds(position, parameters.order);
}

double MapMeshPlan::extent() const { return box.diagonal(); }

std::vector<double> MapMeshPlan::influence_numbers() const {
  std::vector<double> numbers{parameters.cutoff, parameters.bandwidth, parameters.spacing,
                              static_cast<double>(parameters.order)};
  for (const int points : box.points) numbers.push_back(points);
  return numbers;
}

double map_spline_error(int order, double ratio) { return 0.4 * ratio * spline_error(order, ratio); }

MapMeshPlan plan_map_mesh(const MapMesh& wanted, const MapGrid& grid, const MapSurroundings& surroundings, double rms,
                          const MapMeshPrices& prices) {
  const auto n_charges = static_cast<double>(surroundings.n_charges());
  MapMeshPlan plan;
  plan.cost = prices.direct_pair * static_cast<double>(grid.n_points()) * n_charges;
  if (surroundings.n_charges() == 0 || !(wanted.accuracy > 0)) return plan;
  if (wanted.of_run && wanted.of_run->cutoff > surroundings.nearest()) {
    const MeshParameters& p = *wanted.of_run;
    const double f = map_spline_error(p.order, p.spacing / p.cutoff);
    const AtCutoff at(grid, surroundings, rms, prices, p.cutoff);
    if (f <= at.spline_error_for(wanted.accuracy)) {
      at.improve(plan, {p.cutoff, p.bandwidth, p.spacing, p.order, fit_error(f)});
      return plan;
    }
  }
  const double apart = surroundings.distance_between(),
               finest = wanted.precision == Precision::mixed ? kFinestMixedSplit : 0;
  for (const double factor : {1.7, 2.0, 2.4, 2.9, 3.5, 4.2, 5.0, 6.0, 8.0}) {
    const double cutoff = factor * apart;
    if (!(cutoff > surroundings.nearest())) continue;
    const AtCutoff at(grid, surroundings, rms, prices, cutoff);
    for (int order = kLeastSplineOrder; order <= kMostSplineOrder; ++order) {
      const double ratio = map_spline_ratio(order, at.spline_error_for(wanted.accuracy));
      if (spline_error(order, ratio) >= finest) at.improve(plan, with_ratio(cutoff, ratio, order));
    }
  }
  return plan;
}

std::uint64_t map_mesh_device_bytes(const MeshBox& box, Precision precision) {
  // The padded planes, two padded spectra, cuFFT's workspace, and the influence function, in numbers per point.
  constexpr std::uint64_t kPerPoint = 4 + 2 * 8 + 8 + 1;
  return kPerPoint * box.size() * (precision == Precision::mixed ? sizeof(float) : sizeof(double));
}

}  // namespace dropmd
