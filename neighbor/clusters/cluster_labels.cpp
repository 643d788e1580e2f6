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

}  // namespace dropmd
