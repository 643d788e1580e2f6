#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forces/mesh/cuboid.h"
#include "forces/mesh/mesh_box.h"
#include "maps/map_model.h"

namespace dropmd {

/// Costs of the parts of a map by a mesh, in ns of one core or of a GPU.
struct MapMeshPrices {
  double pair;               ///< a pair of atom and point, within the cutoff or not
  double direct_pair;        ///< the same by direct summation
  double point;              ///< a point of the padded mesh: both transforms, and the influence function
  double spline_point;       ///< a point to which a charge is spread
  double map_point;          ///< interpolation at a point of the map
  Vec3<std::int32_t> block;  ///< points of a map for which the same atoms are summed
};

/// Measured on a core of a server with AVX2, and estimated for an H200 whose host has 16 cores for the influence
/// function.
inline constexpr MapMeshPrices kCpuMapMeshPrices{0.7, 0.45, 150, 4, 8, {16, 8, 4}};
inline constexpr MapMeshPrices kGpuMapMeshPrices{5.5e-4, 2.4e-4, 5, 2.5e-3, 0.02, {8, 4, 8}};

/// The charges of a map as a mesh meets them.
class MapSurroundings {
 public:
  /// nearest: d_min, length.
  MapSurroundings(const MapGrid& grid, MapCharges charges, double nearest);

  /// The smallest cuboids around the grid and all charges but those farthest from it.
  struct Extent {
    std::size_t outside;  ///< number of these: 0, 1, 2, 4, ..., all
    Cuboid cuboid;
  };
  std::span<const Extent> extents() const { return extents_; }
  std::size_t n_charges() const { return n_charges_; }
  double nearest() const { return nearest_; }

  /// Contents per volume of the smallest cuboid around the middle of the grid that holds the grid and extends at least
  /// a given distance.
  struct Density {
    double number;  ///< charges, 1/length³
    double square;  ///< Σq², charge²/length³
  };
  Density density(double distance) const;
  /// Returns the largest Σq² per volume over distances from `least` on. Those beyond `range` count less, by a factor of
  /// (range / distance)⁴: their charges are not near all points, or are outside of the grid.
  double largest_square(double least, double range) const;
  /// Returns the distance between charges at their mean density, for those in the grid or nearest to it, length. There
  /// must be a charge.
  double distance_between() const;

 private:
  Vec3<double> half_;  ///< half the edges of the grid, with d_min
  std::vector<Extent> extents_;
  std::size_t n_charges_ = 0;
  double nearest_;
  /// [n outside of the grid + 1] the distance from which on density() includes a charge, ascending, and the sums up to
  /// that charge.
  std::vector<double> distance_, number_, square_;
};

/// The mesh of a map.
struct MapMeshPlan {
  MeshParameters parameters{};
  MeshBox box{};     ///< for all points of the map and the charges that it holds; without points: there is no mesh
  double error = 0;  ///< estimated, relative
  double cost = 0;   ///< of the map, in ns of one core or of a GPU, by the prices

  bool empty() const { return box.points[0] == 0; }
  /// Whether a charge is on the mesh.
  bool holds(const Vec3<double>& position) const;
  /// Returns the largest distance between two places in the box, length.
  double extent() const;
  /// Returns all numbers that determine an influence function for the mesh: meshes with the same numbers differ in
  /// their place alone.
  std::vector<double> influence_numbers() const;
};

/// Returns the estimated RMS error of a potential on a mesh over k_e √(n r_c), where n is Σq² per volume: 0.4 η f_P(η),
/// η = h/r_c, with the f_P of forces (spline_error()). The bandwidth that is best for forces is also best for the
/// potential. Measured for charges at random places, with h/r_c from 0.08 to 0.3 and the orders 4 to 8, the factor was
/// 0.18 to 0.27; for some tens of charges of one sign it was 0.5. It was up to 1.8 for molecules of water on a lattice
/// whose period is a multiple of h/2, so errors are measured, too (mesh_map_sum.cpp).
double map_spline_error(int order, double ratio);

/// Chooses the mesh of least cost for a map; none if no mesh has the accuracy, as for accuracy 0. rms: the RMS
/// potential over k_e, charge/length. A mesh of a run is taken if its estimated error suffices.
MapMeshPlan plan_map_mesh(const MapMesh& wanted, const MapGrid& grid, const MapSurroundings& surroundings, double rms,
                          const MapMeshPrices& prices);

/// Returns the estimated device memory of the mesh of a map, bytes. precision: of its values.
std::uint64_t map_mesh_device_bytes(const MeshBox& box, Precision precision);

}  // namespace dropmd
