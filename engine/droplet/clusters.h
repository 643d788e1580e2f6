#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/particles.h"
#include "engine/droplet/molecule_table.h"

namespace dropmd {

/// The clusters of molecules at one step, numbered from 0 by size: first those of more molecules, of equal ones first
/// that with the smallest molecule. Cluster 0 is the droplet.
struct Clusters {
  std::vector<std::uint32_t> number;  ///< [n_molecules] cluster of each molecule
  std::vector<std::uint32_t> size;    ///< [n_clusters] number of molecules, descending

  /// Whether a molecule belongs to the droplet.
  bool in_droplet(std::size_t molecule) const { return number[molecule] == 0; }
};

/// The distance below which sites link unless a user sets it: 3.5 Å, or 1.5 σ in units lj, where σ is 1.
double usual_link_distance(UnitSystem units);

/// Numbers the clusters of labels, [n_molecules], as cluster_labels() returns them.
Clusters numbered_clusters(std::span<const std::uint32_t> label);

/// Returns the clusters of molecules with sites nearer than `distance`, length. position: [n_atoms][3].
Clusters find_clusters(const MoleculeTable& table, std::span<const Vec3<double>> position, double distance);

/// What a cluster is as a whole.
struct ClusterMeasure {
  std::size_t molecules = 0, atoms = 0;
  double mass = 0, charge = 0;
  Vec3<double> centre{};          ///< centre of mass, length
  double radius = 0;              ///< see measure_cluster(), length
  double radius_of_gyration = 0;  ///< by mass, about the centre, length
};

/// Returns the centres of mass of all clusters: [n_clusters].
std::vector<Vec3<double>> cluster_centres(const MoleculeTable& table, const Clusters& clusters,
                                          const Particles& particles);

/// Measures a cluster. Its radius is that of the sphere which holds its molecules at the mean density of the inner half
/// of them, their mass centres, about the cluster's centre (equimolar).
ClusterMeasure measure_cluster(const MoleculeTable& table, const Clusters& clusters, std::uint32_t cluster,
                               const Particles& particles);

}  // namespace dropmd
