#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/particles.h"
#include "core/run/droplet_settings.h"
#include "engine/droplet/molecule_table.h"
#include "neighbor/clusters/cluster_labels.h"

namespace dropmd {

/// The clusters of molecules at one step, numbered from 0 by descending size; of two clusters of equal size the one
/// with the smallest molecule index comes first. Cluster 0 is the droplet.
struct Clusters {
  std::vector<std::uint32_t> number;  ///< [n_molecules] cluster of each molecule
  std::vector<std::uint32_t> size;    ///< [n_clusters] number of molecules, descending

  /// Whether a molecule belongs to the droplet.
  bool in_droplet(std::size_t molecule) const { return number[molecule] == 0; }
};

/// Numbers the clusters that labels describe, [n_molecules], as cluster_labels() returns them.
Clusters numbered_clusters(std::span<const std::uint32_t> label);

/// Returns how the atoms of a table are linked into clusters; distance: length.
ClusterLinks cluster_links(const MoleculeTable& table, double distance);

/// Returns the clusters of molecules with sites nearer than `distance`, length. position: [n_atoms][3].
Clusters find_clusters(const MoleculeTable& table, std::span<const Vec3<double>> position, double distance);

/// Properties of a cluster as a whole.
struct ClusterMeasure {
  std::size_t molecules = 0, atoms = 0;
  double mass = 0, charge = 0;
  Vec3<double> centre{};          ///< centre of mass, length
  double radius = 0;              ///< see measure_cluster(), length
  Vec3<double> gyration{};        ///< principal values of the gyration tensor by mass, descending, length²
  double radius_of_gyration = 0;  ///< the root of their sum, length
};

/// Returns the centres of mass of all molecules: [n_molecules].
std::vector<Vec3<double>> molecule_centres(const MoleculeTable& table, const Particles& particles);

/// Returns the centres of mass of all clusters: [n_clusters]. molecule_centre: as molecule_centres() returns them.
std::vector<Vec3<double>> cluster_centres(const MoleculeTable& table, const Clusters& clusters,
                                          std::span<const Vec3<double>> molecule_centre);

/// Measures a cluster. Its radius is equimolar: that of the sphere about the cluster's centre that would hold all its
/// molecules, each counted at its centre of mass, at the mean density of the inner half of them. molecule_centre: as
/// molecule_centres() returns them.
ClusterMeasure measure_cluster(const MoleculeTable& table, const Clusters& clusters, std::uint32_t cluster,
                               std::span<const Vec3<double>> molecule_centre, const Particles& particles);

/// The clusters of molecules, with the molecules and the measures of the droplet.
struct ClusterCensus {
  MoleculeTable molecules;
  Clusters clusters;
  ClusterMeasure droplet;
  double link_distance = 0;  ///< length
};

/// Takes the census of the clusters of molecules with sites nearer than `distance`, length, at the present positions.
ClusterCensus census_of(MoleculeTable molecules, const Particles& particles, double distance);

}  // namespace dropmd
