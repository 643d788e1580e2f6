#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/lanes/simd_lanes.h"
#include "core/vec3.h"
#include "neighbor/lists/atom_clusters.h"
#include "neighbor/position_grid.h"

namespace dropmd {

/// Positions of clustered atoms, one SIMD pack per cluster: offsets from the cluster's origin, and charges.
///
/// float: offsets are on the position grid and exact, and their low-order parts are kept (as in LocalAtoms); origins
/// are multiples of a coarser step, so the difference of two origins is exact in fp32. double: origins are zero, and
/// offsets are the positions. Lanes without an atom are too far away for any pair.
template <class Real>
class ClusterAtoms {
 public:
  static constexpr std::uint32_t kWidth = LaneTraits<Pack<Real>>::kWidth;
  using Row = std::array<Real, kWidth>;
  struct alignas(64) Atoms {
    Row x, y, z, charge;
  };
  struct alignas(64) LowOrder {
    Row x, y, z;
  };

  /// Longest side of a cluster whose offsets are exact, or nearly so: low-order parts are kept in any case.
  static double max_extent(const PositionGrid& grid) { return 2 * grid.max_edge; }

  /// Sets the clusters and their positions. charge: [n_atoms] in the order of Particles; nowhere: a coordinate
  /// beyond the list cutoff of all atoms.
  void assign(Cpu cpu, const AtomClusters& clusters, const PositionGrid& grid, std::span<const Vec3<double>> position,
              std::span<const double> charge, double nowhere);

  /// Updates the positions of the clusters [begin, end). Returns false, with some not updated, as soon as an atom is
  /// found to have moved by more than `limit` since assign().
  bool follow(std::uint32_t begin, std::uint32_t end, std::span<const Vec3<double>> position, double limit);

  std::span<const Atoms> atoms() const { return atoms_; }
  std::span<const LowOrder> low_order() const { return low_order_; }  ///< float only
  /// Returns the origin of cluster a less that of cluster b.
  Vec3<Real> shift(std::uint32_t a, std::uint32_t b) const {
    const Vec3<double> d = origin_[a] - origin_[b];
    return {static_cast<Real>(d.x), static_cast<Real>(d.y), static_cast<Real>(d.z)};
  }

 private:
  void write(std::size_t cluster, std::uint32_t lane, const Vec3<double>& position);

  const AtomClusters* clusters_ = nullptr;
  PositionGrid grid_;
  std::vector<Atoms> atoms_;            ///< [n_clusters]
  std::vector<LowOrder> low_order_;     ///< [n_clusters], float only
  std::vector<Vec3<double>> origin_;    ///< [n_clusters]
  std::vector<Vec3<double>> assigned_;  ///< [n_clusters][width] positions at assign()
};

extern template class ClusterAtoms<float>;
extern template class ClusterAtoms<double>;

}  // namespace dropmd
