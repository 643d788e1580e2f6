#include <algorithm>
#include <bit>
#include <cmath>

#include "core/macros.h"
#include "device/launch.cuh"
#include "neighbor/clusters/device_cluster_labels.cuh"

namespace dropmd {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF, kThreads = 128;

/// A cell and half of the cells around it; the other half are the opposites of these.
constexpr std::uint32_t kCells = 14;

std::uint32_t buckets_for(std::uint64_t n_sites) {
  return static_cast<std::uint32_t>(std::bit_ceil(std::max<std::uint64_t>(64, 2 * n_sites)));
}

struct CellOfSite {
  long long x, y, z;

  __device__ CellOfSite neighbor(std::uint32_t c) const {
    // The numbers 13 to 26 of the 27 cells in lexicographic order.
    const int number = 13 + static_cast<int>(c);
    return {x + number / 9 - 1, y + number / 3 % 3 - 1, z + number % 3 - 1};
  }
  __device__ std::uint32_t bucket(std::uint32_t n_buckets) const {
    const auto mixed = static_cast<unsigned long long>(x) * 0x9E3779B97F4A7C15ULL ^
                       static_cast<unsigned long long>(y) * 0xC2B2AE3D27D4EB4FULL ^
                       static_cast<unsigned long long>(z) * 0x165667B19E3779F9ULL;
    return static_cast<std::uint32_t>(mixed >> 32U) & (n_buckets - 1);
  }
};

struct LinkView {
  DeviceAtomPositions atoms;
  const std::uint32_t* molecule;
  std::uint32_t* parent;
  std::uint32_t* label;
  std::uint32_t* first;
  std::uint32_t* next;
  std::uint32_t n_molecules, n_buckets;
  double distance;
  double edge_inv;  ///< of a cell

  __device__ std::uint32_t molecule_of(std::uint32_t k) const { return molecule[atoms.host_index[k]]; }
  __device__ CellOfSite cell_of(std::uint32_t k) const {
    const Vec3<double> x = edge_inv * atoms.position[k];
    return {static_cast<long long>(floor(x.x)), static_cast<long long>(floor(x.y)), static_cast<long long>(floor(x.z))};
  }

  __device__ std::uint32_t parent_of(std::uint32_t m) const { return static_cast<volatile std::uint32_t*>(parent)[m]; }
  /// Returns the root, and shortens the path to it. A node's parent is only ever replaced by another of its ancestors.
  __device__ std::uint32_t root_of(std::uint32_t m) const {
    for (;;) {
      const std::uint32_t p = parent_of(m), above = parent_of(p);
      if (p == above) return p;
      static_cast<volatile std::uint32_t*>(parent)[m] = above;
      m = above;
    }
  }
  /// Joins two trees. A root may have been hooked since it was found; the search then goes on from it.
  __device__ void join(std::uint32_t a, std::uint32_t b) const {
    for (;;) {
      a = root_of(a), b = root_of(b);
      if (a == b) return;
      const std::uint32_t low = min(a, b), high = max(a, b);
      if (atomicCAS(parent + high, high, low) == high) return;
    }
  }
};

__global__ void begin_labels_kernel(const __grid_constant__ LinkView links) {
  wait_for_kernel_before();
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < links.n_molecules) links.parent[i] = i;
  if (i < links.n_buckets) links.first[i] = kNone;
}

/// One thread per atom. The order of sites in a bucket is of no consequence.
__global__ void insert_sites_kernel(const __grid_constant__ LinkView links) {
  wait_for_kernel_before();
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= links.atoms.n_atoms || links.molecule_of(k) == ClusterLinks::kNoSite) return;
  links.next[k] = atomicExch(links.first + links.cell_of(k).bucket(links.n_buckets), k);
}

/// One thread per atom, and one row of blocks per cell. A bucket may also hold sites of other cells, whose links are
/// just as valid. The distance is rounded as on the host.
__global__ void link_sites_kernel(const __grid_constant__ LinkView links) {
  wait_for_kernel_before();
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
  if (k >= links.atoms.n_atoms) return;
  const std::uint32_t own = links.molecule_of(k);
  if (own == ClusterLinks::kNoSite) return;
  const Vec3<double> x = links.atoms.position[k];
  const std::uint32_t bucket = links.cell_of(k).neighbor(c).bucket(links.n_buckets);
  for (std::uint32_t j = links.first[bucket]; j != kNone; j = links.next[j]) {
    if (c == 0 && j >= k) continue;
    const Vec3<double> d = x - links.atoms.position[j];
    if (sqrt(dot(d, d)) < links.distance) links.join(own, links.molecule_of(j));
  }
}

__global__ void write_labels_kernel(const __grid_constant__ LinkView links) {
  wait_for_kernel_before();
  const std::uint32_t m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m < links.n_molecules) links.label[m] = links.root_of(m);
}

}  // namespace

DeviceClusterLabels::DeviceClusterLabels(const Stream& stream, const ClusterLinks& links)
    : distance_(links.distance),
      n_molecules_(static_cast<std::uint32_t>(links.n_molecules)),
      d_molecule_(stream),
      d_parent_(stream),
      d_label_(stream),
      d_first_(stream),
      d_next_(stream),
      h_label_(std::max<std::size_t>(1, links.n_molecules)) {
  const auto n_sites = std::count_if(links.molecule.begin(), links.molecule.end(),
                                     [](std::uint32_t m) { return m != ClusterLinks::kNoSite; });
  d_molecule_.upload(links.molecule);
  d_parent_.resize(n_molecules_);
  d_label_.resize(n_molecules_);
  d_first_.resize(buckets_for(static_cast<std::uint64_t>(n_sites)));
  d_next_.resize(links.molecule.size());
}

std::uint64_t DeviceClusterLabels::bytes(std::uint64_t n_atoms) {
  return sizeof(std::uint32_t) * (4 * n_atoms + buckets_for(n_atoms));
}

std::vector<std::uint32_t> DeviceClusterLabels::operator()(const Cuda& cuda, const DeviceAtomPositions& atoms) {
  if (n_molecules_ == 0) return {};
  constexpr double kMargin = 1 + 1e-6;  // exceeds the rounding of a site at the edge of a cell
  const LinkView links{.atoms = atoms,
                       .molecule = d_molecule_.data(),
                       .parent = d_parent_.data(),
                       .label = d_label_.data(),
                       .first = d_first_.data(),
                       .next = d_next_.data(),
                       .n_molecules = n_molecules_,
                       .n_buckets = static_cast<std::uint32_t>(d_first_.size()),
                       .distance = distance_,
                       .edge_inv = 1 / (distance_ * kMargin)};
  const char* const doing = "labelling clusters";
  const auto blocks = [](std::uint32_t n) { return (n + kThreads - 1) / kThreads; };
  launch_early(cuda, begin_labels_kernel, {blocks(std::max(n_molecules_, links.n_buckets)), kThreads}, doing, links);
  launch_early(cuda, insert_sites_kernel, {blocks(atoms.n_atoms), kThreads}, doing, links);
  launch_early(cuda, link_sites_kernel, {blocks(atoms.n_atoms), kThreads, 0, kCells}, doing, links);
  launch_early(cuda, write_labels_kernel, {blocks(n_molecules_), kThreads}, doing, links);
  const std::span<std::uint32_t> labels = h_label_.all().first(n_molecules_);
  d_label_.download(labels);
  cuda.stream.synchronize(doing);
  return {labels.begin(), labels.end()};
}

}  // namespace dropmd
