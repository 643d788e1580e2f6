#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "neighbor/lists/cluster_atoms.h"

namespace dropmd {

/// Atoms of an i cluster (bits of `rows`) that meet all atoms of a j cluster.
struct ClusterPair {
  std::uint32_t cluster = 0;  ///< j
  std::uint32_t slot = 0;     ///< of j among the clusters that the group touches
  std::uint32_t rows = 0;
};

/// The pairs of one i cluster, in the group's `pairs`: [begin, far) of which some may be near, [far, end) all far.
struct ClusterPairRange {
  std::uint32_t begin = 0;
  std::uint32_t far = 0;
  std::uint32_t end = 0;
};

/// The list of a group of i clusters: a unit of work with a place of its own for every force that it adds to.
struct ClusterGroupList {
  std::vector<std::uint32_t> touched;  ///< clusters by slot: the group's own first
  std::vector<ClusterPair> pairs;
  std::vector<ClusterPairRange> ranges;  ///< [clusters of the group]
  std::uint64_t candidate_pairs = 0;     ///< pairs of atoms in `pairs`
  std::size_t first_slot = 0;            ///< slots of the groups before
};

/// A Verlet list of clusters: each pair of atoms nearer than `reach` at the time of building is in it once, from the
/// side of the cluster that comes first (of a cluster with itself: atoms of higher lanes count). An atom meets a
/// cluster if it is within reach of one of its atoms. Positions decide alone, threads do not.
struct ClusterList {
  std::vector<ClusterGroupList> groups;  ///< as AtomClusters::groups
  std::vector<std::size_t> first_place;  ///< [n_clusters + 1] into `places`
  std::vector<std::size_t> places;       ///< slots (counted over all groups) of each cluster, groups in order
  std::size_t n_slots = 0;

  /// near: pairs of atoms nearer than this lie before ClusterPairRange::far.
  template <class Real>
  void build(Cpu cpu, const AtomClusters& clusters, const ClusterAtoms<Real>& atoms, double reach, double near);

  std::uint64_t bytes() const;
};

}  // namespace dropmd
