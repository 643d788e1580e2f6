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

}  // namespace

double padded_points(const Vec3<double>& size, double spacing, int order) {
  return padded_points(size, MeshParameters{2 * spacing, 0, spacing, order, 0});
}

bool MeshRegion::holds(const Vec3<double>& position, int order) const {
  const Vec3<double> place = box.place(position);
  const double along[3] = {place.x, place.y, place.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double first = std::floor(along[axis] - 0.5 * order) + 1;  // as in BSplineWeights
    if (!(first >= 0 && first + order <= box.points[axis])) return false;
  }
  return true;
}

double MeshRegion::extent() const {
  double square = 0;
  for (const int points : box.points) square += std::pow(box.spacing * std::max(0, points - 1), 2);
  return std::sqrt(square);
}

std::array<double, 7> MeshRegion::numbers() const {
  std::array<double, 7> result{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result[axis] = static_cast<double>(box.first[axis]);
    result[3 + axis] = box.points[axis];
  }
  result[6] = static_cast<double>(most_outside);
  return result;
}

std::optional<MeshRegion> MeshRegion::from_numbers(std::span<const double> numbers, double spacing) {
  if (numbers.size() != 7) return std::nullopt;
  for (std::size_t k = 0; k < 7; ++k) {
    const double most = k >= 3 && k < 6 ? kMostPoints : kMostFirst, least = k < 3 ? -most : 0;
    if (!(numbers[k] >= least && numbers[k] <= most && numbers[k] == std::floor(numbers[k]))) return std::nullopt;
  }
  MeshRegion region{MeshBox{spacing, {}, {}}, static_cast<std::size_t>(numbers[6])};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    region.box.first[axis] = std::llround(numbers[axis]);
    region.box.points[axis] = static_cast<int>(numbers[3 + axis]);
  }
  const bool empty = region.box.points[0] == 0;
  for (const int points : region.box.points)
    if ((points == 0) != empty) return std::nullopt;
  return region;
}

MeshBox RegionRule::box_around(const Vec3<double>& low, const Vec3<double>& high) const {
  const double room = margin(parameters_);
  MeshBox box = MeshBox::around(low - Vec3<double>{room, room, room}, high + Vec3<double>{room, room, room},
                                parameters_.spacing, parameters_.order);
  // The numbers of points that have the same length of transform cost the same.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int points = fast_length(2 * box.points[axis] - 1) / 2;
    box.first[axis] -= (points - box.points[axis]) / 2;
    box.points[axis] = points;
  }
  return box;
}

MeshRegion RegionRule::choose(std::span<const Vec3<double>> position) const {
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
  if (inside == 0 || !indexable(chosen, parameters_.spacing)) return none;
  MeshRegion region{box_around(chosen.low, chosen.high), 0};
  const auto outside = static_cast<std::size_t>(std::count_if(
      position.begin(), position.end(), [&](const Vec3<double>& x) { return !region.holds(x, parameters_.order); }));
  // As many more as add a tenth to the cost.
  region.most_outside =
      outside + 4 + static_cast<std::size_t>(std::min(1e9, 0.1 * mesh_cost / std::max(direct, 1e-300)));
  return region;
}

bool RegionRule::outdated(const MeshRegion& region, std::span<const Vec3<double>> position) const {
  if (region.empty()) return true;
  std::size_t outside = 0;
  Cuboid cuboid;
  for (const Vec3<double>& x : position) {
    if (region.holds(x, parameters_.order))
      cuboid.add(x);
    else
      ++outside;
  }
  if (outside > region.most_outside || cuboid.empty) return true;
  constexpr double kMuchLess = 0.7;
  return static_cast<double>(box_around(cuboid.low, cuboid.high).size()) <
         kMuchLess * static_cast<double>(region.box.size());
}

}  // namespace dropmd
