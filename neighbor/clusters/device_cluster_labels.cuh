#pragma once

#include <cstdint>
#include <vector>

#include "core/vec3.h"
#include "device/buffer.cuh"
#include "device/cuda.cuh"
#include "device/pinned.cuh"
#include "neighbor/clusters/cluster_labels.h"

namespace dropmd {

/// The atoms to be labelled, in device memory and in any order.
struct DeviceAtomPositions {
  const Vec3<double>* position;     ///< [n_atoms][3] length
  const std::uint32_t* host_index;  ///< [n_atoms] index of each in ClusterLinks
  std::uint32_t n_atoms;
};

/// cluster_labels() on a GPU, with the same result: sites in a hash table of cells whose edge is the link distance, and
/// a disjoint-set forest whose roots are hooked below smaller ones by compare and swap (Jaiganesh and Burtscher, HPDC
/// 2018). Whatever the order of the hooks, the root of a tree is its smallest molecule. Memory is allocated once.
class DeviceClusterLabels {
 public:
  /// stream: must outlive this object.
  DeviceClusterLabels(const Stream& stream, const ClusterLinks& links);

  /// Returns the labels, [n_molecules]; waits.
  std::vector<std::uint32_t> operator()(const Cuda& cuda, const DeviceAtomPositions& atoms);

  /// Device memory in bytes, at most.
  static std::uint64_t bytes(std::uint64_t n_atoms);

 private:
  double distance_;
  std::uint32_t n_molecules_;
  DeviceBuffer<std::uint32_t> d_molecule_;  ///< [n_atoms] ClusterLinks::molecule
  DeviceBuffer<std::uint32_t> d_parent_;    ///< [n_molecules] the forest
  DeviceBuffer<std::uint32_t> d_label_;     ///< [n_molecules]
  DeviceBuffer<std::uint32_t> d_first_;     ///< [n_buckets] a site of each bucket
  DeviceBuffer<std::uint32_t> d_next_;      ///< [n_atoms] the next site in the site's bucket
  Pinned<std::uint32_t> h_label_;
};

}  // namespace dropmd
