#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/lanes/simd_lanes.h"
#include "forces/pair/cpu/chunk_plan.h"
#include "forces/pair/cpu/pack_pairs.h"
#include "forces/pair/pair_physics.h"
#include "neighbor/cells/cell_grid.h"
#include "neighbor/cells/local_atoms.h"

/// The inner loop on the CPU: a chunk of consecutive i atoms, one per lane, interacts with the j atoms of cells, which
/// are broadcast one by one. Each pair is computed from both sides, and only the chunk's own atoms are written, so
/// results cannot depend on threads.
namespace dropmd {

/// Sums over the directed pairs of one chunk.
struct ChunkSums {
  PairTotals totals;
  std::uint64_t candidate_pairs = 0;
};

/// The data of all atoms that a chunk needs.
template <class Real, class Physics>
struct ChunkContext {
  std::span<const Cell> cells;
  const LocalAtoms<Real>& atoms;
  std::span<const std::uint32_t> cell_of;                ///< [n_atoms] cell of each atom in spatial order
  std::span<const CoefficientsOf<Physics, Real>> table;  ///< [n_species][n_species]
  std::size_t n_species;
  Real coulomb_constant;
  Real cutoff2;             ///< square of the larger cutoff, for counting; infinite if there is none
  std::int32_t near_cells;  ///< number of cells up to which low-order parts count (float)
  bool any_far;             ///< whether any cell is far (float)
  /// The excluded atoms of each atom, both in spatial order: [n_atoms + 1] beginnings, and indices. Empty: there are no
  /// exclusions.
  std::span<const std::uint32_t> excluded_start;
  std::span<const std::uint32_t> excluded;
};

/// Computes the pairs of one chunk at a time.
template <class Real, class Physics, bool kEnergies, bool kOneSpecies>
class ChunkKernel {
 public:
  using Lane = Pack<Real>;
  static constexpr std::uint32_t kWidth = LaneTraits<Lane>::kWidth;

  ChunkKernel(const ChunkContext<Real, Physics>& context, const Physics& physics)
      : context_(context), physics_(physics) {
    coefficients_.resize(context.n_species);
    if (kOneSpecies) set_coefficients([](std::uint32_t) { return 0U; });
  }

  /// Loads a chunk and clears the sums. Lanes beyond its end repeat the last atom; their results are never read.
  void load(const Chunk& chunk) {
    chunk_ = chunk;
    const auto index = [&](std::uint32_t lane) { return chunk.begin + std::min(lane, chunk.count - 1); };
    const auto lanes = [&](auto&& value) {
      return Lane([&](auto l) { return value(index(static_cast<std::uint32_t>(l))); });
    };
    const auto& atom = context_.atoms.atom;
    const auto origin = [&](std::uint32_t k) { return context_.atoms.origin[context_.cell_of[k]]; };
    offset_ = {lanes([&](auto k) { return atom[k].x; }), lanes([&](auto k) { return atom[k].y; }),
               lanes([&](auto k) { return atom[k].z; })};
    origin_ = {lanes([&](auto k) { return origin(k).x; }), lanes([&](auto k) { return origin(k).y; }),
               lanes([&](auto k) { return origin(k).z; })};
    if constexpr (kLowOrder) {
      is_far_ = false;
      for (std::uint32_t k = chunk.begin; context_.any_far && k < chunk.begin + chunk.count; ++k)
        is_far_ = is_far_ || context_.atoms.is_far[context_.cell_of[k]] != 0;
      const auto& low_order = context_.atoms.low_order;
      low_order_ = {lanes([&](auto k) { return low_order[k].x; }), lanes([&](auto k) { return low_order[k].y; }),
                    lanes([&](auto k) { return low_order[k].z; })};
      const std::uint32_t first = context_.cell_of[chunk.begin], last = context_.cell_of[chunk.begin + chunk.count - 1];
      box_ = {context_.cells[first].index, context_.cells[first].index};
      for (std::uint32_t c = first + 1; c <= last; ++c) box_.include(context_.cells[c].index);
    }
    charge_ = lanes([&](auto k) { return context_.coulomb_constant * atom[k].charge; });
    if (!kOneSpecies) set_coefficients([&](std::uint32_t lane) { return context_.atoms.species[index(lane)]; });
    sums_.fill(Sum(0));
    candidate_pairs_ = 0;
    load_exclusions();
  }

  /// Adds the pairs with all atoms of cell c. At most kFlush pairs are summed in Real before the sum is added in fp64.
  void add_cell(std::uint32_t c) {
    const Cell& cell = context_.cells[c];
    const Vec3<Lane> shift = shift_from(c);
    const Vec3<Lane> x{offset_.x + shift.x, offset_.y + shift.y, offset_.z + shift.z};
    const bool self = cell.begin < chunk_.begin + chunk_.count && chunk_.begin < cell.end;
    next_excluded_ = std::lower_bound(excluded_.data(), excluded_.data() + excluded_.size() - 1, cell.begin,
                                      [](const ExcludedAtom& e, std::uint32_t atom) { return e.atom < atom; });
    const bool near =
        self || next_excluded_->atom < cell.end || (kLowOrder && box_.is_near(cell.index, context_.near_cells));
    for (std::uint32_t begin = cell.begin; begin < cell.end; begin += kFlush) {
      const std::uint32_t end = std::min(begin + kFlush, cell.end);
      near ? add_run<true>(x, begin, end) : add_run<false>(x, begin, end);
    }
    candidate_pairs_ += std::uint64_t{chunk_.count} * (cell.end - cell.begin);
    if (self) candidate_pairs_ -= std::min(cell.end, chunk_.begin + chunk_.count) - std::max(cell.begin, chunk_.begin);
  }

  /// Returns the force on the atom of that lane, energy/length.
  Vec3<double> force(std::uint32_t lane) const { return {sums_[0][lane], sums_[1][lane], sums_[2][lane]}; }

  ChunkSums sums() const {
    ChunkSums total{.totals = {}, .candidate_pairs = candidate_pairs_};
    if constexpr (kEnergies)
      for (std::uint32_t lane = 0; lane < std::min(chunk_.count, kWidth); ++lane) {
        total.totals.vdw += sums_[3][lane];
        total.totals.coulomb += sums_[4][lane];
        total.totals.within += sums_[5][lane];
      }
    return total;
  }

 private:
  using Sum = stdx::fixed_size_simd<double, kWidth>;
  static constexpr std::uint32_t kFlush = 64;
  static constexpr bool kLowOrder = std::is_same_v<Real, float>;

  /// An atom whose pairs with some lanes of the chunk are left out.
  struct ExcludedAtom {
    std::uint32_t atom = 0;  ///< index in spatial order
    std::uint32_t lanes = 0;
  };

  /// Collects the atoms that are excluded with atoms of the chunk, ascending, with an end mark past all atoms.
  void load_exclusions() {
    excluded_.clear();
    if (!context_.excluded.empty())
      for (std::uint32_t lane = 0; lane < chunk_.count; ++lane)
        for (std::uint32_t e = context_.excluded_start[chunk_.begin + lane];
             e < context_.excluded_start[chunk_.begin + lane + 1]; ++e)
          excluded_.push_back({context_.excluded[e], 1U << lane});
    std::sort(excluded_.begin(), excluded_.end(),
              [](const ExcludedAtom& a, const ExcludedAtom& b) { return a.atom < b.atom; });
    std::size_t n = 0;
    for (const ExcludedAtom& e : excluded_)
      if (n > 0 && excluded_[n - 1].atom == e.atom)
        excluded_[n - 1].lanes |= e.lanes;
      else
        excluded_[n++] = e;
    excluded_.resize(n);
    excluded_.push_back({0xFFFFFFFFU, 0});
  }

  /// Returns the origins of the chunk's atoms less that of cell c.
  Vec3<Lane> shift_from(std::uint32_t c) const {
    if constexpr (kLowOrder)
      if (context_.any_far && (is_far_ || context_.atoms.is_far[c] != 0)) return far_shift_from(c);
    const Vec3<Real>& o = context_.atoms.origin[c];
    return {origin_.x - o.x, origin_.y - o.y, origin_.z - o.z};
  }

  /// The same, lane by lane. It is rarely needed, so it is kept out of the loops over cells.
  [[gnu::noinline, gnu::cold]] Vec3<Lane> far_shift_from(std::uint32_t c) const {
    const auto lanes = [&](auto&& component) {
      return Lane([&](auto l) {
        const auto lane = std::min(static_cast<std::uint32_t>(l), chunk_.count - 1);
        return component(context_.atoms.shift(context_.cell_of[chunk_.begin + lane], c));
      });
    };
    return {lanes([](const auto& s) { return s.x; }), lanes([](const auto& s) { return s.y; }),
            lanes([](const auto& s) { return s.z; })};
  }

  template <class SpeciesOfLane>
  void set_coefficients(const SpeciesOfLane& species) {
    for (std::size_t t = 0; t < context_.n_species; ++t)
      coefficients_[t] = gathered_coefficients<Physics::template Coefficients, Lane>(
          [&](std::uint32_t lane) { return context_.table[species(lane) * context_.n_species + t]; });
  }

  /// kNear: some atoms may be in contact with atoms of the chunk, belong to the chunk, or be excluded with its atoms.
  template <bool kNear>
  void add_run(const Vec3<Lane>& x, std::uint32_t begin, std::uint32_t end) {
    Vec3<Lane> force{Lane(0), Lane(0), Lane(0)};
    PairLanes<Lane> sums;
    const LocalAtom<Real>* const atom = context_.atoms.atom.data();
    const CoefficientsOf<Physics, Lane> only = coefficients_[0];
    for (std::uint32_t j = begin; j < end; ++j) {
      Vec3<Lane> d{x.x - atom[j].x, x.y - atom[j].y, x.z - atom[j].z};
      if constexpr (kNear && kLowOrder) {
        const Vec3<Real>& f = context_.atoms.low_order[j];
        d += Vec3<Lane>{low_order_.x - f.x, low_order_.y - f.y, low_order_.z - f.z};
      }
      typename Lane::mask_type other;
      if constexpr (kNear) {
        other = lane_number<Lane>() !=
                Lane(static_cast<Real>(static_cast<std::int64_t>(j) - static_cast<std::int64_t>(chunk_.begin)));
        if (next_excluded_->atom == j) {
          other = other && !lanes_of_bits<Lane>(next_excluded_->lanes);
          ++next_excluded_;
        }
      }
      const PairResult<Lane> pair = pairs_with_pack<kNear, kEnergies>(
          physics_, squared_norm(d), other, kOneSpecies ? only : coefficients_[context_.atoms.species[j]],
          charge_ * atom[j].charge, context_.cutoff2, sums);
      force = {lane_fma(pair.force_over_r, d.x, force.x), lane_fma(pair.force_over_r, d.y, force.y),
               lane_fma(pair.force_over_r, d.z, force.z)};
    }
    flush(0, force.x);
    flush(1, force.y);
    flush(2, force.z);
    if constexpr (kEnergies) {
      flush(3, sums.vdw);
      flush(4, sums.coulomb);
      flush(5, sums.within);
    }
  }

  void flush(std::size_t sum, const Lane& value) { sums_[sum] += stdx::static_simd_cast<Sum>(value); }

  const ChunkContext<Real, Physics>& context_;
  const Physics& physics_;
  Chunk chunk_{};
  CellBox box_{};        ///< the cells of the chunk's atoms
  bool is_far_ = false;  ///< whether an atom is in a far cell
  Vec3<Lane> offset_{}, origin_{}, low_order_{};
  Lane charge_{};
  std::vector<CoefficientsOf<Physics, Lane>> coefficients_;  ///< [n_species of j], lanes = i
  std::array<Sum, kEnergies ? 6 : 3> sums_{};                ///< force x, y, z; vdw, coulomb, within
  std::uint64_t candidate_pairs_ = 0;
  std::vector<ExcludedAtom> excluded_;
  const ExcludedAtom* next_excluded_ = nullptr;  ///< the first of these that is not before the next j atom
};

}  // namespace dropmd
