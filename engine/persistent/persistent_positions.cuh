#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/persistent/persistent_steps.cuh"
#include "neighbor/atom_tiles.cuh"

/// How the blocks of a persistent kernel tell each other the positions of their atoms.
namespace dropmd {

namespace persistent {

constexpr int kGroup = 4;  ///< atoms that a thread processes at a time, so that their latencies overlap
/// Coordinate of absent atoms: beyond that of atoms clamped to kFarthest, but with finite squares.
constexpr auto kAway = static_cast<float>(4 * kFarthest);

/// The low-order part of an atom's position, and its species; of the size of a LocalAtom, beside which it is stored.
struct alignas(16) LowOrderPart {
  float x, y, z;
  std::uint32_t species;  ///< Particles::pair_species
};
static_assert(sizeof(LowOrderPart) == sizeof(LocalAtom<float>));

/// The positions of all atoms in shared memory: [slots]. Slots past the last atom have a charge of zero and are so far
/// away that their terms vanish.
struct AllPositions {
  LocalAtom<float>* local;
  LowOrderPart* low_order;

  /// shared: memory for both arrays.
  __device__ AllPositions(LocalAtom<float>* shared, std::uint32_t slots)
      : local(shared), low_order(reinterpret_cast<LowOrderPart*>(shared + slots)) {}

  __device__ void prepare(const StepView<float>& step, std::uint32_t slots) const {
    for (std::uint32_t j = threadIdx.x; j < slots; j += blockDim.x) {
      const bool there = j < step.atoms.n_atoms;
      local[j] = {kAway, kAway, kAway, there ? static_cast<float>(step.atoms.charge[j]) : 0.0F};
      low_order[j] = {0, 0, 0, there ? step.atoms.pair_species[j] : 0};
    }
  }

  /// Waits for the positions with a tag; each thread polls several at a time.
  __device__ void gather(const PersistentView& view, std::uint32_t n_atoms, std::uint32_t tag) const {
    gather(view, n_atoms, tag, threadIdx.x, blockDim.x);
  }
  /// The same by some of the threads. thread: among the n_threads that call it.
  __device__ void gather(const PersistentView& view, std::uint32_t n_atoms, std::uint32_t tag, std::uint32_t thread,
                         std::uint32_t n_threads) const {
    const Packet* const position = view.position + std::size_t{tag % 2} * n_atoms;
    const Packet* const low_part = view.low_order + std::size_t{tag % 2} * n_atoms;
    for (std::uint32_t first = thread; first < n_atoms; first += kGroup * n_threads) {
      Packet x[kGroup], r[kGroup];
      bool waiting;
      std::uint32_t looks = 0;
      do {
        waiting = false;
#pragma unroll
        for (int k = 0; k < kGroup; ++k) {
          const std::uint32_t j = first + k * n_threads;
          if (j >= n_atoms) continue;
          x[k] = get_packet(position + j);
          r[k] = get_packet(low_part + j);
        }
#pragma unroll
        for (int k = 0; k < kGroup; ++k)
          if (first + k * n_threads < n_atoms) waiting = waiting || x[k].tag != tag || r[k].tag != tag;
      } while (waiting && !view.peers.gone(++looks));
#pragma unroll
      for (int k = 0; k < kGroup; ++k) {
        const std::uint32_t j = first + k * n_threads;
        if (j >= n_atoms) continue;
        local[j].x = x[k].x, local[j].y = x[k].y, local[j].z = x[k].z;
        low_order[j].x = r[k].x, low_order[j].y = r[k].y, low_order[j].z = r[k].z;
      }
    }
  }

  /// Returns the position of atom j, relative to the anchor.
  __device__ Vec3<double> position(std::uint32_t j) const {
    return {double{local[j].x} + low_order[j].x, double{local[j].y} + low_order[j].y,
            double{local[j].z} + low_order[j].z};
  }
};

/// The position that is published to the other blocks: rounded, relative to the anchor, and its low-order part.
struct PublishedPosition {
  Vec3<float> near, low_order;

  __device__ PublishedPosition(const PersistentView& view, const Vec3<double>& position) {
    const Vec3<double> d = position - view.anchor;
    near = near_enough<float>(d);
    low_order = {low_order_part(d.x, near.x), low_order_part(d.y, near.y), low_order_part(d.z, near.z)};
  }

  /// That of a place without an atom.
  static __device__ PublishedPosition of_nothing() { return {}; }

  __device__ void put(const PersistentView& view, std::uint32_t n_atoms, std::uint32_t tag, std::uint32_t index) const {
    const std::size_t at = std::size_t{tag % 2} * n_atoms + index;
    const Packet x{near.x, near.y, near.z, tag}, r{low_order.x, low_order.y, low_order.z, tag};
    put_packet(view.position + at, x);
    put_packet(view.low_order + at, r);
    for (std::uint32_t k = 0; k < view.peers.n; ++k) {
      put_packet_on_peer(view.peers.position[k] + at, x);
      put_packet_on_peer(view.peers.low_order[k] + at, r);
    }
  }

 private:
  __device__ PublishedPosition() : near{kAway, kAway, kAway}, low_order{0, 0, 0} {}
};

}  // namespace persistent

}  // namespace dropmd
