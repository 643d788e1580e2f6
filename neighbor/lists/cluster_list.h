#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/topology/excluded_pairs.h"
#include "neighbor/lists/cluster_atoms.h"

namespace dropmd {

/// The atoms of an i-cluster (bits of `rows`) that interact with all atoms of a j-cluster.
struct ClusterPair {
  std::uint32_t cluster = 0;  ///< the j-cluster
  std::uint32_t slot = 0;     ///< slot of the j-cluster among the clusters whose forces the group changes
  std::uint32_t rows = 0;
};

/// The pairs of one i-cluster in the group's `pairs`: some of [begin, whole) have exclusions, some of [begin, far) may
/// be near, all of [far, end) are far.
struct ClusterPairRange {
  std::uint32_t begin = 0;
  std::uint32_t whole = 0;
  std::uint32_t far = 0;
  std::uint32_t end = 0;
  std::uint32_t first_excluded = 0;  ///< index in `excluded` of the first pair
};

/// For each atom of an i-cluster the lanes of a j-cluster with which it forms no pair.
struct ExcludedLanes {
  static constexpr std::uint32_t kMostRows = 16;
  std::array<std::uint16_t, kMostRows> of_row{};
};

/// The list of a group of i-clusters: a work item with its own memory for every force that it adds to.
struct ClusterGroupList {
  std::vector<std::uint32_t> touched;  ///< clusters by slot; the group's own come first
  std::vector<ClusterPair> pairs;
  std::vector<ClusterPairRange> ranges;  ///< [clusters of the group]
  std::vector<ExcludedLanes> excluded;   ///< of the pairs that have exclusions, in their order
  std::uint64_t candidate_pairs = 0;     ///< number of pairs of atoms in `pairs`
  std::size_t first_slot = 0;            ///< number of slots of all previous groups
};

/// A Verlet list of clusters. Each pair of atoms closer than `list_cutoff` when the list is built occurs once, with the
/// i atom in the cluster that comes first (within a cluster, with the j atom in a higher lane). An atom interacts with
/// a cluster if it is within the list cutoff of one of its atoms. The list depends on the positions alone, not on
/// threads.
struct ClusterList {
  std::vector<ClusterGroupList> groups;         ///< in the order of AtomClusters::groups
  std::vector<std::size_t> first_cluster_slot;  ///< [n_clusters + 1] index in `cluster_slots`
  /// Slots (counted over all groups) of each cluster, in the order of the groups.
  std::vector<std::size_t> cluster_slots;
  std::size_t n_slots = 0;

  /// near: pairs of atoms closer than this come before ClusterPairRange::far. excluded: pairs of atoms to be left out;
  /// nullptr: none.
  template <class Real>
  void build(Cpu cpu, const AtomClusters& clusters, const ClusterAtoms<Real>& atoms, double list_cutoff, double near,
             const ExcludedPairs* excluded);

  std::uint64_t bytes() const;
};

}  // namespace dropmd
