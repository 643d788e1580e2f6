#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/lanes/simd_lanes.h"  // before all pair terms: they call its functions
#include "core/parallel_for.h"
#include "core/vector_bytes.h"
#include "forces/pair/cpu/sorted_kernel.h"
#include "forces/pair/pair_forces.h"
#include "forces/pair/pair_table.h"
#include "forces/pair/with_physics.h"

namespace dropmd {

/// Pair forces over cells whose atoms are sorted along the axes to the neighbouring cells. With a skin the order is
/// kept until an atom has moved by more than half of it; without one, until an atom has moved. Work items are
/// distributed to threads, and their forces are added in the order of the items.
template <class Real>
class SortedTraversal final : public PairForces {
 public:
  SortedTraversal(Cpu cpu, PairModel model, PairAtoms atoms, double skin)
      : cpu_(cpu),
        model_(std::move(model)),
        atoms_(atoms),
        skin_(skin),
        positions_(PositionGrid::for_contact_distance(model_.smallest_r_min())),
        table_(pair_table<Real>(model_)) {}

  PairSums evaluate(std::span<const Vec3<double>> position, std::span<Vec3<double>> force, Want want) override {
    if (!grid_ || !local_.follow(cpu_, position, 0.5 * skin_)) build(position);
    sum_pairs(want == Want::forces_and_energies);
    collect(force);
    return sums_of(sums_, list_.candidate_pairs(), want);
  }
  bool keeps_list() const override { return skin_ > 0; }
  void discard_list() override {
    grid_.reset();
    built_at_.clear();
  }
  std::span<const Vec3<double>> list_positions() const override { return built_at_; }
  void build_list(std::span<const Vec3<double>> position) override { build(position); }
  std::uint64_t list_bytes() const override {
    return sorted_.bytes() + list_.bytes() + bytes_of(force_) + bytes_of(built_at_);
  }

 private:
  static constexpr std::uint32_t kWidth = PackForce<Real>::kWidth;

  struct Work {
    std::uint32_t block = 0;
    std::uint32_t item = 0;
  };

  void build(std::span<const Vec3<double>> position);
  void sum_pairs(bool energies);
  template <bool kEnergies, class Physics>
  void sum_items(const SortedContext<Real, Physics>& context, const Physics& physics);
  void collect(std::span<Vec3<double>> force) const;

  Cpu cpu_;
  PairModel model_;
  PairAtoms atoms_;
  double skin_;
  PositionGrid positions_;
  PairTable<Real> table_;
  std::optional<CellGrid> grid_;
  std::vector<Vec3<double>> built_at_;  ///< [n_atoms] with a skin; else empty
  std::vector<CellFrame> frames_;
  CellAtoms<Real> local_;
  SortedCells sorted_;
  SortedList list_;
  OrderedExclusions excluded_;  ///< in the order of the cells
  /// [atoms of the largest cell] the order in which items store forces on their own atoms.
  std::vector<std::uint32_t> identity_;
  std::vector<Work> work_;
  std::vector<PackForce<Real>> force_;  ///< [slots of the list]
  std::vector<PairTotals> sums_;        ///< [work]
};

template <class Real>
void SortedTraversal<Real>::build(std::span<const Vec3<double>> position) {
  constexpr double kMargin = 1e-5;  // for the rounding of cell boundaries: 10⁻⁷ edges at index 2³⁰
  // Offsets of up to 2²⁶ quanta are rounded by at most 2 quanta, far below the error bounds beyond near_distance.
  const double exact_frame = std::ldexp(positions_.quantum, 26);
  const double list_cutoff = model_.cutoff() + skin_;
  if (keeps_list()) built_at_.assign(position.begin(), position.end());
  grid_.emplace(position, central_anchor(position, positions_.origin_step), list_cutoff * (1 + kMargin));
  frames_ = cell_frames(cpu_, *grid_, position, positions_.origin_step);
  local_.assign(cpu_, *grid_, frames_, positions_, position, atoms_.charge, atoms_.species);
  sorted_.sort(cpu_, *grid_, frames_, position);
  excluded_ = exclusions_in_order(atoms_.excluded, grid_->order());
  const bool local = std::is_same_v<Real, float>;
  list_.template build<kWidth>(
      cpu_, *grid_, frames_, sorted_,
      {list_cutoff, local ? std::min(list_cutoff, positions_.near_distance + skin_) : list_cutoff, exact_frame});
  std::uint32_t largest = 0;
  for (const Cell& cell : grid_->cells()) largest = std::max(largest, cell.end - cell.begin);
  identity_.resize(largest);
  std::iota(identity_.begin(), identity_.end(), 0U);
  force_.resize(list_.n_slots());
  work_.clear();
  for (std::uint32_t b = 0; b < list_.blocks().size(); ++b)
    for (std::uint32_t u = 0; u < list_.blocks()[b].items.size(); ++u) work_.push_back({b, u});
  sums_.resize(work_.size());
}

template <class Real>
void SortedTraversal<Real>::sum_pairs(bool energies) {
  // Far enough to be outside all cutoffs, but not so far that pair terms become denormal.
  constexpr double kFar = 1e5;
  const double cutoff = model_.cutoff();
  with_cut_physics<Real>(model_, [&]<class Physics>(const Physics& physics) {
    const SortedContext<Real, Physics> context{grid_->cells(),
                                               local_,
                                               sorted_,
                                               table_.template of<CoefficientsOf<Physics, Real>>(),
                                               model_.n_species,
                                               static_cast<Real>(model_.coulomb_constant),
                                               static_cast<Real>(cutoff * cutoff),
                                               static_cast<Real>(kFar + 4 * (cutoff + skin_)),
                                               excluded_.start,
                                               excluded_.excluded};
    if constexpr (std::is_same_v<Real, float>)
      if (!energies) return sum_items<false>(context, physics);
    sum_items<true>(context, physics);
  });
}

template <class Real>
template <bool kEnergies, class Physics>
void SortedTraversal<Real>::sum_items(const SortedContext<Real, Physics>& context, const Physics& physics) {
  using Kernel = SortedKernel<Real, Physics>;
  parallel_for_with(
      cpu_, work_.size(), 1, [&] { return Kernel(context, physics); },
      [&](Kernel& kernel, std::size_t w) {
        const SortedBlock& block = list_.blocks()[work_[w].block];
        sums_[w] =
            kernel.template add_item<kEnergies>(block, block.items[work_[w].item], force_.data() + block.first_slot);
      });
}

template <class Real>
void SortedTraversal<Real>::collect(std::span<Vec3<double>> force) const {
  constexpr std::size_t kCellsAtOnce = 4;
  parallel_for_with(
      cpu_, grid_->cells().size(), kCellsAtOnce, [] { return std::vector<Vec3<double>>{}; },
      [&](std::vector<Vec3<double>>& sum, std::size_t k) {
        const auto c = static_cast<std::uint32_t>(k);
        const Cell& cell = grid_->cells()[c];
        const std::uint32_t count = cell.end - cell.begin;
        sum.assign(count, Vec3<double>{});
        for (const SortedRange& range : list_.ranges(c)) {
          const bool sorted = range.axis != SortedRange::kOwnOrder;
          const std::uint32_t* const order = sorted ? sorted_.order(c, range.axis).data() : identity_.data();
          const PackForce<Real>* part = force_.data() + range.slot;
          const std::uint32_t end = std::min((range.first_pack + range.n_packs) * kWidth, count);
          for (std::uint32_t first = range.first_pack * kWidth; first < end; first += kWidth, ++part)
            for (std::uint32_t lane = 0; lane < std::min(kWidth, end - first); ++lane) {
              Vec3<double>& of_atom = sum[order[first + lane]];
              of_atom.x += part->x[lane];
              of_atom.y += part->y[lane];
              of_atom.z += part->z[lane];
            }
        }
        for (std::uint32_t i = 0; i < count; ++i) force[grid_->order()[cell.begin + i]] = sum[i];
      });
}

extern template class SortedTraversal<float>;
extern template class SortedTraversal<double>;

}  // namespace dropmd
