#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/vec3.h"

namespace dropmd {

/// Returns the clusters of molecules: two molecules belong to one if a site of one is nearer than `distance` to a site
/// of the other, or if a chain of such links joins them. The label of a cluster is its molecule with the smallest
/// index, so that labels do not depend on the order of the sites.
///
/// position: [n_sites][3]; molecule: [n_sites] index of each site's molecule. Result: [n_molecules] labels; a molecule
/// without sites is a cluster of its own. Takes O(n_sites) time and memory unless sites lie much closer than
/// `distance`.
std::vector<std::uint32_t> cluster_labels(std::span<const Vec3<double>> position,
                                          std::span<const std::uint32_t> molecule, std::size_t n_molecules,
                                          double distance);

/// How the atoms of a model link to clusters of molecules.
struct ClusterLinks {
  /// Stands for the molecule of an atom that links nothing.
  static constexpr std::uint32_t kNoSite = 0xFFFFFFFF;

  std::vector<std::uint32_t> molecule;  ///< [n_atoms] index of the molecule of which the atom is a site, or kNoSite
  std::size_t n_molecules = 0;
  double distance = 0;  ///< sites nearer than this link their molecules, length
};

/// Returns the labels for the sites at the positions of all atoms: [n_molecules]. position: [n_atoms][3].
std::vector<std::uint32_t> cluster_labels(std::span<const Vec3<double>> position, const ClusterLinks& links);

}  // namespace dropmd
