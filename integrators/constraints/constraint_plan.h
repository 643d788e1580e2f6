#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/topology/present_atoms.h"
#include "core/topology/topology.h"
#include "integrators/constraints/cluster_shapes.h"
#include "integrators/constraints/settle.h"
#include "integrators/constraints/small_cluster.h"

namespace dropmd {

/// All clusters that one solver solves.
template <class Solver>
struct ConstraintGroup {
  using Atoms = std::array<std::uint32_t, Solver::kAtoms>;

  std::vector<Atoms> atoms;         ///< [n_clusters][kAtoms] indices in the solver's order, ascending by the first
  std::vector<std::uint32_t> type;  ///< [n_clusters] index into `solver`
  std::vector<Solver> solver;       ///< [n_types] lengths and masses of clusters that are alike
};

/// The constraints of a topology, divided into clusters that share no atom. The clusters of one group need the same
/// work, so that the lanes of a GPU's warp can do it side by side. Clusters are counted through all groups, in the
/// order of the tuple.
struct ConstraintPlan {
  std::tuple<ConstraintGroup<Settle>, ConstraintGroup<SmallCluster<StarShape<1>>>,
             ConstraintGroup<SmallCluster<StarShape<2>>>, ConstraintGroup<SmallCluster<StarShape<3>>>,
             ConstraintGroup<SmallCluster<StarShape<4>>>, ConstraintGroup<SmallCluster<TriangleShape>>,
             ConstraintGroup<SmallCluster<TetrahedronShape>>, ConstraintGroup<SmallCluster<FourAtomShape>>>
      groups;
  std::size_t n_constraints = 0;  ///< of the present atoms: by how much they reduce the degrees of freedom

  /// Number of clusters of all kinds.
  std::size_t n_clusters() const;
  /// Returns the indices of the atoms of a cluster.
  std::span<const std::uint32_t> atoms_of(std::size_t cluster) const;
  /// Returns the kinds and their numbers for a log, such as "512 rigid waters of three sites, 3 triangles"; empty:
  /// none.
  std::string summary() const;
};

/// Divides the constraints of a topology into clusters and chooses a solver for each. mass: [number of atoms in the
/// topology] by number. names: likewise, for messages; may be empty. Clusters whose atoms are all absent are left out.
/// Constraints that are given repeatedly with the same length count once.
///
/// Throws InputError, which names the bonds by the ids of the atoms, for a constraint of an atom with itself, without a
/// positive length, of an atom without mass, or with two lengths; for distances that no triangle or tetrahedron has, or
/// that leave it flat; and for clusters of more than four atoms that are not a star of at most four bonds.
ConstraintPlan plan_constraints(const Topology& topology, std::span<const double> mass,
                                const PresentAtoms& present = {}, std::span<const std::string> names = {});

/// Returns the part of a plan whose atoms are present. by_number: a plan for all atoms of a topology.
ConstraintPlan present_part(const ConstraintPlan& by_number, const PresentAtoms& present);
/// Returns the number of constraints of that part. counts: [n_atoms] whether those of an atom's cluster count; empty:
/// all do.
std::size_t count_constraints(const ConstraintPlan& by_number, const PresentAtoms& present,
                              std::span<const char> counts);

}  // namespace dropmd
