#pragma once

#include <cstdint>
#include <vector>

#include "device/buffer.cuh"
#include "device/communicator/peer_group.h"
#include "engine/device/device_atoms.cuh"
#include "engine/molecules/motion_plans.h"
#include "forces/atom_owners.h"
#include "forces/term_atoms.cuh"

namespace dropmd {

namespace own_atoms {

/// Sets the owner of each atom: the GPU that has the tile of the first of the atoms that are moved together; one thread
/// per atom. first: [n_atoms] by host index, the storage index of that first atom; null: each atom is moved by itself.
static __global__ void __launch_bounds__(128)
    owners_kernel(const std::uint32_t* first, const std::uint32_t* host_index, std::uint32_t n_atoms,
                  std::uint32_t n_peers, std::uint8_t* owner) {
  const std::uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= n_atoms) return;
  const std::uint32_t tile = (first != nullptr ? first[host_index[index]] : index) / kTileAtoms;
  for (std::uint32_t rank = 0; rank < n_peers; ++rank)
    if (WorkShare{rank, n_peers}.has(tile, tiles_of(n_atoms))) owner[index] = static_cast<std::uint8_t>(rank);
}

/// Where each GPU keeps the marks of all.
struct TileMarksOfAll {
  std::uint8_t* of[PeerGroup::kMost];  ///< [n_peers][n_tiles] of each GPU
};
/// Tells all GPUs which tiles this one has marked; one thread per tile.
static __global__ void __launch_bounds__(128)
    tell_marks_kernel(const __grid_constant__ TileMarksOfAll marks, const std::uint8_t* mine, std::uint32_t n_tiles,
                      std::uint32_t rank, std::uint32_t n_peers) {
  const std::uint32_t tile = blockIdx.x * blockDim.x + threadIdx.x;
  if (tile >= n_tiles) return;
  for (std::uint32_t to = 0; to < n_peers; ++to) marks.of[to][std::size_t{rank} * n_tiles + tile] = mine[tile];
}

}  // namespace own_atoms

/// Which GPU owns which atoms, and which tiles each needs for forces other than those of pairs. Atoms that have to be
/// moved together have one owner.
template <class Real>
class AtomOwnership {
 public:
  /// It waits for the other peers.
  AtomOwnership(const Peer& peer, const System& system, DeviceAtoms<Real>& atoms)
      : atoms_(atoms),
        share_(peer.share()),
        first_(atoms.stream),
        d_owner_(atoms.stream),
        d_mine_(atoms.stream),
        d_marked_by_(atoms.stream) {
    d_owner_.resize(atoms.n_atoms);
    if (atoms.molecules.any()) first_.upload(atoms.cuda, atoms_moved_together(system), atoms.n_atoms);
    if (!atoms.forces.has_other_terms()) return;
    d_mine_.resize(atoms.n_tiles);
    d_marked_by_.resize(std::size_t{share_.size} * atoms.n_tiles);
    const std::vector<void*> all = peer.group.gather(peer.rank, d_marked_by_.data());
    for (std::size_t rank = 0; rank < all.size(); ++rank) marks_.of[rank] = static_cast<std::uint8_t*>(all[rank]);
    atoms.forces.divide_by_owners(owners());
  }

  /// Device memory in bytes, for n_peers GPUs, with that of OwnMolecules.
  static std::uint64_t bytes(const System& system, std::uint64_t n_peers) {
    const std::uint64_t n_atoms = system.particles.size();
    const std::uint64_t of_molecules = TermAtoms::bytes(n_atoms, n_atoms) + sizeof(std::uint32_t) * n_atoms;
    return n_atoms + (moves_by_clusters(system) ? of_molecules : 0) +
           (n_peers + 1) * tiles_of(static_cast<std::uint32_t>(n_atoms));
  }

  AtomOwners owners() const { return {d_owner_.data(), share_.rank}; }
  /// [size][n_tiles] which tiles each GPU has marked, by rank; null if there are no terms that could mark any.
  const std::uint8_t* marked_by() const { return d_marked_by_.size() > 0 ? d_marked_by_.data() : nullptr; }

  /// Finds the owners after the atoms and force terms have been reordered, and tells the others which tiles this GPU
  /// needs; they may read the marks after this GPU's next ready signal.
  void reordered() const {
    const Cuda& cuda = atoms_.cuda;
    constexpr std::uint32_t kThreads = 128;
    const auto blocks = [](std::uint32_t n) { return (n + kThreads - 1) / kThreads; };
    const std::uint32_t n = atoms_.n_atoms, n_tiles = atoms_.n_tiles;
    const std::uint32_t* const host_index = atoms_.view.atoms.host_index;
    if (first_.size() > 0) first_.reordered(cuda, host_index, n);
    own_atoms::owners_kernel<<<blocks(n), kThreads, 0, cuda.get()>>>(first_.size() > 0 ? first_.at() : nullptr,
                                                                     host_index, n, share_.size, d_owner_.data());
    DROPMD_CUDA_LAUNCHED("finding the own atoms of a GPU");
    if (marked_by() == nullptr) return;
    d_mine_.zero();
    atoms_.forces.mark_tiles(cuda, atoms_.moment(), d_mine_.data());
    own_atoms::tell_marks_kernel<<<blocks(n_tiles), kThreads, 0, cuda.get()>>>(marks_, d_mine_.data(), n_tiles,
                                                                               share_.rank, share_.size);
    DROPMD_CUDA_LAUNCHED("exchanging which atoms the force terms of GPUs need");
  }

 private:
  DeviceAtoms<Real>& atoms_;
  WorkShare share_;
  TermAtoms first_;  ///< of the atoms that are moved together with each, by host index
  DeviceBuffer<std::uint8_t> d_owner_;
  DeviceBuffer<std::uint8_t> d_mine_, d_marked_by_;
  own_atoms::TileMarksOfAll marks_{};
};

}  // namespace dropmd
