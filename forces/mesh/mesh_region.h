#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/macros.h"
#include "core/vec3.h"
#include "forces/mesh/cuboid.h"
#include "forces/mesh/levels/level_choice.h"
#include "forces/mesh/mesh_box.h"
#include "forces/mesh/mesh_parameters.h"

namespace dropmd {

/// A second mesh around the first one, for a vapour: its spacing and its cutoff are `ratio` times as long.
struct CoarseRegion {
  double ratio = 0;               ///< s; 0: there is no second mesh
  MeshBox box{};                  ///< all of the first one's box is in it
  std::size_t most_outside = 0;   ///< charges that may be outside of it before another region is chosen
  std::size_t least_outside = 0;  ///< of the first mesh; with fewer another region is chosen
  double charge = 0;  ///< bound on the charge at a point of its mesh while the charges stay about where they are

  DROPMD_HOST_DEVICE bool exists() const { return ratio > 0; }
};

/// The part of space in which a mesh computes the smooth part of the Coulomb interaction. Charges outside of it are
/// few: each of them meets all charges directly, so that one that has left for infinity costs neither memory nor
/// accuracy. If they are many, a second, coarse mesh computes what they do at long distances.
///
/// A region is kept while the charges move. It is chosen again when more charges than it allows have left it, or when
/// they need much less than it has. Both the choice and the decision are functions of the region and the positions
/// alone, so a run that resumes with a stored region continues as if it had not been interrupted.
struct MeshRegion {
  MeshBox box{};                 ///< without points: all charges meet directly
  std::size_t most_outside = 0;  ///< charges that may be outside of the box before another region is chosen
  CoarseRegion coarse{};

  /// Whether the points of the B-splines of a charge are all in the box.
  bool holds(const Vec3<double>& position, int order) const { return box.holds(position, order); }
  /// Whether there are points.
  bool empty() const { return box.points[0] == 0; }

  /// The three first points, the three numbers of points, and most_outside; with a second mesh also its ratio, the same
  /// seven numbers of it, and its other two members.
  std::vector<double> numbers() const;
  /// Returns the region that has such numbers; nullopt if there is none. order: of the B-splines.
  static std::optional<MeshRegion> from_numbers(std::span<const double> numbers, double spacing, int order);
};

/// How charges lie in a region. It does not depend on their order.
struct RegionUse {
  std::size_t outside = 0;  ///< charges outside of the first mesh
  std::size_t far = 0;      ///< charges outside of both meshes; 0 if there is no second one
  Cuboid fine;              ///< around the charges within the first mesh
  Cuboid coarse;            ///< around those within the second one alone

  /// order: of the B-splines; x: position of a charge.
  DROPMD_HOST_DEVICE void add(const MeshRegion& region, int order, const Vec3<double>& x) {
    if (region.box.holds(x, order)) {
      fine.add(x);
      return;
    }
    ++outside;
    if (!region.coarse.exists()) return;
    if (region.coarse.box.holds(x, order))
      coarse.add(x);
    else
      ++far;
  }
  DROPMD_HOST_DEVICE void add(const RegionUse& other) {
    outside += other.outside;
    far += other.far;
    fine.add(other.fine);
    coarse.add(other.coarse);
  }
};

/// Chooses regions for the parameters of a mesh.
class RegionRule {
 public:
  /// prices: by which the cost of more points is compared with that of charges outside.
  RegionRule(const MeshParameters& parameters, const MeshPrices& prices) : parameters_(parameters), prices_(prices) {}

  /// Returns the region of least cost among those that hold the charges nearest to the median position, with one mesh
  /// or with two. position, charge: [n_charges].
  MeshRegion choose(std::span<const Vec3<double>> position, std::span<const double> charge) const;
  /// Returns whether another region has to be chosen. use: of the region, if it has points.
  bool outdated(const MeshRegion& region, const RegionUse& use) const;
  bool outdated(const MeshRegion& region, std::span<const Vec3<double>> position) const;

 private:
  /// Returns the parameters of the mesh with a longer spacing and cutoff.
  MeshParameters coarser(double ratio) const;
  /// Sets the boxes for the charges in two cuboids.
  void set_boxes(MeshRegion& region, const Cuboid& fine, const Cuboid& coarse) const;
  /// Returns a region with two meshes.
  MeshRegion with_levels(const ChargeExtents& charges, const LevelChoice& levels,
                         std::span<const Vec3<double>> position, std::span<const double> charge) const;

  MeshParameters parameters_;
  MeshPrices prices_;
};

}  // namespace dropmd
