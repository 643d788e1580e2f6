#include "forces/mesh/mesh_region.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "forces/mesh/cuboid.h"

namespace dropmd {

namespace {

/// Room for charges to move on each side: two spacings, and at least a sixth of the cutoff.
double margin(const MeshParameters& p) { return std::max(2 * p.spacing, p.cutoff / 6); }

/// Points that a box around charges has along an axis at most, before it is widened to a fast length.
double points_along(double size, const MeshParameters& p) {
  return std::ceil((size + 2 * margin(p)) / p.spacing) + p.order + 2;
}

/// The most points along an axis, and of the padded mesh in all, that are ever chosen.
constexpr double kMostPoints = 4096, kMostPadded = 2e9;
/// The largest index of a first point; positions farther from the origin have no digits left below a spacing.
constexpr double kMostFirst = 1e15;

/// Whether a box at a cuboid has indices in that range.
bool indexable(const Cuboid& cuboid, double spacing) {
  const double most = 0.5 * kMostFirst * spacing;
  return std::min({cuboid.low.x, cuboid.low.y, cuboid.low.z}) > -most &&
         std::max({cuboid.high.x, cuboid.high.y, cuboid.high.z}) < most;
}

double padded_points(const Vec3<double>& size, const MeshParameters& p) {
  double all = 1;
  for (const double along : {size.x, size.y, size.z}) {
    const double points = points_along(along, p);
    if (!(points <= kMostPoints)) return std::numeric_limits<double>::infinity();
    all *= fast_length(2 * static_cast<int>(points) - 1);
  }
  return all <= kMostPadded ? all : std::numeric_limits<double>::infinity();
}

/// Returns the box, with a margin, for the charges in a cuboid.
MeshBox box_around(const Cuboid& cuboid, const MeshParameters& p) {
  const double room = margin(p);
  MeshBox box = MeshBox::around(cuboid.low - Vec3<double>{room, room, room},
                                cuboid.high + Vec3<double>{room, room, room}, p.spacing, p.order);
  // Numbers of points with the same transform length cost the same.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int points = fast_length(2 * box.points[axis] - 1) / 2;
    box.first[axis] -= (points - box.points[axis]) / 2;
    box.points[axis] = points;
  }
  return box;
}

/// Returns a cuboid that contains all charges that a box holds.
Cuboid held_by(const MeshBox& box, int order) {
  // A place of P/2 − 1 from the first point is the least (b_spline.h), and P/2 from the last one is beyond the largest.
  const auto at = [&](double from_first, double from_last) {
    const auto along = [&](std::size_t axis) {
      const double first = static_cast<double>(box.first[axis]);
      return box.spacing * (from_last > 0 ? first + box.points[axis] - from_last : first + from_first);
    };
    return Vec3<double>{along(0), along(1), along(2)};
  };
  Cuboid cuboid;
  cuboid.add(at(0.5 * order - 1, 0));
  cuboid.add(at(0, 0.5 * order));
  return cuboid;
}

bool is_much_less(const MeshBox& needed, const MeshBox& box) {
  constexpr double kMuchLess = 0.7;
  return static_cast<double>(needed.size()) < kMuchLess * static_cast<double>(box.size());
}

std::size_t count_outside(const MeshBox& box, std::span<const Vec3<double>> position, int order) {
  return static_cast<std::size_t>(
      std::count_if(position.begin(), position.end(), [&](const Vec3<double>& x) { return !box.holds(x, order); }));
}

/// A number as an integer, with a bound; 0 for NaN.
std::size_t few(double number) { return number > 0 ? static_cast<std::size_t>(std::min(1e9, number)) : 0; }

/// Returns a bound on the charge at a point of a coarse mesh: a multiple of the largest sum of charges that are nearest
/// to one point now. B-splines take means over charges next to a few points. The factor lets the charges move until a
/// bound is found anew; single ones are allowed to gather.
double most_charge(const MeshBox& box, std::span<const Vec3<double>> position, std::span<const double> charge) {
  constexpr double kMore = 4, kGathered = 64;
  std::vector<double> at(box.size(), 0.0);
  double largest = 0, most = 0;
  for (std::size_t k = 0; k < position.size(); ++k) {
    largest = std::max(largest, std::abs(charge[k]));
    const Vec3<double> place = box.place(position[k]);
    const auto inside = [](double along, int points) { return along >= 0 && along <= points - 1; };
    if (!inside(place.x, box.points[0]) || !inside(place.y, box.points[1]) || !inside(place.z, box.points[2])) continue;
    const auto index = [](double along) { return static_cast<std::size_t>(std::floor(along + 0.5)); };
    const auto stride = [&](std::size_t axis) { return static_cast<std::size_t>(box.points[axis]); };
    double& sum = at[(index(place.x) * stride(1) + index(place.y)) * stride(2) + index(place.z)];
    sum += charge[k];
  }
  for (const double sum : at) most = std::max(most, std::abs(sum));
  const double bound = kMore * most + kGathered * largest;
  return bound > 0 ? bound : 1;
}

bool is_whole(double number, double least, double most) {
  return number >= least && number <= most && number == std::floor(number);
}

/// Reads a box and a number of charges; returns whether they can be those of a region.
bool read_box(std::span<const double> numbers, double spacing, MeshBox& box, std::size_t& most) {
  box.spacing = spacing;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!is_whole(numbers[axis], -kMostFirst, kMostFirst) || !is_whole(numbers[3 + axis], 0, kMostPoints)) return false;
    box.first[axis] = std::llround(numbers[axis]);
    box.points[axis] = static_cast<int>(numbers[3 + axis]);
  }
  if (!is_whole(numbers[6], 0, kMostFirst)) return false;
  most = static_cast<std::size_t>(numbers[6]);
  const bool empty = box.points[0] == 0;
  return (box.points[1] == 0) == empty && (box.points[2] == 0) == empty;
}

}  // namespace

double padded_points(const Vec3<double>& size, double spacing, int order) {
  return padded_points(size, MeshParameters{2 * spacing, 0, spacing, order, 0});
}

std::vector<double> MeshRegion::numbers() const {
  std::vector<double> result;
  const auto add = [&](const MeshBox& of, std::size_t most) {
    for (const long long first : of.first) result.push_back(static_cast<double>(first));
    for (const int points : of.points) result.push_back(points);
    result.push_back(static_cast<double>(most));
  };
  add(box, most_outside);
  if (!coarse.exists()) return result;
  result.push_back(coarse.ratio);
  add(coarse.box, coarse.most_outside);
  result.push_back(static_cast<double>(coarse.least_outside));
  result.push_back(coarse.charge);
  return result;
}

std::optional<MeshRegion> MeshRegion::from_numbers(std::span<const double> numbers, double spacing, int order) {
  constexpr std::size_t kOfBox = 7, kOfBoth = 17;
  if (numbers.size() != kOfBox && numbers.size() != kOfBoth) return std::nullopt;
  MeshRegion region;
  if (!read_box(numbers.first(kOfBox), spacing, region.box, region.most_outside)) return std::nullopt;
  if (numbers.size() == kOfBox) return region;
  CoarseRegion& coarse = region.coarse;
  coarse.ratio = numbers[kOfBox];
  if (!(coarse.ratio > 1 && coarse.ratio <= 1e6) || region.empty()) return std::nullopt;
  if (!read_box(numbers.subspan(kOfBox + 1, kOfBox), coarse.ratio * spacing, coarse.box, coarse.most_outside))
    return std::nullopt;
  const double least = numbers[kOfBoth - 2], charge = numbers[kOfBoth - 1];
  if (!(is_whole(least, 0, kMostFirst) && charge > 0 && charge <= 1e300)) return std::nullopt;
  coarse.least_outside = static_cast<std::size_t>(least);
  coarse.charge = charge;
  const Cuboid inside = held_by(region.box, order);
  if (!coarse.box.holds(inside.low, order) || !coarse.box.holds(inside.high, order)) return std::nullopt;
  return region;
}

MeshParameters RegionRule::coarser(double ratio) const {
  MeshParameters wide = parameters_;
  wide.cutoff *= ratio;
  wide.spacing *= ratio;
  return wide;
}

void RegionRule::set_boxes(MeshRegion& region, const Cuboid& fine, const Cuboid& coarse) const {
  region.box = box_around(fine, parameters_);
  if (!region.coarse.exists()) return;
  Cuboid both = held_by(region.box, parameters_.order);
  both.add(coarse.low);
  both.add(coarse.high);
  region.coarse.box = box_around(both, coarser(region.coarse.ratio));
}

MeshRegion RegionRule::with_levels(const ChargeExtents& charges, const LevelChoice& levels,
                                   std::span<const Vec3<double>> position, std::span<const double> charge) const {
  MeshRegion region;
  region.coarse.ratio = levels.ratio;
  set_boxes(region, charges.extents[levels.fine].cuboid, charges.extents[levels.coarse].cuboid);
  const std::size_t outside = count_outside(region.box, position, parameters_.order),
                    far = count_outside(region.coarse.box, position, parameters_.order);
  region.most_outside = outside + outside / 4 + 4;
  region.coarse.least_outside = outside / 2;
  region.coarse.most_outside =
      far + 4 + few(0.1 * levels.cost / (prices_.direct_pair * static_cast<double>(position.size())));
  region.coarse.charge = most_charge(region.coarse.box, position, charge);
  return region;
}

MeshRegion RegionRule::choose(std::span<const Vec3<double>> position, std::span<const double> charge) const {
  const std::size_t n = position.size();
  MeshRegion none{MeshBox{parameters_.spacing, {}, {}}, n};
  if (n == 0) return none;
  if (!std::all_of(position.begin(), position.end(), is_finite)) return none;  // the sums will show it
  const std::vector<std::uint32_t> order = nearest_to_median(position);
  const double direct = prices_.direct_pair * static_cast<double>(n);  // of one charge outside
  const double on_mesh = prices_.spline_point * std::pow(parameters_.order, 3);
  // With no mesh each pair is computed once.
  double least = 0.5 * direct * static_cast<double>(n), mesh_cost = 0;
  std::size_t inside = 0;
  Cuboid cuboid, chosen;
  double points = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (cuboid.add(position[order[k]])) points = padded_points(cuboid.size(), parameters_);
    const double mesh = prices_.point * points + on_mesh * static_cast<double>(k + 1);
    const double cost = mesh + direct * static_cast<double>(n - k - 1);
    if (!(cost < least)) continue;
    least = cost, mesh_cost = mesh;
    inside = k + 1;
    chosen = cuboid;
  }
  // Two meshes cost at least this much for the coarse one.
  if (least > prices_.level + on_mesh * static_cast<double>(n)) {
    const ChargeExtents charges = ChargeExtents::of(position, order);
    const LevelChoice levels = cheapest_levels(charges, parameters_, prices_);
    if (levels.cost < least && indexable(charges.extents[levels.coarse].cuboid, parameters_.spacing))
      return with_levels(charges, levels, position, charge);
  }
  if (inside == 0 || !indexable(chosen, parameters_.spacing)) return none;
  MeshRegion region{box_around(chosen, parameters_), 0};
  // As many more as add a tenth to the cost.
  region.most_outside = count_outside(region.box, position, parameters_.order) + 4 + few(0.1 * mesh_cost / direct);
  return region;
}

bool RegionRule::outdated(const MeshRegion& region, const RegionUse& use) const {
  if (region.empty()) return true;
  if (use.outside > region.most_outside || use.fine.empty) return true;
  MeshRegion needed = region;
  set_boxes(needed, use.fine, use.coarse.empty ? use.fine : use.coarse);
  if (is_much_less(needed.box, region.box)) return true;
  const CoarseRegion& coarse = region.coarse;
  return coarse.exists() && (use.outside < coarse.least_outside || use.far > coarse.most_outside ||
                             is_much_less(needed.coarse.box, coarse.box));
}

bool RegionRule::outdated(const MeshRegion& region, std::span<const Vec3<double>> position) const {
  RegionUse use;
  if (!region.empty())
    for (const Vec3<double>& x : position) use.add(region, parameters_.order, x);
  return outdated(region, use);
}

}  // namespace dropmd
