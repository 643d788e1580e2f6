#include "engine/droplet/clusters.h"

#include <algorithm>
#include <cmath>

#include "neighbor/clusters/cluster_labels.h"

namespace dropmd {

namespace {

/// Returns the centres of mass of all molecules.
std::vector<Vec3<double>> molecule_centres(const MoleculeTable& table, const Particles& p) {
  std::vector<Vec3<double>> centre(table.size());
  for (std::size_t i = 0; i < p.size(); ++i) centre[table.of_atom[i]] += p.mass[i] * p.position[i];
  for (std::size_t k = 0; k < centre.size(); ++k) centre[k] = (1 / table.mass[k]) * centre[k];
  return centre;
}

/// In a sphere of uniform density, i - ½ of n molecules lie within the distance of the i-th.
double equimolar_radius(std::vector<double>& distance) {
  const auto n = static_cast<double>(distance.size());
  const auto middle = static_cast<std::ptrdiff_t>((distance.size() - 1) / 2);
  std::nth_element(distance.begin(), distance.begin() + middle, distance.end());
  return distance[static_cast<std::size_t>(middle)] * std::cbrt(n / (static_cast<double>(middle) + 0.5));
}

}  // namespace

double usual_link_distance(UnitSystem units) {
  constexpr double kAngstrom = 3.5, kSigma = 1.5;
  return units == UnitSystem::real ? kAngstrom : kSigma;
}

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

Clusters find_clusters(const MoleculeTable& table, std::span<const Vec3<double>> position, double distance) {
  std::vector<Vec3<double>> site(table.site.size());
  std::vector<std::uint32_t> molecule(table.site.size());
  for (std::size_t k = 0; k < site.size(); ++k) {
    site[k] = position[table.site[k]];
    molecule[k] = table.of_atom[table.site[k]];
  }
  return numbered_clusters(cluster_labels(site, molecule, table.size(), distance));
}

std::vector<Vec3<double>> cluster_centres(const MoleculeTable& table, const Clusters& clusters,
                                          const Particles& particles) {
  std::vector<Vec3<double>> centre(clusters.size.size());
  std::vector<double> mass(centre.size());
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const std::uint32_t cluster = clusters.number[table.of_atom[i]];
    centre[cluster] += particles.mass[i] * particles.position[i];
    mass[cluster] += particles.mass[i];
  }
  for (std::size_t k = 0; k < centre.size(); ++k) centre[k] = (1 / mass[k]) * centre[k];
  return centre;
}

ClusterMeasure measure_cluster(const MoleculeTable& table, const Clusters& clusters, std::uint32_t cluster,
                               const Particles& particles) {
  ClusterMeasure measure;
  const std::vector<Vec3<double>> centre = molecule_centres(table, particles);
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (clusters.number[k] != cluster) continue;
    ++measure.molecules;
    measure.atoms += table.n_atoms[k];
    measure.mass += table.mass[k];
    measure.charge += table.charge[k];
    measure.centre += table.mass[k] * centre[k];
  }
  if (measure.molecules == 0) return measure;
  measure.centre = (1 / measure.mass) * measure.centre;
  std::vector<double> distance;
  for (std::size_t k = 0; k < table.size(); ++k)
    if (clusters.number[k] == cluster) distance.push_back(norm(centre[k] - measure.centre));
  measure.radius = equimolar_radius(distance);
  double moment = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (clusters.number[table.of_atom[i]] != cluster) continue;
    const Vec3<double> d = particles.position[i] - measure.centre;
    moment += particles.mass[i] * dot(d, d);
  }
  measure.radius_of_gyration = std::sqrt(moment / measure.mass);
  return measure;
}

}  // namespace dropmd
