#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/lanes/simd_lanes.h"
#include "forces/pair/cpu/pack_pairs.h"
#include "forces/pair/pair_physics.h"
#include "neighbor/cells/cell_atoms.h"
#include "neighbor/cells/sorted_list.h"

/// The inner loop over sorted cells: a row, which is an i atom that is broadcast, interacts with a pack of the j-cell's
/// sorted atoms, one per lane. Each pair is computed once.
namespace dropmd {

/// Forces on the atoms of a pack, as summed by one work item.
template <class Real>
struct alignas(64) PackForce {
  static constexpr std::uint32_t kWidth = LaneTraits<Pack<Real>>::kWidth;
  std::array<double, kWidth> x{}, y{}, z{};
};

/// The data of all atoms that the kernel needs.
template <class Real, class Physics>
struct SortedContext {
  std::span<const Cell> cells;
  const CellAtoms<Real>& atoms;
  const SortedCells& sorted;
  std::span<const CoefficientsOf<Physics, Real>> table;  ///< [n_species][n_species]
  std::size_t n_species;
  Real coulomb_constant;
  Real cutoff2;  ///< square of the larger cutoff, for counting
  Real nowhere;  ///< a coordinate beyond the list cutoff of all rows
  /// The excluded atoms of each atom, both in the order of the cells: [n_atoms + 1] beginnings, and indices. Empty:
  /// there are no exclusions.
  std::span<const std::uint32_t> excluded_start;
  std::span<const std::uint32_t> excluded;
};

/// Computes the pairs of one work item at a time.
template <class Real, class Physics>
class SortedKernel {
 public:
  using Lane = Pack<Real>;
  static constexpr std::uint32_t kWidth = PackForce<Real>::kWidth;

  SortedKernel(const SortedContext<Real, Physics>& context, const Physics& physics)
      : context_(context), physics_(physics), coefficients_(context.n_species) {
    if (context.n_species == 1) set_coefficients([](std::uint32_t) { return 0U; });
  }

  /// Writes the forces of an item's pairs to `force`, [slots of the block], and returns the sums over its pairs (zero
  /// without kEnergies).
  template <bool kEnergies>
  PairTotals add_item(const SortedBlock& block, const SortedItem& item, PackForce<Real>* force) {
    for (auto& energy : energy_) energy.fill(0.0);
    load(item.cell, force + item.slot);
    for (std::uint32_t r = 0; r < item.n_runs; ++r) {
      const SortedRun& run = block.runs[item.first_run + r];
      add_run<kEnergies>(run, block.rows.data() + run.rows, force + run.slot);
    }
    flush();
    return {sum_of(energy_[0]), sum_of(energy_[1]), sum_of(energy_[2])};
  }

 private:
  static constexpr bool kLocal = std::is_same_v<Real, float>;
  /// Number of pairs of an atom that a lane sums in Real before the sum is added in fp64.
  static constexpr std::uint32_t kFlush = 64;

  /// A pack of j atoms in the frame of the i-cell.
  struct Met {
    Vec3<Lane> at, low_order;
    Lane charge;  ///< k_e q
    std::uint32_t count = 0;
    /// From this row on the rows are the pack's own atoms, and each interacts only with the lanes after its own.
    std::uint32_t own_first = 0;
  };

  template <class Values>
  static double sum_of(const Values& lanes) {
    double sum = 0;
    for (const double value : lanes) sum += value;
    return sum;
  }

  template <class SpeciesOfLane>
  void set_coefficients(const SpeciesOfLane& species) {
    for (std::size_t mine = 0; mine < context_.n_species; ++mine)
      coefficients_[mine] = gathered_coefficients<Physics::template Coefficients, Lane>(
          [&](std::uint32_t lane) { return context_.table[mine * context_.n_species + species(lane)]; });
  }

  void load(std::uint32_t cell, PackForce<Real>* own) {
    cell_ = cell;
    const Cell& mine = context_.cells[cell];
    begin_ = mine.begin;
    end_ = mine.end;
    force_.assign(mine.end - mine.begin, Vec3<Lane>{Lane(0), Lane(0), Lane(0)});
    excluded_lanes_.assign(context_.excluded.empty() ? 0 : mine.end - mine.begin, 0);
    own_ = own;
    std::fill_n(own, (mine.end - mine.begin + kWidth - 1) / kWidth, PackForce<Real>{});
    pending_ = 0;
  }

  template <bool kEnergies>
  void add_run(const SortedRun& run, const SortedRows* rows, PackForce<Real>* force) {
    const std::span<const std::uint32_t> mine = context_.sorted.order(cell_, run.axis);
    const std::span<const std::uint32_t> theirs = context_.sorted.order(run.cell, run.axis);
    const bool self = run.cell == cell_;
    const auto n = static_cast<std::uint32_t>(mine.size());
    for (std::uint32_t k = 0; k < run.n_packs; ++k) {
      if (++pending_ > kFlush) flush();
      const std::uint32_t first = (run.first_pack + k) * kWidth;
      const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(theirs.size() - first, kWidth));
      const std::uint32_t end = self ? first + count - 1 : n;
      const std::uint32_t* const row = mine.data();
      const bool excludes = set_excluded_lanes(run.cell, theirs.subspan(first, count));
      // Only near rows look at exclusions.
      std::uint32_t near = rows[k].near;
      if (excludes)
        for (std::uint32_t r = rows[k].far; r < near; ++r)
          if (excluded_lanes_[row[r]] != 0) near = r;
      Met met = meet(run.cell, theirs.subspan(first, count), near < end);
      met.own_first = self ? first : n;
      force[k] = {};
      add<true, kEnergies, false>(met, row, near, end, force[k]);
      // Double precision, which serves checking, treats all rows as near rows.
      if constexpr (kLocal) {
        if (!kEnergies && context_.n_species == 1)
          add<false, false, true>(met, row, rows[k].far, near, force[k]);
        else
          add<false, kEnergies, false>(met, row, rows[k].far, near, force[k]);
      }
      if (excludes) std::fill(excluded_lanes_.begin(), excluded_lanes_.end(), 0U);
    }
  }

  /// Finds the lanes of a pack of cell c that are excluded with atoms of the i-cell. Returns whether there are any.
  bool set_excluded_lanes(std::uint32_t c, std::span<const std::uint32_t> order) {
    if (excluded_lanes_.empty()) return false;
    bool any = false;
    for (std::uint32_t lane = 0; lane < order.size(); ++lane) {
      const std::uint32_t j = context_.cells[c].begin + order[lane];
      for (std::uint32_t e = context_.excluded_start[j]; e < context_.excluded_start[j + 1]; ++e)
        if (const std::uint32_t i = context_.excluded[e]; begin_ <= i && i < end_) {
          excluded_lanes_[i - begin_] |= 1U << lane;
          any = true;
        }
    }
    return any;
  }

  /// Returns a pack of atoms of cell c, with low-order parts if some rows are near. Lanes without an atom repeat the
  /// first one, moved far away.
  [[gnu::flatten]] Met meet(std::uint32_t c, std::span<const std::uint32_t> order, bool near) {
    Met met;
    met.count = static_cast<std::uint32_t>(order.size());
    std::array<std::uint32_t, kWidth> index;
    for (std::uint32_t lane = 0; lane < kWidth; ++lane)
      index[lane] = context_.cells[c].begin + order[lane < met.count ? lane : 0];
    const auto lanes = [&](auto&& value) {
      return Lane([&](auto l) { return value(index[static_cast<std::size_t>(l)]); });
    };
    const LocalAtom<Real>* const atom = context_.atoms.atom().data();
    const Vec3<Lane> offset{lanes([&](auto k) { return atom[k].x; }), lanes([&](auto k) { return atom[k].y; }),
                            lanes([&](auto k) { return atom[k].z; })};
    const Vec3<Real> shift = context_.atoms.shift(c, cell_);
    met.at = {offset.x + shift.x, offset.y + shift.y, offset.z + shift.z};
    if constexpr (kLocal) {
      const Vec3<Real>* const low = context_.atoms.low_order().data();
      if (near)
        met.low_order = {rounding_of_sum(offset.x, shift.x, met.at.x) + lanes([&](auto k) { return low[k].x; }),
                         rounding_of_sum(offset.y, shift.y, met.at.y) + lanes([&](auto k) { return low[k].y; }),
                         rounding_of_sum(offset.z, shift.z, met.at.z) + lanes([&](auto k) { return low[k].z; })};
      met.at.x =
          lane_select(lane_number<Lane>() < Lane(static_cast<Real>(met.count)), met.at.x, Lane(context_.nowhere));
    }
    met.charge = context_.coulomb_constant * lanes([&](auto k) { return atom[k].charge; });
    if (context_.n_species > 1)
      set_coefficients([&](std::uint32_t lane) { return context_.atoms.species()[index[lane]]; });
    return met;
  }

  /// Adds the rows [begin, end) of the i-cell. kNear: some atoms may be in contact, or belong to the pack. Flattened,
  /// since a call would pass packs through memory.
  template <bool kNear, bool kEnergies, bool kOneSpecies>
  [[gnu::flatten]] void add(const Met& met, const std::uint32_t* order, std::uint32_t begin, std::uint32_t end,
                            PackForce<Real>& sum) {
    const Physics physics = physics_;  // a local copy stays in registers
    const LocalAtom<Real>* const atom = context_.atoms.atom().data() + begin_;
    const std::uint32_t* const species = context_.atoms.species().data() + begin_;
    Vec3<Lane>* const force = force_.data();
    const CoefficientsOf<Physics, Lane>* const coefficients = coefficients_.data();
    const CoefficientsOf<Physics, Lane> only = coefficients[0];
    const Vec3<Lane> at = met.at;
    const Lane charge = met.charge;
    while (begin < end) {
      const std::uint32_t stop = std::min(begin + kFlush, end);
      Vec3<Lane> reaction{Lane(0), Lane(0), Lane(0)};
      PairLanes<Lane> sums;
      for (; begin < stop; ++begin) {
        const std::uint32_t i = order[begin];
        const LocalAtom<Real> own = atom[i];
        Vec3<Lane> d{own.x - at.x, own.y - at.y, own.z - at.z};
        if constexpr (kNear && kLocal) {
          const Vec3<Real> low = context_.atoms.low_order()[begin_ + i];
          d += Vec3<Lane>{low.x - met.low_order.x, low.y - met.low_order.y, low.z - met.low_order.z};
        }
        typename Lane::mask_type counts;
        if constexpr (kNear) {
          counts = lane_number<Lane>() < Lane(static_cast<Real>(met.count));
          if (begin >= met.own_first)
            counts = counts && lane_number<Lane>() > Lane(static_cast<Real>(begin - met.own_first));
          if (!excluded_lanes_.empty() && excluded_lanes_[i] != 0)
            counts = counts && !lanes_of_bits<Lane>(excluded_lanes_[i]);
        }
        const PairResult<Lane> result = pairs_with_pack<kNear, kEnergies>(physics, squared_norm(d), counts,
                                                                          kOneSpecies ? only : coefficients[species[i]],
                                                                          own.charge * charge, context_.cutoff2, sums);
        const Vec3<Lane> f{result.force_over_r * d.x, result.force_over_r * d.y, result.force_over_r * d.z};
        force[i] += f;
        reaction -= f;
      }
      add_widened(sum.x.data(), reaction.x);
      add_widened(sum.y.data(), reaction.y);
      add_widened(sum.z.data(), reaction.z);
      if constexpr (kEnergies) {
        add_widened(energy_[0].data(), sums.vdw);
        add_widened(energy_[1].data(), sums.coulomb);
        add_widened(energy_[2].data(), sums.within);
      }
    }
  }

  /// Adds the forces on the i atoms to the fp64 sums; the current pack then counts as the first of the next kFlush.
  void flush() {
    for (std::size_t i = 0; i < force_.size(); ++i) {
      PackForce<Real>& own = own_[i / kWidth];
      own.x[i % kWidth] += sum_of_lanes(force_[i].x);
      own.y[i % kWidth] += sum_of_lanes(force_[i].y);
      own.z[i % kWidth] += sum_of_lanes(force_[i].z);
      force_[i] = {Lane(0), Lane(0), Lane(0)};
    }
    pending_ = 1;
  }

  const SortedContext<Real, Physics>& context_;
  const Physics& physics_;
  std::uint32_t cell_ = 0, begin_ = 0, end_ = 0;  ///< the i-cell and its atoms
  std::vector<std::uint32_t> excluded_lanes_;  ///< [atoms of the i-cell] lanes of the pack that form no pair; or empty
  std::vector<Vec3<Lane>> force_;              ///< [atoms of the i-cell], one lane per j atom
  PackForce<Real>* own_ = nullptr;
  std::uint32_t pending_ = 0;
  std::vector<CoefficientsOf<Physics, Lane>> coefficients_;         ///< [n_species of i], one lane per j atom
  alignas(64) std::array<std::array<double, kWidth>, 3> energy_{};  ///< vdw, coulomb, pairs within the cutoff, by lane
};

}  // namespace dropmd
