#pragma once

#include "integrators/atom_labels.h"
#include "integrators/constraints/constraint_clusters.h"

namespace dropmd {

/// Whether distances are those of a triangle or tetrahedron.
enum class Realizable { yes, flat, no };

/// Returns whether a triangle with these sides exists. It is flat if its height is below about a thousandth of its
/// longest side: its constraints then depend on each other.
Realizable triangle_with(double a, double b, double c);

/// Returns whether a tetrahedron with these edges exists. Its faces must be triangles that are not flat. Edges are in
/// the order 01, 02, 03, 12, 13, 23. It is flat if atom 3 is closer to the plane of the others than a thousandth of the
/// longest edge.
Realizable tetrahedron_with(const double (&edge)[6]);

/// Throws InputError if the distances of a triangle or tetrahedron contradict each other or leave it flat.
void check_distances(const ConstraintCluster& cluster, const AtomLabels& labels);

}  // namespace dropmd
