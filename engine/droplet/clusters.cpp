#include "engine/droplet/clusters.h"

#include <algorithm>
#include <cmath>

#include "neighbor/clusters/cluster_labels.h"

namespace dropmd {

namespace {

/// Returns the centres of mass of groups of atoms: [n_groups]. group_of: returns the group of an atom.
template <class GroupOf>
std::vector<Vec3<double>> centres_of_mass(std::size_t n_groups, const GroupOf& group_of, const Particles& p) {
  std::vector<Vec3<double>> centre(n_groups);
  std::vector<double> mass(n_groups);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::uint32_t group = group_of(i);
    centre[group] += p.mass[i] * p.position[i];
    mass[group] += p.mass[i];
  }
  for (std::size_t k = 0; k < n_groups; ++k) centre[k] = (1 / mass[k]) * centre[k];
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
  return centres_of_mass(
      clusters.size.size(), [&](std::size_t i) { return clusters.number[table.of_atom[i]]; }, particles);
}

ClusterMeasure measure_cluster(const MoleculeTable& table, const Clusters& clusters, std::uint32_t cluster,
                               const Particles& particles) {
  ClusterMeasure measure;
  const std::vector<Vec3<double>> centre = centres_of_mass(
      table.size(), [&](std::size_t i) { return table.of_atom[i]; }, particles);
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
