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

/// The clusters of molecules at one step, numbered from 0 by size: first those of more molecules, of equal ones first
/// that with the smallest molecule. Cluster 0 is the droplet.
struct Clusters {
  std::vector<std::uint32_t> number;  ///< [n_molecules] cluster of each molecule
  std::vector<std::uint32_t> size;    ///< [n_clusters] number of molecules, descending

  /// Whether a molecule belongs to the droplet.
  bool in_droplet(std::size_t molecule) const { return number[molecule] == 0; }
};

/// Numbers the clusters of labels, [n_molecules], as cluster_labels() returns them.
Clusters numbered_clusters(std::span<const std::uint32_t> label);

/// Returns how the atoms of a table link to clusters; distance: length.
ClusterLinks cluster_links(const MoleculeTable& table, double distance);

/// Returns the clusters of molecules with sites nearer than `distance`, length. position: [n_atoms][3].
Clusters find_clusters(const MoleculeTable& table, std::span<const Vec3<double>> position, double distance);

/// What a cluster is as a whole.
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

/// Measures a cluster. Its radius is that of the sphere which holds its molecules at the mean density of the inner half
/// of them, their mass centres, about the cluster's centre (equimolar). molecule_centre: as molecule_centres() returns
/// them.
ClusterMeasure measure_cluster(const MoleculeTable& table, const Clusters& clusters, std::uint32_t cluster,
                               std::span<const Vec3<double>> molecule_centre, const Particles& particles);

/// The clusters of molecules, with the molecules and the measures of the droplet.
struct ClusterCensus {
  MoleculeTable molecules;
  Clusters clusters;
  ClusterMeasure droplet;
  double link_distance = 0;  ///< length
};

/// Takes the clusters of molecules with sites nearer than `distance`, length, where the particles are.
ClusterCensus census_of(MoleculeTable molecules, const Particles& particles, double distance);

}  // namespace dropmd
