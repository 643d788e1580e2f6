#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "core/execution.h"
#include "core/vec3.h"
#include "forces/mesh/mesh_box.h"
#include "forces/mesh/mesh_parameters.h"

namespace dropmd {

/// The part of space in which a mesh computes the smooth part of the Coulomb interaction. Charges outside of it are
/// few: each of them meets all charges directly, so that one that has left for infinity costs neither memory nor
/// accuracy.
///
/// A region is kept while the charges move. It is chosen again when more charges than it allows have left it, or when
/// they need much less than it has. Both the choice and the decision are functions of the region and the positions
/// alone, so a run that resumes with a stored region continues as if it had not been interrupted.
struct MeshRegion {
  MeshBox box{};                 ///< without points: all charges meet directly
  std::size_t most_outside = 0;  ///< charges that may be outside before another region is chosen

  /// Whether the points of the B-splines of a charge are all in the box.
  bool holds(const Vec3<double>& position, int order) const;
  /// Whether there are points.
  bool empty() const { return box.points[0] == 0; }
  /// Returns a distance that two charges in the region do not exceed, length.
  double extent() const;

  /// The three first points, the three numbers of points, and most_outside.
  std::array<double, 7> numbers() const;
  /// Returns the region that has such numbers; nullopt if there is none.
  static std::optional<MeshRegion> from_numbers(std::span<const double> numbers, double spacing);
};

/// Chooses regions for the parameters of a mesh.
class RegionRule {
 public:
  /// prices: by which the cost of more points is compared with that of charges outside.
  RegionRule(const MeshParameters& parameters, const MeshPrices& prices) : parameters_(parameters), prices_(prices) {}

  /// Returns the region of least cost among those that hold the charges nearest to the median position.
  MeshRegion choose(std::span<const Vec3<double>> position) const;
  /// Returns whether another region has to be chosen.
  bool outdated(const MeshRegion& region, std::span<const Vec3<double>> position) const;

 private:
  /// Returns the box, with a margin, for charges between two corners.
  MeshBox box_around(const Vec3<double>& low, const Vec3<double>& high) const;

  MeshParameters parameters_;
  MeshPrices prices_;
};

}  // namespace dropmd
