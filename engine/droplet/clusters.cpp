#include "engine/droplet/clusters.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "core/symmetric_eigen.h"

namespace dropmd {

namespace {

/// In a sphere of uniform density, i - ½ of n molecules lie within the distance of the i-th.
double equimolar_radius(std::vector<double>& distance) {
  const auto n = static_cast<double>(distance.size());
  const auto middle = static_cast<std::ptrdiff_t>((distance.size() - 1) / 2);
  std::nth_element(distance.begin(), distance.begin() + middle, distance.end());
  return distance[static_cast<std::size_t>(middle)] * std::cbrt(n / (static_cast<double>(middle) + 0.5));
}

}  // namespace

Clusters numbered_clusters(std::span<const std::uint32_t> label) {
  std::vector<std::uint32_t> size(label.size());
  for (const std::uint32_t l : label) ++size[l];
  std::vector<std::uint32_t> order;  // labels of the clusters
  for (std::uint32_t l = 0; l < size.size(); ++l)
    if (size[l] > 0) order.push_back(l);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return size[a] > size[b]; });
  std::vector<std::uint32_t> number_of_label(label.size());
  Clusters clusters;
  for (std::uint32_t k = 0; k < order.size(); ++k) {
    number_of_label[order[k]] = k;
    clusters.size.push_back(size[order[k]]);
  }
  for (const std::uint32_t l : label) clusters.number.push_back(number_of_label[l]);
  return clusters;
}

ClusterLinks cluster_links(const MoleculeTable& table, double distance) {
  ClusterLinks links{.molecule = std::vector(table.of_atom.size(), ClusterLinks::kNoSite),
                     .n_molecules = table.size(),
                     .distance = distance};
  for (const std::uint32_t i : table.site) links.molecule[i] = table.of_atom[i];
  return links;
}

Clusters find_clusters(const MoleculeTable& table, std::span<const Vec3<double>> position, double distance) {
  return numbered_clusters(cluster_labels(position, cluster_links(table, distance)));
}

std::vector<Vec3<double>> molecule_centres(const MoleculeTable& table, const Particles& p) {
  std::vector<Vec3<double>> centre(table.size());
  for (std::size_t i = 0; i < p.size(); ++i) centre[table.of_atom[i]] += p.mass[i] * p.position[i];
  for (std::size_t k = 0; k < centre.size(); ++k) centre[k] = (1 / table.mass[k]) * centre[k];
  return centre;
}

std::vector<Vec3<double>> cluster_centres(const MoleculeTable& table, const Clusters& clusters,
                                          std::span<const Vec3<double>> molecule_centre) {
  std::vector<Vec3<double>> centre(clusters.size.size());
  std::vector<double> mass(clusters.size.size());
  for (std::size_t k = 0; k < table.size(); ++k) {
    centre[clusters.number[k]] += table.mass[k] * molecule_centre[k];
    mass[clusters.number[k]] += table.mass[k];
  }
  for (std::size_t c = 0; c < centre.size(); ++c) centre[c] = (1 / mass[c]) * centre[c];
  return centre;
}

ClusterMeasure measure_cluster(const MoleculeTable& table, const Clusters& clusters, std::uint32_t cluster,
                               std::span<const Vec3<double>> molecule_centre, const Particles& particles) {
  ClusterMeasure measure;
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (clusters.number[k] != cluster) continue;
    ++measure.molecules;
    measure.atoms += table.n_atoms[k];
    measure.mass += table.mass[k];
    measure.charge += table.charge[k];
    measure.centre += table.mass[k] * molecule_centre[k];
  }
  if (measure.molecules == 0) return measure;
  measure.centre = (1 / measure.mass) * measure.centre;
  std::vector<double> distance;
  for (std::size_t k = 0; k < table.size(); ++k)
    if (clusters.number[k] == cluster) distance.push_back(norm(molecule_centre[k] - measure.centre));
  measure.radius = equimolar_radius(distance);
  SymmetricMatrix moments{};
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (clusters.number[table.of_atom[i]] != cluster) continue;
    const Vec3<double> d = particles.position[i] - measure.centre;
    const double share = particles.mass[i] / measure.mass;
    moments += {share * d.x * d.x, share * d.x * d.y, share * d.x * d.z,
                share * d.y * d.y, share * d.y * d.z, share * d.z * d.z};
  }
  SymmetricEigen principal = symmetric_eigen(moments);
  std::sort(std::begin(principal.value), std::end(principal.value), std::greater<>());
  measure.gyration = {principal.value[0], principal.value[1], principal.value[2]};
  measure.radius_of_gyration = std::sqrt(moments.xx + moments.yy + moments.zz);
  return measure;
}

ClusterCensus census_of(MoleculeTable molecules, const Particles& particles, double distance) {
  Clusters clusters = find_clusters(molecules, particles.position, distance);
  const ClusterMeasure droplet =
      measure_cluster(molecules, clusters, 0, molecule_centres(molecules, particles), particles);
  return {std::move(molecules), std::move(clusters), droplet, distance};
}

}  // namespace dropmd
