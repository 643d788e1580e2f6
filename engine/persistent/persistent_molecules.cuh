#pragma once

#include "engine/device/molecules/cluster_views.cuh"
#include "engine/persistent/persistent_shape.h"

namespace dropmd {

/// The molecules of a persistent kernel, by place: molecule m has the places from m · kLanesOf<Solver> on. Solver:
/// Settle, or SettleAndSite for waters with sites.
template <class Solver>
struct PersistentMolecules {
  ClusterView<Solver> all;  ///< kNoAtom in `at` for places without an atom; all of one type
  Solver solver;            ///< of all waters; a kernel argument, so that its constants are operands
  PersistentMoleculeShape shape;
  bool only_first_has_vdw;  ///< as in RigidMolecules
  /// Distances between first places up to which atoms of two molecules may be so near that low-order parts count,
  /// squared, and up to which they may be within the cutoff.
  float near_first2, most_first;
};

}  // namespace dropmd
