#include "neighbor/clusters/cluster_labels.h"

#include "core/connected_components.h"
#include "neighbor/closest_pair.h"

namespace dropmd {

std::vector<std::uint32_t> cluster_labels(std::span<const Vec3<double>> position,
                                          std::span<const std::uint32_t> molecule, std::size_t n_molecules,
                                          double distance) {
  ConnectedComponents clusters(n_molecules);
  for_each_pair_within(position, distance,
                       [&](const AtomPair& pair) { clusters.join(molecule[pair.first], molecule[pair.second]); });
  return clusters.labels();
}

std::vector<std::uint32_t> cluster_labels(std::span<const Vec3<double>> position, const ClusterLinks& links) {
  std::vector<Vec3<double>> site;
  std::vector<std::uint32_t> molecule;
  for (std::size_t i = 0; i < position.size(); ++i) {
    if (links.molecule[i] == ClusterLinks::kNoSite) continue;
    site.push_back(position[i]);
    molecule.push_back(links.molecule[i]);
  }
  return cluster_labels(site, molecule, links.n_molecules, links.distance);
}

}  // namespace dropmd
