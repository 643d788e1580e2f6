#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/vec3.h"

namespace dropmd {

inline constexpr std::uint32_t kNoAtom = 0xFFFFFFFFU;

/// A box along the axes, ends included.
struct Box {
  Vec3<double> low{}, high{};
};

/// Clusters [begin, end): neighbours in space, of at most kGroupAtoms atoms.
struct ClusterGroup {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Atoms cut into clusters of at most `width` that lie together, as wide as a SIMD pack, by bisection of space: a set
/// of atoms is halved across its longest side until it fits. Almost all clusters of a dense droplet are full; one whose
/// atoms lie further apart than an exact frame reaches is cut again and padded. The cut depends on the positions alone.
struct AtomClusters {
  static constexpr std::uint32_t kGroupAtoms = 256;

  std::uint32_t width = 1;
  std::vector<std::uint32_t> atom;   ///< [n_clusters][width] numbers of atoms, kNoAtom behind the last
  std::vector<std::uint32_t> count;  ///< [n_clusters] atoms, at least 1
  std::vector<Box> box;              ///< [n_clusters] around the atoms; of non-finite coordinates 0 stands in
  std::vector<ClusterGroup> groups;  ///< in order: all clusters

  std::uint32_t size() const { return static_cast<std::uint32_t>(count.size()); }
  std::span<const std::uint32_t> atoms_of(std::uint32_t cluster) const {
    return {atom.data() + std::size_t{cluster} * width, count[cluster]};
  }
};

/// max_extent: longest side of a cluster's box.
AtomClusters make_clusters(Cpu cpu, std::span<const Vec3<double>> position, std::uint32_t width, double max_extent);

}  // namespace dropmd
