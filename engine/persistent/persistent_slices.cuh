#pragma once

#include <cstdint>

#include "device/warp.cuh"
#include "engine/persistent/persistent_positions.cuh"
#include "engine/persistent/persistent_shape.h"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "forces/pair/cuda/partial_energy.cuh"
#include "forces/pair/pair_physics.h"

/// The pairs of a block of the persistent kernel for all pairs. A thread's index selects first a column of the block's
/// atoms, every fourth one, then a slice of the atoms that they interact with.
namespace dropmd {

namespace persistent {

constexpr int kMostThreads = PersistentShape::kMostThreads;
constexpr int kMostWarps = kMostThreads / 32;
constexpr std::uint32_t kMostPlaces = 32;  ///< for a block's atoms, one lane each
constexpr int kColumns = PersistentShape::kLeastAtoms;

/// How a thread with kOwn atoms processes them: as many at a time as its registers hold.
template <int kOwn>
struct Passes {
  static constexpr int kOfPass = kOwn % 3 == 0 ? 3 : kOwn < 4 ? kOwn : 4;
  static constexpr int kPlaces = kOfPass == 3 ? 4 : kOfPass;  ///< of a pass in ForceSum, by column: a power of two
  static constexpr std::uint32_t kWidth = kColumns * kPlaces * (kOwn / kOfPass);  ///< of the block
  static_assert(kOwn % kOfPass == 0 && kWidth <= kMostPlaces);

  /// The place of the block's i-th atom.
  static __device__ std::uint32_t place(std::uint32_t i) {
    constexpr std::uint32_t kAtoms = kColumns * kOfPass;
    return i / kAtoms * (kColumns * kPlaces) + i % kAtoms;
  }
};

/// The thread's share of the forces on kOwn of the block's atoms, those of its column: the forces from every
/// n_slices-th atom, which the thread reads once for all of its own.
template <class Physics, int kOwn>
struct Slice {
  /// Atoms that a thread reads at a time, so that latencies overlap.
  static constexpr int kAtOnce = kOwn < kGroup ? kGroup / kOwn : 1;

  const AllPositions& all;
  const PairTableView<float>& table;
  const Physics& physics;
  std::uint32_t mine[kOwn];
  std::uint32_t first, n_slices, slots;

  /// The slice of a thread of persistent_steps_kernel. first_own: index of the block's first atom that takes part.
  static __device__ Slice of_thread(const AllPositions& all, const PairTableView<float>& table, const Physics& physics,
                                    std::uint32_t first_own, std::uint32_t n_atoms, std::uint32_t slots) {
    Slice slice{all, table, physics, {}, threadIdx.x / kColumns, blockDim.x / kColumns, slots};
#pragma unroll
    for (int i = 0; i < kOwn; ++i) slice.mine[i] = min(first_own + kColumns * i + threadIdx.x % kColumns, n_atoms - 1);
    return slice;
  }

  /// sum: of mine[0] and so on. All lanes of a warp must call it.
  __device__ void find_forces(Vec3<float>* sum) const {
    table.n_species == 1 ? find_forces<true>(sum) : find_forces<false>(sum);
  }

  /// Returns the thread's share of the energy. Half of each pair belongs to either atom.
  __device__ PartialEnergy energy(std::uint32_t n_atoms) const requires(kOwn == 1) {
    const LocalAtom<float> me = all.local[mine[0]];
    const LowOrderPart my_low = all.low_order[mine[0]];
    PartialEnergy sum{0, 0, 0};
#pragma unroll 1
    for (std::uint32_t j = first; j < min(slots, n_atoms); j += n_slices) {
      const LocalAtom<float> other = all.local[j];
      const LowOrderPart low = all.low_order[j];
      if (j == mine[0]) continue;
      const float r2 = squared(Vec3<float>{(me.x - other.x) + (my_low.x - low.x), (me.y - other.y) + (my_low.y - low.y),
                                           (me.z - other.z) + (my_low.z - low.z)});
      const PairResult<float> pair =
          physics.for_energies(r2, table.coefficients[my_low.species * table.n_species + low.species],
                               me.charge * table.coulomb_constant * other.charge);
      sum = sum + PartialEnergy{0.5 * pair.vdw, 0.5 * pair.coulomb, r2 < table.cutoff2 ? 1U : 0U};
    }
    return sum;
  }

 private:
  /// The squared distance that an atom has from itself here, at which terms vanish.
  static constexpr float kElsewhere2 = kAway * kAway;

  static __device__ float squared(const Vec3<float>& d) { return lane_fma(d.z, d.z, lane_fma(d.y, d.y, d.x * d.x)); }

  /// Returns the squared distance from an atom below which low-order parts count: for atoms that may be in contact and,
  /// far from the anchor, where positions have fewer digits, up to an eighth of the distance from the anchor. Beyond
  /// that, rounding changes the distance between two atoms by up to 2⁻²⁰ of it.
  __device__ float exact_below2(const LocalAtom<float>& atom) const {
    constexpr float kShare2 = 0x1p-6F, kLeast = 1e-30F;  // so that an atom is near itself
    return fmaxf(fmaxf(table.near_distance2, kLeast), kShare2 * squared({atom.x, atom.y, atom.z}));
  }

  /// Whether low-order parts are used follows from each pair alone; the lanes vote so that most of their pairs, which
  /// are far apart, skip them.
  template <bool kOneSpecies>
  __device__ void find_forces(Vec3<float>* sum) const {
    LocalAtom<float> me[kOwn];
    float limit2[kOwn];
    [[maybe_unused]] std::uint32_t row[kOwn];
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      sum[i] = {0, 0, 0};
      me[i] = all.local[mine[i]];
      limit2[i] = exact_below2(me[i]);
      me[i].charge *= table.coulomb_constant;
      if constexpr (!kOneSpecies) row[i] = all.low_order[mine[i]].species * table.n_species;
    }
    const LjCoefficients<float> only = table.coefficients[0];
#pragma unroll 1
    for (std::uint32_t group = first; group < slots; group += kAtOnce * n_slices) {
      Vec3<float> d[kAtOnce][kOwn];
      float r2[kAtOnce][kOwn], charge[kAtOnce];
      bool near = false;
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        const LocalAtom<float> other = all.local[group + k * n_slices];
        charge[k] = other.charge;
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
          d[k][i] = {me[i].x - other.x, me[i].y - other.y, me[i].z - other.z};
          r2[k][i] = squared(d[k][i]);
          near = near || r2[k][i] < limit2[i];
        }
      }
      if (__any_sync(0xFFFFFFFFU, near)) {
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          const std::uint32_t j = group + k * n_slices;
          const LowOrderPart low = all.low_order[j];
#pragma unroll
          for (int i = 0; i < kOwn; ++i) {
            const LowOrderPart my_low = all.low_order[mine[i]];
            const Vec3<float> exact = d[k][i] + Vec3<float>{my_low.x - low.x, my_low.y - low.y, my_low.z - low.z};
            const float exact2 = j == mine[i] ? kElsewhere2 : squared(exact);
            const bool is_near = r2[k][i] < limit2[i];
            d[k][i] = is_near ? exact : d[k][i];
            r2[k][i] = is_near ? exact2 : r2[k][i];
          }
        }
      }
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        [[maybe_unused]] std::uint32_t species = 0;
        if constexpr (!kOneSpecies) species = all.low_order[group + k * n_slices].species;
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
          LjCoefficients<float> c = only;
          if constexpr (!kOneSpecies) c = table.coefficients[row[i] + species];
          const float f = physics(r2[k][i], c, me[i].charge * charge[k]).force_over_r;
          const Vec3<float>& v = d[k][i];
          sum[i] = {lane_fma(f, v.x, sum[i].x), lane_fma(f, v.y, sum[i].y), lane_fma(f, v.z, sum[i].z)};
        }
      }
    }
  }
};

/// Sums of a block over the threads of each atom. The order of additions is that of the slices, in a binary tree up to
/// those of a warp, and it depends only on the number of threads: not on how many atoms a block has.
struct ForceSum {
  float of_warp[kMostWarps][3][kMostPlaces];

  /// Adds the threads' forces on n atoms of their columns, of which the block's first one has the place `first`. All
  /// threads must call it; a barrier must separate it from total(). n: a power of two.
  template <int n>
  __device__ void add(Vec3<float> (&force)[n], std::uint32_t first) {
    const std::uint32_t lane = threadIdx.x % 32;
    int left = n;
#pragma unroll
    for (int mask = kColumns; mask < 32; mask *= 2) {
      // Of two lanes with several atoms, each continues with every second one.
#pragma unroll
      for (int q = 0; q < n / 2; ++q) {
        if (q >= left / 2) break;
        const bool odd = (lane & mask) != 0;
        const Vec3<float> give = odd ? force[2 * q] : force[2 * q + 1], keep = odd ? force[2 * q + 1] : force[2 * q];
        force[q] = keep + from_lane_xor(give, mask);
      }
      if (left == 1) force[0] += from_lane_xor(force[0], mask);
      left = left > 1 ? left / 2 : 1;
    }
    if (lane >= kColumns * n) return;
    auto& mine = of_warp[threadIdx.x / 32];
    const std::uint32_t at = first + lane;
    mine[0][at] = force[0].x, mine[1][at] = force[0].y, mine[2][at] = force[0].z;
  }

  /// Sets all sums to zero; all threads must call it before the first add().
  __device__ void clear() {
    for (auto i = threadIdx.x; i < sizeof(of_warp) / sizeof(float); i += blockDim.x) (&of_warp[0][0][0])[i] = 0;
  }

  /// Returns the force on the lane's atom, which has this place. All lanes of one warp must call it; those whose
  /// numbers differ by kWidth, a power of two, help the first one.
  template <std::uint32_t kWidth>
  __device__ Vec3<double> total(std::uint32_t lane, std::uint32_t place) const {
    constexpr std::uint32_t kMostParts = kMostWarps / kAtOnce, kLanes = 32 / kWidth;  // lanes of an atom
    const std::uint32_t n_parts = (blockDim.x / 32 + kAtOnce - 1) / kAtOnce;
    const std::uint32_t together = min(n_parts, kLanes);  // parts that lanes add up at a time
    Vec3<double> sum[kMostParts];
#pragma unroll
    for (std::uint32_t round = 0; round < kMostParts; ++round) {
      sum[round] = {0, 0, 0};
      const std::uint32_t part = round * together + lane / kWidth % together;
      if (round * together >= n_parts) continue;
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        const auto& f = of_warp[kAtOnce * part + k];
        sum[round] += Vec3<double>{f[0][place], f[1][place], f[2][place]};
      }
      for (std::uint32_t mask = kWidth; mask < kWidth * together; mask *= 2)
        sum[round] += from_lane_xor(sum[round], static_cast<int>(mask));
    }
    static_assert(kMostParts == 4);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  /// Warps whose sums a lane adds without testing whether they exist.
  static constexpr int kAtOnce = 4;
  static_assert(kMostWarps % kAtOnce == 0);
};

}  // namespace persistent

}  // namespace dropmd
