#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/lanes/simd_lanes.h"
#include "maps/form_in.h"
#include "maps/map_forms.h"
#include "maps/near_term.h"
#include "maps/sorted_charges.h"

namespace dropmd {

/// Computes the potential and, if requested, the field at the points of one block on the CPU. Lanes are points along x.
///
/// Atoms are processed in batches: their offsets from the middle of the block are in Real (double: the positions
/// themselves), squares of the distances along y and z are computed once per row of points and atom, groups of
/// kSummedInFp32 atoms are summed with compensation, and the sums of a batch are added in fp64. Atoms so near that fp32
/// offsets or d_min matter are summed in fp64.
template <class Real, class Form, bool kCutoff, bool kField>
class BlockSum {
 public:
  static constexpr Vec3<std::int32_t> kSize{16, 8, 4};
  static constexpr std::size_t kPoints = std::size_t{16} * 8 * 4;

  BlockSum(const MapModel& model, const Form& form) : form_(form), near_form_(model.coulomb), nearest_(model.nearest) {
    if constexpr (kCutoff) cutoff_ = model.coulomb.at("cutoff");
  }

  /// Sums all atoms within the cutoff of the block.
  void compute(const SortedCharges& atoms, const MapGrid& grid, const PointBlock& block) {
    begin(grid, block);
    atoms.visit_near(box_, cutoff_, [&](std::size_t from, std::size_t to) {
      for (std::size_t a = from; a < to; ++a) take(atoms.atoms()[a]);
    });
    add_batch();
  }

  /// Potential at point (i, j, k) of the block, per k_e.
  double potential(std::int32_t i, std::int32_t j, std::int32_t k) const { return sum_[0][number(i, j, k)]; }
  Vec3<double> field(std::int32_t i, std::int32_t j, std::int32_t k) const {
    const std::size_t p = number(i, j, k);
    return {sum_[1][p], sum_[2][p], sum_[3][p]};
  }
  bool is_near(std::int32_t i, std::int32_t j, std::int32_t k) const { return near_[number(i, j, k)] != 0; }
  std::uint64_t evaluations() const { return evaluations_; }

 private:
  static constexpr std::size_t kBatch = 256;
  static constexpr std::size_t kSums = kField ? 4 : 1;
  using Lane = Pack<Real>;
  using NearLane = Pack<double>;
  static constexpr std::size_t kWidth = LaneTraits<Lane>::kWidth;

  static std::size_t number(std::int32_t i, std::int32_t j, std::int32_t k) {
    return (static_cast<std::size_t>(k) * 8 + static_cast<std::size_t>(j)) * 16 + static_cast<std::size_t>(i);
  }

  void begin(const MapGrid& grid, const PointBlock& block) {
    count_ = {block.high.x - block.low.x, block.high.y - block.low.y, block.high.z - block.low.z};
    box_ = {grid.at(block.low.x, block.low.y, block.low.z),
            grid.at(block.high.x - 1, block.high.y - 1, block.high.z - 1)};
    const Vec3<double> half = 0.5 * (box_.high - box_.low);
    centre_ = std::is_same_v<Real, double> ? Vec3<double>{} : box_.low + half;
    margin_ = nearest_;
    if constexpr (std::is_same_v<Real, float>) margin_ += kNearShare * std::max({half.x, half.y, half.z});
    // Idle lanes are points past the last one.
    for (std::int32_t m = 0; m < kSize.x; ++m) {
      const Vec3<double> p = grid.at(block.low.x + m, block.low.y + m % kSize.y, block.low.z + m % kSize.z);
      exact_x_[m] = p.x;
      x_[m] = static_cast<Real>(p.x - centre_.x);
      if (m < kSize.y) exact_y_[m] = p.y, y_[m] = static_cast<Real>(p.y - centre_.y);
      if (m < kSize.z) exact_z_[m] = p.z, z_[m] = static_cast<Real>(p.z - centre_.z);
    }
    for (auto& sum : sum_) sum.fill(0);
    near_.fill(0);
    n_ = 0;
    evaluations_ = 0;
  }

  void take(const SortedCharges::Atom& atom) {
    const double d2 = box_.squared_distance(atom.position);
    // fp32 may place an atom inside that is outside in fp64.
    const bool is_within = !kCutoff || d2 < cutoff_ * cutoff_ * (1 + 1e-9);
    if (d2 < margin_ * margin_ || d2 > kFarSquare) {
      if (is_within) add_near(atom);
      return;
    }
    // The atom is always written, but counted only if it is within the cutoff: about half of them are, so a branch
    // could not be predicted.
    const Vec3<double> d = atom.position - centre_;
    atom_x_[n_] = static_cast<Real>(d.x);
    atom_y_[n_] = static_cast<Real>(d.y);
    atom_z_[n_] = static_cast<Real>(d.z);
    charge_[n_] = static_cast<Real>(atom.charge);
    n_ += is_within ? 1 : 0;
    if (n_ == kBatch) add_batch();
  }

  void add_batch() {
    for (std::size_t a = n_; a % kWidth != 0; ++a) atom_x_[a] = atom_y_[a] = atom_z_[a] = charge_[a] = 0;
    for (std::int32_t k = 0; k < count_.z; ++k)
      for (std::int32_t j = 0; j < count_.y; ++j) {
        const Lane y(y_[j]), z(z_[k]);
        for (std::size_t a = 0; a < n_; a += kWidth) {
          const Lane dy = y - Lane(&atom_y_[a], stdx::vector_aligned), dz = z - Lane(&atom_z_[a], stdx::vector_aligned);
          lane_fma(dy, dy, dz * dz).copy_to(&yz2_[a], stdx::vector_aligned);
        }
        std::size_t i = 0;
        const auto end = static_cast<std::size_t>(count_.x);
        for (; i + kWidth < end; i += 2 * kWidth) add_row<2>(i, j, k);
        for (; i < end; i += kWidth) add_row<1>(i, j, k);
        evaluations_ += n_ * ((end + kWidth - 1) / kWidth) * kWidth;
      }
    n_ = 0;
  }

  /// Adds all atoms of the batch to kPacks packs of points from i on.
  template <std::size_t kPacks>
  [[gnu::flatten]] void add_row(std::size_t i, std::int32_t j, std::int32_t k) {
    std::array<Lane, kPacks> x;
    std::array<std::array<Lane, kPacks>, kSums> part{}, sum{};
    for (std::size_t p = 0; p < kPacks; ++p) x[p] = Lane(&x_[i + p * kWidth], stdx::vector_aligned);
    for (std::size_t of_run = 0; of_run < n_; of_run += kSummedInFp32) {
      const std::size_t run_end = std::min<std::size_t>(n_, of_run + kSummedInFp32);
      for (std::size_t a = of_run; a < run_end; ++a) {
        const Lane q(charge_[a]), yz2(yz2_[a]), atom_x(atom_x_[a]);
        for (std::size_t p = 0; p < kPacks; ++p) {
          const Lane dx = x[p] - atom_x;
          const auto d = Distance<Lane>::from_square(lane_fma(dx, dx, yz2));
          const PairTerm<Lane> term = form_.template operator()<kCutoff>(d);
          part[0][p] = lane_fma(q, term.energy, part[0][p]);
          if constexpr (kField) {
            const Lane f = q * term.virial * d.r2_inv;
            part[1][p] = lane_fma(f, dx, part[1][p]);
            part[2][p] = lane_fma(f, Lane(y_[j] - atom_y_[a]), part[2][p]);
            part[3][p] = lane_fma(f, Lane(z_[k] - atom_z_[a]), part[3][p]);
          }
        }
      }
      for (std::size_t s = 0; s < kSums; ++s)
        for (std::size_t p = 0; p < kPacks; ++p) {
          // The rounding error is kept in `part` (W. Kahan, Commun. ACM 8, 40 (1965)).
          const Lane all = sum[s][p] + part[s][p];
          part[s][p] -= all - sum[s][p];
          sum[s][p] = all;
        }
    }
    for (std::size_t s = 0; s < kSums; ++s)
      for (std::size_t p = 0; p < kPacks; ++p) {
        double* const total = &sum_[s][number(static_cast<std::int32_t>(i + p * kWidth), j, k)];
        add_widened(total, sum[s][p]);
        add_widened(total, part[s][p]);
      }
  }

  [[gnu::flatten]] void add_near(const SortedCharges::Atom& atom) {
    constexpr auto kNearWidth = static_cast<std::int32_t>(LaneTraits<NearLane>::kWidth);
    const NearLane q(atom.charge), least(nearest_ * nearest_);
    for (std::int32_t k = 0; k < count_.z; ++k)
      for (std::int32_t j = 0; j < count_.y; ++j)
        for (std::int32_t i = 0; i < count_.x; i += kNearWidth) {
          const NearLane dx = NearLane(&exact_x_[i], stdx::vector_aligned) - atom.position.x;
          const double dy = exact_y_[j] - atom.position.y, dz = exact_z_[k] - atom.position.z;
          const NearLane r2 = lane_fma(dx, dx, NearLane(lane_fma(dy, dy, dz * dz)));
          const auto is_near = r2 < least;
          const NearTerm<NearLane> term = near_term<kCutoff>(near_form_, r2, least);
          const std::size_t at = number(i, j, k);
          add_widened(&sum_[0][at], q * term.energy);
          if constexpr (kField) {
            const NearLane f = q * term.force_over_r;
            add_widened(&sum_[1][at], f * dx);
            add_widened(&sum_[2][at], f * dy);
            add_widened(&sum_[3][at], f * dz);
          }
          for (std::int32_t lane = 0; lane < kNearWidth; ++lane)
            if (is_near[static_cast<std::size_t>(lane)]) near_[at + static_cast<std::size_t>(lane)] = 1;
        }
    evaluations_ += static_cast<std::uint64_t>(count_.z) * static_cast<std::uint64_t>(count_.y) *
                    static_cast<std::uint64_t>((count_.x + kNearWidth - 1) / kNearWidth * kNearWidth);
  }

  Form form_;
  typename FormIn<Form, double>::type near_form_;
  double nearest_, cutoff_ = 0, margin_ = 0;
  Vec3<std::int32_t> count_{};
  SpaceBox box_{};
  Vec3<double> centre_{};
  alignas(64) std::array<Real, 16> x_{};
  std::array<Real, 8> y_{};
  std::array<Real, 4> z_{};
  alignas(64) std::array<double, 16> exact_x_{};
  std::array<double, 8> exact_y_{};
  std::array<double, 4> exact_z_{};
  std::size_t n_ = 0;  ///< number of atoms in the batch
  alignas(64) std::array<Real, kBatch> atom_x_{}, atom_y_{}, atom_z_{}, charge_{}, yz2_{};
  alignas(64) std::array<std::array<double, kPoints>, kSums> sum_{};
  std::array<std::uint8_t, kPoints> near_{};
  std::uint64_t evaluations_ = 0;
};

}  // namespace dropmd
