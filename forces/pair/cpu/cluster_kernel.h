#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "core/lanes/simd_lanes.h"
#include "forces/pair/cpu/pack_pairs.h"
#include "forces/pair/pair_physics.h"
#include "neighbor/lists/cluster_list.h"

/// The inner loop over a cluster list: i atoms, broadcast one by one, interact with the atoms of a j-cluster, one per
/// lane. Each pair is computed once.
namespace dropmd {

/// Forces on the atoms of a cluster, as summed by one group.
template <class Real>
struct alignas(64) ClusterForce {
  std::array<double, ClusterAtoms<Real>::kWidth> x, y, z;
};

/// The data of all atoms that the kernel needs.
template <class Real, class Physics>
struct ClusterContext {
  const AtomClusters& clusters;
  const ClusterAtoms<Real>& atoms;
  std::span<const std::uint32_t> species;  ///< [n_clusters][width]
  /// [n_clusters][n_species of i], with a lane for each j atom; a single element for all clusters if there is one
  /// species.
  std::span<const CoefficientsOf<Physics, Pack<Real>>> coefficients;
  std::size_t n_species;
  Real coulomb_constant;
  Real cutoff2;  ///< square of the larger cutoff, for counting
};

/// Computes the pairs of one group of clusters at a time.
template <class Real, class Physics>
class ClusterKernel {
 public:
  using Lane = Pack<Real>;
  static constexpr std::uint32_t kWidth = ClusterAtoms<Real>::kWidth;

  ClusterKernel(const ClusterContext<Real, Physics>& context, const Physics& physics)
      : context_(context), physics_(physics) {}

  /// Adds the forces of a group's pairs to `force`, [slots of the group], and returns the sums over its pairs (zero
  /// without kEnergies).
  template <bool kEnergies>
  PairTotals add_group(const ClusterGroup& group, const ClusterGroupList& list, ClusterForce<Real>* force) {
    for (auto& energy : energy_) energy.fill(0.0);
    for (std::uint32_t i = group.begin; i < group.end; ++i) {
      const ClusterPairRange& range = list.ranges[i - group.begin];
      load(i);
      const ClusterPair* const pairs = list.pairs.data();
      add<true, kEnergies, false>(pairs + range.begin, pairs + range.whole, force,
                                  list.excluded.data() + range.first_excluded);
      add<true, kEnergies, false>(pairs + range.whole, pairs + range.far, force);
      // Double precision, which serves checking, treats all pairs as near pairs.
      if constexpr (kLocal) {
        if (!kEnergies && context_.n_species == 1)
          add<false, false, true>(pairs + range.far, pairs + range.end, force);
        else
          add<false, kEnergies, false>(pairs + range.far, pairs + range.end, force);
      }
      store(force[i - group.begin]);
    }
    const auto sum = [](const auto& lanes) { return std::accumulate(lanes.begin(), lanes.end(), 0.0); };
    return {sum(energy_[0]), sum(energy_[1]), sum(energy_[2])};
  }

 private:
  static constexpr bool kLocal = std::is_same_v<Real, float>;
  /// Number of pairs of an atom that a lane sums in Real before the sum is added in fp64.
  static constexpr std::uint32_t kFlush = 64;
  using Row = typename ClusterAtoms<Real>::Row;

  static Lane lanes(const Row& row) { return Lane(row.data(), stdx::vector_aligned); }

  void load(std::uint32_t i) {
    i_ = i;
    const auto& own = context_.atoms.atoms()[i];
    for (std::uint32_t row = 0; row < kWidth; ++row) charge_[row] = context_.coulomb_constant * own.charge[row];
    for (auto& f : force_) f = {Lane(0), Lane(0), Lane(0)};
    for (auto& component : total_) component.fill(0.0);
    pending_ = 0;
  }

  /// kNear: some atoms may be in contact, or the j-cluster may be the i-cluster itself. excluded: [pairs], if kNear;
  /// nullptr: no exclusions. Flattened, since a call would pass packs through memory.
  template <bool kNear, bool kEnergies, bool kOneSpecies>
  [[gnu::flatten]] void add(const ClusterPair* pair, const ClusterPair* end, ClusterForce<Real>* force,
                            const ExcludedLanes* excluded = nullptr) {
    const Physics physics = physics_;  // a local copy stays in registers
    const auto& own = context_.atoms.atoms()[i_];
    const std::uint32_t* const species = context_.species.data() + std::size_t{i_} * kWidth;
    const CoefficientsOf<Physics, Lane> only = context_.coefficients[0];
    for (; pair != end; ++pair) {
      if (++pending_ > kFlush) flush();
      const auto& other = context_.atoms.atoms()[pair->cluster];
      const Vec3<Real> shift = context_.atoms.shift(pair->cluster, i_);
      const Vec3<Lane> offset{lanes(other.x), lanes(other.y), lanes(other.z)};
      const Vec3<Lane> theirs{offset.x + shift.x, offset.y + shift.y, offset.z + shift.z};
      const Lane charge = lanes(other.charge);
      [[maybe_unused]] Vec3<Lane> low_order;
      if constexpr (kNear && kLocal) {
        const auto& low = context_.atoms.low_order()[pair->cluster];
        low_order = {rounding_of_sum(offset.x, shift.x, theirs.x) + lanes(low.x),
                     rounding_of_sum(offset.y, shift.y, theirs.y) + lanes(low.y),
                     rounding_of_sum(offset.z, shift.z, theirs.z) + lanes(low.z)};
      }
      const CoefficientsOf<Physics, Lane>* const coefficients =
          context_.coefficients.data() + (context_.n_species == 1 ? 0 : pair->cluster * context_.n_species);
      Vec3<Lane> reaction{Lane(0), Lane(0), Lane(0)};
      PairLanes<Lane> sums;
      for (std::uint32_t rows = pair->rows; rows != 0; rows &= rows - 1) {
        const auto row = static_cast<std::uint32_t>(std::countr_zero(rows));
        Vec3<Lane> d{own.x[row] - theirs.x, own.y[row] - theirs.y, own.z[row] - theirs.z};
        if constexpr (kNear && kLocal) {
          const auto& low = context_.atoms.low_order()[i_];
          d += Vec3<Lane>{low.x[row] - low_order.x, low.y[row] - low_order.y, low.z[row] - low_order.z};
        }
        typename Lane::mask_type counts;
        if constexpr (kNear) {
          counts = lane_number<Lane>() < Lane(static_cast<Real>(context_.clusters.count[pair->cluster]));
          if (pair->cluster == i_) counts = counts && lane_number<Lane>() > Lane(static_cast<Real>(row));
          if (excluded != nullptr && excluded->of_row[row] != 0)
            counts = counts && !lanes_of_bits<Lane>(excluded->of_row[row]);
        }
        const PairResult<Lane> result = pairs_with_pack<kNear, kEnergies>(
            physics, squared_norm(d), counts, kOneSpecies ? only : coefficients[species[row]], charge_[row] * charge,
            context_.cutoff2, sums);
        const Vec3<Lane> f{result.force_over_r * d.x, result.force_over_r * d.y, result.force_over_r * d.z};
        force_[row] += f;
        reaction -= f;
      }
      ClusterForce<Real>& sum = force[pair->slot];
      add_widened(sum.x.data(), reaction.x);
      add_widened(sum.y.data(), reaction.y);
      add_widened(sum.z.data(), reaction.z);
      if (excluded != nullptr) ++excluded;
      if constexpr (kEnergies) {
        add_widened(energy_[0].data(), sums.vdw);
        add_widened(energy_[1].data(), sums.coulomb);
        add_widened(energy_[2].data(), sums.within);
      }
    }
  }

  void flush() {
    for (std::uint32_t row = 0; row < kWidth; ++row) {
      total_[0][row] += sum_of_lanes(force_[row].x);
      total_[1][row] += sum_of_lanes(force_[row].y);
      total_[2][row] += sum_of_lanes(force_[row].z);
      force_[row] = {Lane(0), Lane(0), Lane(0)};
    }
    pending_ = 1;
  }

  void store(ClusterForce<Real>& force) {
    flush();
    for (std::uint32_t row = 0; row < kWidth; ++row) {
      force.x[row] += total_[0][row];
      force.y[row] += total_[1][row];
      force.z[row] += total_[2][row];
    }
  }

  const ClusterContext<Real, Physics>& context_;
  const Physics& physics_;
  std::uint32_t i_ = 0;
  Row charge_{};                                       ///< k_e q of the i-cluster
  std::array<Vec3<Lane>, kWidth> force_{};             ///< [row], one lane per j atom
  std::array<std::array<double, kWidth>, 3> total_{};  ///< [component][row]
  std::uint32_t pending_ = 0;
  alignas(64) std::array<std::array<double, kWidth>, 3> energy_{};  ///< vdw, coulomb, pairs within the cutoff, by lane
};

}  // namespace dropmd
