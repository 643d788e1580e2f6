#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/vec3.h"

namespace dropmd {

/// Stands for an absent atom.
inline constexpr std::uint32_t kNoAtom = 0xFFFFFFFFU;

/// An axis-aligned box, ends included.
struct Box {
  Vec3<double> low{}, high{};
};

/// The clusters [begin, end), which are neighbours in space and have at most kGroupAtoms atoms.
struct ClusterGroup {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Atoms in clusters of at most `width` neighbouring atoms (the width of a SIMD pack), formed by bisection of space: a
/// set of atoms is halved across its longest side until it fits. Almost all clusters of a dense droplet are full; one
/// whose atoms are farther apart than the range of exact offsets is divided again and padded. The clusters depend on
/// the positions alone.
struct AtomClusters {
  static constexpr std::uint32_t kGroupAtoms = 256;

  std::uint32_t width = 1;
  std::vector<std::uint32_t> atom;   ///< [n_clusters][width] indices of atoms, kNoAtom after the last
  std::vector<std::uint32_t> count;  ///< [n_clusters] number of atoms, at least 1
  std::vector<Box> box;              ///< [n_clusters] box of the atoms; non-finite coordinates count as 0
  std::vector<ClusterGroup> groups;  ///< all clusters, in order

  std::uint32_t size() const { return static_cast<std::uint32_t>(count.size()); }
  /// Returns the indices of a cluster's atoms.
  std::span<const std::uint32_t> atoms_of(std::uint32_t cluster) const {
    return {atom.data() + std::size_t{cluster} * width, count[cluster]};
  }
};

/// Builds the clusters. max_extent: longest side of a cluster's box, length.
AtomClusters make_clusters(Cpu cpu, std::span<const Vec3<double>> position, std::uint32_t width, double max_extent);

}  // namespace dropmd
