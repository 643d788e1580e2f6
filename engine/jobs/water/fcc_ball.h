#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/vec3.h"

namespace dropmd {

/// The n sites of a face-centred cubic lattice that are nearest to the origin, which is one of them; nearest first, in
/// random order where distances are equal.
class FccBall {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  /// Number of neighbours at the first and second neighbour distance, 3.5 and 4.9 Å in liquid water.
  static constexpr std::size_t kNeighbours = 18;

  FccBall(std::size_t n, std::uint64_t seed);

  std::size_t size() const { return sites_.size(); }
  /// Position in units of half the edge of the cubic cell, in which there are two units of volume per site.
  Vec3<double> position(std::size_t site) const;
  /// Indices of the neighbours that are in the ball; kNone for those that are not.
  std::array<std::uint32_t, kNeighbours> neighbours(std::size_t site) const;

 private:
  struct Site {
    int i, j, k;
  };
  std::size_t cell(int i, int j, int k) const;

  int reach_;         ///< all sites have coordinates in [-reach, reach]
  std::size_t edge_;  ///< 2 reach + 1
  std::vector<Site> sites_;
  std::vector<std::uint32_t> site_at_;  ///< [edge]³ index of the site there
};

}  // namespace dropmd
