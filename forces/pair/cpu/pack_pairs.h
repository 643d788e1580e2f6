#pragma once

#include <cstdint>
#include <span>

#include "core/lanes/simd_lanes.h"
#include "forces/pair/pair_forces.h"
#include "forces/pair/pair_physics.h"

/// Functions that the inner loops of the CPU share: one atom against a SIMD pack of others.
namespace dropmd {

/// Sums over pairs, in fp64.
struct PairTotals {
  double vdw = 0;
  double coulomb = 0;
  double within = 0;  ///< number of pairs closer than the larger cutoff
};

/// The same sums in the precision of the lanes, one lane per atom of a pack.
template <class Lane>
struct PairLanes {
  Lane vdw{0}, coulomb{0}, within{0};
};

/// Returns 0, 1, 2, ... in the lanes.
template <class Lane>
inline Lane lane_number() {
  return Lane([](auto l) { return static_cast<LaneReal<Lane>>(static_cast<int>(l)); });
}

/// Returns the mask of the lanes whose bits are set.
template <class Lane>
inline typename Lane::mask_type lanes_of_bits(std::uint32_t bits) {
  using Real = LaneReal<Lane>;
  static_assert(Lane::size() <= 16, "exact in fp32");
  // Bit l is the first one after the binary point of bits/2^(l+1).
  const Lane shifted = Lane(static_cast<Real>(bits)) *
                       Lane([](auto l) { return Real(0.5) / static_cast<Real>(1U << static_cast<unsigned>(l)); });
  return shifted - stdx::floor(shifted) >= Lane(Real(0.5));
}

/// Returns the sum over lanes in fp64.
template <class Lane>
inline double sum_of_lanes(const Lane& value) {
  double sum = 0;
  for (std::size_t lane = 0; lane < Lane::size(); ++lane) sum += static_cast<double>(value[lane]);
  return sum;
}

/// Returns the rounding error of sum = a + b (two-sum: D. Knuth, The Art of Computer Programming 2, 4.2.2).
template <class Lane>
inline Lane rounding_of_sum(const Lane& a, LaneReal<Lane> b, const Lane& sum) {
  const Lane part = sum - a;
  return (a - (sum - part)) + (b - part);
}

/// Returns a pack of coefficients; of_lane(lane) returns those of that lane's atom with another atom.
template <template <class> class Coefficients, class Lane, class OfLane>
inline Coefficients<Lane> gathered_coefficients(const OfLane& of_lane) {
  return Coefficients<Lane>::template made<LaneReal<Lane>>(
      [&](auto member) { return Lane([&](auto l) { return of_lane(static_cast<std::uint32_t>(l)).*member; }); });
}

/// Computes the pairs of an atom with those of a pack and, with kEnergies, adds them to `sums`. With kMasked only the
/// lanes in `counts` contribute, whatever the distances in the others. Inlined, since a call would pass packs through
/// memory.
template <bool kMasked, bool kEnergies, class Physics, class Lane>
[[gnu::always_inline]] inline PairResult<Lane> pairs_with_pack(const Physics& physics, Lane r2,
                                                               const typename Lane::mask_type& counts,
                                                               const CoefficientsOf<Physics, Lane>& coefficients,
                                                               const Lane& qq, LaneReal<Lane> cutoff2,
                                                               PairLanes<Lane>& sums) {
  if constexpr (kMasked) r2 = lane_select(counts, r2, Lane(1));
  PairResult<Lane> pair = physics(r2, coefficients, qq);
  if constexpr (kMasked)
    pair = {lane_select(counts, pair.force_over_r, Lane(0)), lane_select(counts, pair.vdw, Lane(0)),
            lane_select(counts, pair.coulomb, Lane(0))};
  if constexpr (kEnergies) {
    sums.vdw += pair.vdw;
    sums.coulomb += pair.coulomb;
    Lane inside = lane_select(r2 < Lane(cutoff2), Lane(1), Lane(0));
    if constexpr (kMasked) inside = lane_select(counts, inside, Lane(0));
    sums.within += inside;
  }
  return pair;
}

/// Returns the sums of a traversal that computes each pair once, with its totals added in order.
inline PairSums sums_of(std::span<const PairTotals> totals, std::uint64_t candidate_pairs, Want want) {
  PairSums result{.candidate_pairs = candidate_pairs};
  if (want == Want::forces) return result;
  double within = 0;
  for (const PairTotals& t : totals) {
    result.vdw += t.vdw;
    result.coulomb += t.coulomb;
    within += t.within;
  }
  result.pairs_within_cutoff = static_cast<std::uint64_t>(within);
  return result;
}

}  // namespace dropmd
