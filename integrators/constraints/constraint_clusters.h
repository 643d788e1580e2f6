#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/topology/topology.h"
#include "integrators/atom_labels.h"

/// How constraints hang together, by the numbers of the atoms.
namespace dropmd {

/// A connected component of the graph whose edges are the constraints.
struct ConstraintCluster {
  std::span<const Constraint> constraints;  ///< ascending by their atoms; the first atom has the smaller number
  std::array<std::uint32_t, 5> atom{};      ///< the first five atoms, ascending
  std::size_t n_atoms = 0;

  std::span<const std::uint32_t> atoms() const { return std::span(atom).first(n_atoms < 5 ? n_atoms : 5); }
  /// Returns the fixed distance between two atoms, 0 if there is none.
  double length(std::uint32_t a, std::uint32_t b) const;
};

/// The constraints of a topology without duplicates, by cluster.
class ConstraintClusters {
 public:
  /// mass: [n_atoms] by number. Throws InputError for a constraint that is wrong or contradicts its duplicate.
  ConstraintClusters(std::span<const Constraint> constraints, std::span<const double> mass, const AtomLabels& labels);

  /// Clusters, ascending by their smallest number.
  const std::vector<ConstraintCluster>& clusters() const { return clusters_; }

 private:
  std::vector<Constraint> constraints_;
  std::vector<ConstraintCluster> clusters_;
};

}  // namespace dropmd
