#pragma once

#include <cstdint>

#include "engine/persistent/persistent_kernel.cuh"

/// Part of the persistent kernel with lists (persistent_list_kernel.cuh): how a block stores the atoms near its own,
/// finds them, and computes their forces. Forces do not depend on the age of the lists: each lane of an atom's warp
/// sums the forces from every 32nd atom in ascending order, and atoms that are too far away add nothing.
namespace dropmd {

namespace persistent {

/// A row of the slots of NearBuffer.
struct NearRow {
  LocalAtom<float> local[32];
  LowOrderPart low_order[32];
};

/// The atoms near those of a block. Atom j has a slot in column j % 32, above those of lower index. The row past the
/// last one has charges of zero and is so far away that its terms vanish.
struct NearBuffer {
  NearRow* row;           ///< [rows + 1]
  std::uint32_t* member;  ///< [rows][32] index of the atom, or kNoAtom
  std::uint32_t n = 0;    ///< rows in use
  bool overfull = true;   ///< the atoms do not fit: none is kept

  static constexpr std::uint32_t kNoAtom = 0xFFFFFFFFU;

  __device__ LocalAtom<float>* local(std::uint32_t slot) const { return row[slot / 32].local + slot % 32; }
  __device__ LowOrderPart* low_order(std::uint32_t slot) const { return row[slot / 32].low_order + slot % 32; }

  /// Empties a slot.
  __device__ void empty(std::uint32_t slot) const {
    *local(slot) = {kAway, kAway, kAway, 0};
    *low_order(slot) = {0, 0, 0, 0};
  }

  /// Waits for the positions with a tag; each thread polls several at a time.
  __device__ void gather(const PersistentView& view, std::uint32_t n_atoms, std::uint32_t tag) const {
    constexpr int kAtOnce = 2;
    const Packet* const position = view.position + std::size_t{tag % 2} * n_atoms;
    const Packet* const low_part = view.low_order + std::size_t{tag % 2} * n_atoms;
    for (std::uint32_t first = threadIdx.x; first < 32 * n; first += kAtOnce * blockDim.x) {
      std::uint32_t j[kAtOnce];
      Packet x[kAtOnce], r[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        const std::uint32_t slot = first + k * blockDim.x;
        j[k] = slot < 32 * n ? member[slot] : kNoAtom;
      }
      bool waiting;
      do {
        waiting = false;
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          if (j[k] == kNoAtom) continue;
          x[k] = get_packet(position + j[k]);
          r[k] = get_packet(low_part + j[k]);
        }
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k)
          if (j[k] != kNoAtom) waiting = waiting || x[k].tag != tag || r[k].tag != tag;
      } while (waiting);
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        if (j[k] == kNoAtom) continue;
        LocalAtom<float>& a = *local(first + k * blockDim.x);
        LowOrderPart& left = *low_order(first + k * blockDim.x);
        a.x = x[k].x, a.y = x[k].y, a.z = x[k].z;
        left.x = r[k].x, left.y = r[k].y, left.z = r[k].z;
      }
    }
  }
};

/// Waits for a packet with a tag.
__device__ inline Packet wait_for_packet(const Packet* from, std::uint32_t tag) {
  Packet p;
  do p = get_packet(from);
  while (p.tag != tag);
  return p;
}

/// The block's own atoms as other blocks see them, with charges multiplied by k_e.
struct BlockAtoms {
  static constexpr std::uint32_t kMost = PersistentListShape::kMostOfWarp * PersistentListShape::kMostWarps;

  LocalAtom<float> local[kMost];
  LowOrderPart low_order[kMost];

  __device__ void set(std::uint32_t i, const PublishedPosition& at) {
    local[i].x = at.near.x, local[i].y = at.near.y, local[i].z = at.near.z;
    low_order[i].x = at.low_order.x, low_order[i].y = at.low_order.y, low_order[i].z = at.low_order.z;
  }
};

/// Finds the atoms near those of a block and computes their pairs.
template <class Physics>
struct NearAtoms {
  const StepView<float>& step;
  const PairTableView<float>& table;
  const Physics& physics;
  const PersistentView& view;
  const PersistentListView& list;
  NearBuffer buffer;
  const BlockAtoms& own;
  std::uint32_t n_own;                                           ///< number of atoms of the block
  std::uint16_t (&height)[PersistentListShape::kMostWarps][32];  ///< of each column, by warp
  std::uint16_t (&n_words)[BlockAtoms::kMost];                   ///< of each own atom's list
  std::uint32_t& candidate_pairs;                                ///< number of entries of the block's lists

  __device__ std::uint32_t* words(std::uint32_t i) const {
    const std::size_t of_atom = std::size_t{32} * list.shape.list_words();
    return list.word + (std::size_t{blockIdx.x} * list.shape.atoms + i) * of_atom;
  }
  __device__ std::uint32_t lane() const { return threadIdx.x % 32; }
  __device__ std::uint32_t warp() const { return threadIdx.x / 32; }

  __device__ bool is_within(const LocalAtom<float>& a, float x, float y, float z) const {
    const Vec3<float> d{a.x - x, a.y - y, a.z - z};
    // Both positions are rounded by 2⁻²⁴ of their coordinates; this margin is larger, and the same from both sides.
    const float lost = 2.5e-7F * (fabsf(x) + fabsf(y) + fabsf(z) + fabsf(a.x) + fabsf(a.y) + fabsf(a.z));
    const float limit = list.list_cutoff + lost;
    return dot(d, d) < limit * limit * 1.00001F;
  }

  /// Returns whether an atom is within the list cutoff of any of the block's own, whose box is given.
  __device__ bool is_near(const Packet& x, const Vec3<float>& low, const Vec3<float>& high) const {
    const LocalAtom<float> nearest{fminf(fmaxf(x.x, low.x), high.x), fminf(fmaxf(x.y, low.y), high.y),
                                   fminf(fmaxf(x.z, low.z), high.z), 0};
    if (!is_within(nearest, x.x, x.y, x.z)) return false;
    for (std::uint32_t i = 0; i < n_own; ++i)
      if (is_within(own.local[i], x.x, x.y, x.z)) return true;
    return false;
  }

  __device__ std::uint32_t* kept_members() const {
    return list.member + std::size_t{32} * list.shape.rows * blockIdx.x;
  }

  /// Continues with the lists that the previous launch left in device memory. All threads must call it; those whose
  /// `thread` is below n_threads share the work. A barrier must follow.
  __device__ void take_over(const KeptLists& kept, std::uint32_t thread, std::uint32_t n_threads) {
    buffer.n = kept.rows;
    buffer.overfull = kept.overfull != 0;
    if (thread >= n_threads) return;
#pragma unroll 4  // so that loads overlap
    for (std::uint32_t slot = thread; slot < 32 * buffer.n; slot += n_threads) {
      const std::uint32_t j = kept_members()[slot];
      const bool there = j != NearBuffer::kNoAtom;
      buffer.member[slot] = j;
      *buffer.local(slot) = {kAway, kAway, kAway, there ? static_cast<float>(step.atoms.charge[j]) : 0.0F};
      *buffer.low_order(slot) = {0, 0, 0, there ? step.atoms.pair_species[j] : 0};
    }
    const std::uint32_t first = blockIdx.x * list.shape.atoms;
    for (std::uint32_t i = thread; i < n_own; i += n_threads)
      n_words[i] = static_cast<std::uint16_t>(list.n_words[first + i]);
    if (thread == 0) candidate_pairs = kept.candidate_pairs;
  }

  /// Leaves the lists to the next launch. listed: the position of the block's atom `threadIdx.x` for which the lists
  /// were built. All threads must call it; a barrier must separate it from find().
  __device__ void leave(const Vec3<double>& listed) const {
    if (threadIdx.x == 0) list.kept[blockIdx.x] = {1, buffer.n, buffer.overfull ? 1U : 0U, candidate_pairs};
    if (threadIdx.x >= n_own) return;
    const std::uint32_t mine = blockIdx.x * list.shape.atoms + threadIdx.x;
    list.n_words[mine] = n_words[threadIdx.x];
    list.listed[mine] = listed;
  }

  /// Collects the atoms near those of the block and builds their lists, for the positions with a tag. All threads must
  /// call it.
  __device__ void find(std::uint32_t tag) {
    const std::uint32_t n_atoms = step.atoms.n_atoms, warps = blockDim.x / 32;
    const Packet* const position = view.position + std::size_t{tag % 2} * n_atoms;
    const Packet* const low_part = view.low_order + std::size_t{tag % 2} * n_atoms;
    Vec3<float> low{own.local[0].x, own.local[0].y, own.local[0].z}, high = low;
    for (std::uint32_t i = 1; i < n_own; ++i) {
      const LocalAtom<float>& a = own.local[i];
      low = {fminf(low.x, a.x), fminf(low.y, a.y), fminf(low.z, a.z)};
      high = {fmaxf(high.x, a.x), fmaxf(high.y, a.y), fmaxf(high.z, a.z)};
    }
    const std::uint32_t all_rows = (n_atoms + 31) / 32, rows_of_warp = (all_rows + warps - 1) / warps;
    const std::uint32_t first_row = warp() * rows_of_warp;
    std::uint32_t near = 0;               // of the lane's atoms in the warp's rows, one bit each
    constexpr std::uint32_t kAtOnce = 4;  // loads of a lane in flight at once
    for (std::uint32_t from = 0; from < rows_of_warp; from += kAtOnce) {
      const auto atom = [&](std::uint32_t k) { return 32 * (first_row + from + k) + lane(); };
      const auto there = [&](std::uint32_t k) { return from + k < rows_of_warp && atom(k) < n_atoms; };
      Packet x[kAtOnce];
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k)
        if (there(k)) x[k] = get_packet(position + atom(k));
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) {
        if (!there(k)) continue;
        if (x[k].tag != tag) x[k] = wait_for_packet(position + atom(k), tag);
        if (is_near(x[k], low, high)) near |= 1U << (from + k);
      }
    }
    height[warp()][lane()] = static_cast<std::uint16_t>(__popc(near));
    __syncthreads();  // the slots are also no longer in use
    std::uint32_t mine = 0, column = 0;
    for (std::uint32_t w = 0; w < warps; ++w) {
      mine += w < warp() ? height[w][lane()] : 0;
      column += height[w][lane()];
    }
    std::uint32_t highest = column;
    for (int mask = 16; mask > 0; mask /= 2) highest = max(highest, __shfl_xor_sync(0xFFFFFFFFU, highest, mask));
    if (threadIdx.x == 0) candidate_pairs = 0;
    buffer.overfull = highest > list.shape.rows;
    buffer.n = buffer.overfull ? 0 : highest;
    if (buffer.overfull) {
      if (threadIdx.x == 0) candidate_pairs = n_own * (n_atoms - 1);
      return;
    }
    for (; near != 0; near &= near - 1, ++mine) {
      const std::uint32_t j = 32 * (first_row + __ffs(static_cast<int>(near)) - 1) + lane(), slot = 32 * mine + lane();
      const Packet x = wait_for_packet(position + j, tag), r = wait_for_packet(low_part + j, tag);
      buffer.member[slot] = kept_members()[slot] = j;
      *buffer.local(slot) = {x.x, x.y, x.z, static_cast<float>(step.atoms.charge[j])};
      *buffer.low_order(slot) = {r.x, r.y, r.z, step.atoms.pair_species[j]};
    }
    if (warp() == 0)
      for (std::uint32_t row = column; row < highest; ++row) {
        buffer.member[32 * row + lane()] = kept_members()[32 * row + lane()] = NearBuffer::kNoAtom;
        buffer.empty(32 * row + lane());
      }
    __syncthreads();
    for (std::uint32_t i = warp(); i < n_own; i += warps) make_list(i);
  }

  /// Writes the rows of each lane's column that are within the list cutoff of an own atom, four in a word. All lanes of
  /// a warp must call it.
  __device__ void make_list(std::uint32_t i) const {
    const std::uint32_t mine = blockIdx.x * list.shape.atoms + i;
    std::uint32_t* const to = words(i) + lane();
    const LocalAtom<float> me = own.local[i];
    const std::uint32_t none = list.shape.rows * 0x01010101U;  // the empty row, far away
    std::uint32_t word = none, n = 0;
    for (std::uint32_t row = 0; row < buffer.n; ++row) {
      const LocalAtom<float> other = *buffer.local(32 * row + lane());
      if (!is_within(me, other.x, other.y, other.z) || buffer.member[32 * row + lane()] == mine) continue;
      const std::uint32_t shift = 8 * (n % 4);
      word = (word & ~(0xFFU << shift)) | row << shift;
      if (++n % 4 == 0) {
        to[32 * (n / 4 - 1)] = word;
        word = none;
      }
    }
    std::uint32_t most = (n + 3) / 4;
    for (int mask = 16; mask > 0; mask /= 2) most = max(most, __shfl_xor_sync(0xFFFFFFFFU, most, mask));
    for (std::uint32_t w = n / 4; w <= most; ++w, word = none)
      if (w < list.shape.list_words()) to[32 * w] = word;
    for (int mask = 16; mask > 0; mask /= 2) n += __shfl_xor_sync(0xFFFFFFFFU, n, mask);
    if (lane() == 0) {
      n_words[i] = static_cast<std::uint16_t>(most);
      atomicAdd(&candidate_pairs, n);
    }
    __syncwarp();
  }

  /// Calls use(d, r2, pair) for each of the lane's pairs of an own atom, and for some pairs that are too far apart. All
  /// lanes of a warp must call it.
  template <bool kOneSpecies, bool kEnergies = false, class Use>
  __device__ void for_each(std::uint32_t i, std::uint32_t tag, const Use& use) const {
    const LocalAtom<float> me = own.local[i];
    const LowOrderPart my_low = own.low_order[i];
    const LjCoefficients<float>* const of_mine = table.coefficients + my_low.species * table.n_species;
    const LjCoefficients<float> only = of_mine[0];
    const auto meet = [&](const LocalAtom<float>& other, const LowOrderPart& low) {
      const Vec3<float> d{(me.x - other.x) + (my_low.x - low.x), (me.y - other.y) + (my_low.y - low.y),
                          (me.z - other.z) + (my_low.z - low.z)};
      const float r2 = squared_norm(d);
      const LjCoefficients<float> c = kOneSpecies ? only : of_mine[low.species];
      const float qq = me.charge * other.charge;
      use(d, r2, kEnergies ? physics.for_energies(r2, c, qq) : physics(r2, c, qq));
    };
    if (buffer.overfull) return for_all_atoms(i, tag, meet);
    const std::uint32_t* word = words(i) + lane();
    std::uint32_t next = *word;
#pragma unroll 1
    for (std::uint32_t n = n_words[i]; n > 0; --n) {
      const std::uint32_t rows = next;
      next = *(word += 32);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const NearRow& row = buffer.row[rows >> 8 * k & 0xFFU];
        meet(row.local[lane()], row.low_order[lane()]);
      }
    }
  }

  /// The same without lists, from the published positions.
  template <class Meet>
  __device__ void for_all_atoms(std::uint32_t i, std::uint32_t tag, const Meet& meet) const {
    const std::uint32_t n_atoms = step.atoms.n_atoms, mine = blockIdx.x * list.shape.atoms + i;
    const Packet* const position = view.position + std::size_t{tag % 2} * n_atoms;
    const Packet* const low_part = view.low_order + std::size_t{tag % 2} * n_atoms;
#pragma unroll 1
    for (std::uint32_t j = lane(); j < n_atoms; j += 32) {
      if (j == mine) continue;
      const Packet x = wait_for_packet(position + j, tag), r = wait_for_packet(low_part + j, tag);
      meet({x.x, x.y, x.z, static_cast<float>(step.atoms.charge[j])}, {r.x, r.y, r.z, step.atoms.pair_species[j]});
    }
  }

  /// Returns the force on an own atom, in every lane.
  __device__ Vec3<float> force(std::uint32_t i, std::uint32_t tag) const {
    Vec3<float> sum{0, 0, 0};
    const auto add = [&](const Vec3<float>& d, float, const PairResult<float>& pair) {
      const float f = pair.force_over_r;
      sum = {lane_fma(f, d.x, sum.x), lane_fma(f, d.y, sum.y), lane_fma(f, d.z, sum.z)};
    };
    table.n_species == 1 ? for_each<true>(i, tag, add) : for_each<false>(i, tag, add);
    for (int mask = 16; mask > 0; mask /= 2) sum += from_lane_xor(sum, mask);
    return sum;
  }

  /// Returns the lane's share of the energy. Half of each pair belongs to either atom.
  __device__ PartialEnergy energy(std::uint32_t i, std::uint32_t tag) const {
    PartialEnergy sum{0, 0, 0};
    for_each<false, true>(i, tag, [&](const Vec3<float>&, float r2, const PairResult<float>& pair) {
      sum = sum + PartialEnergy{0.5 * pair.vdw, 0.5 * pair.coulomb, r2 < table.cutoff2 ? 1U : 0U};
    });
    return sum;
  }
};

}  // namespace persistent

}  // namespace dropmd
