#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/parallel_for.h"
#include "forces/pair/cpu/chunk_kernel.h"
#include "forces/pair/cpu/chunk_plan.h"
#include "forces/pair/pair_forces.h"
#include "forces/pair/pair_table.h"
#include "forces/pair/with_physics.h"

namespace dropmd {

/// Pair forces on the CPU by a ChunkPlan. Each evaluation builds the grid and the local positions; chunks are
/// distributed to threads, and their sums are added in the order of the chunks.
template <class Real>
class CpuTraversal final : public PairForces {
 public:
  CpuTraversal(Cpu cpu, PairModel model, PairAtoms atoms, std::unique_ptr<ChunkPlan<Real>> plan)
      : cpu_(cpu),
        model_(std::move(model)),
        atoms_(atoms),
        plan_(std::move(plan)),
        grid_(PositionGrid::for_contact_distance(model_.smallest_r_min())),
        table_(pair_table<Real>(model_)) {}

  PairSums evaluate(std::span<const Vec3<double>> position, std::span<Vec3<double>> force, Want want) override {
    const CellGrid grid(position, central_anchor(position, grid_.origin_step), plan_->edge());
    local_.assign(cpu_, grid, grid_, position, atoms_.charge, atoms_.species);
    PairSums total;
    with_untruncated_physics<Real>(model_, [&](const auto& physics) {
      if constexpr (std::is_same_v<Real, float>) {
        if (want == Want::forces_and_energies)  // rare: one kernel serves any number of species
          total = sum<true, false>(grid, physics, force);
        else if (model_.n_species == 1)
          total = sum<false, true>(grid, physics, force);
        else
          total = sum<false, false>(grid, physics, force);
      } else {  // one kernel for all cases shortens the build; fp64 is for checking, mixed for production
        total = sum<true, false>(grid, physics, force);
        if (want == Want::forces) total = {.candidate_pairs = total.candidate_pairs};
      }
    });
    return total;
  }

 private:
  template <bool kEnergies, bool kOneSpecies, class Physics>
  PairSums sum(const CellGrid& grid, const Physics& physics, std::span<Vec3<double>> force) {
    using Kernel = ChunkKernel<Real, Physics, kEnergies, kOneSpecies>;
    const double cutoff = model_.cutoff();
    std::vector<std::uint32_t> cell_of(grid.order().size());
    for (std::uint32_t c = 0; c < grid.cells().size(); ++c)
      std::fill(cell_of.begin() + grid.cells()[c].begin, cell_of.begin() + grid.cells()[c].end, c);
    const OrderedExclusions excluded = exclusions_in_order(atoms_.excluded, grid.order());
    const ChunkContext<Real, Physics> context{grid.cells(),
                                              local_,
                                              cell_of,
                                              table_.template of<CoefficientsOf<Physics, Real>>(),
                                              model_.n_species,
                                              static_cast<Real>(model_.coulomb_constant),
                                              static_cast<Real>(cutoff * cutoff),
                                              near_cells(grid_, grid.edge()),
                                              std::any_of(local_.is_far.begin(), local_.is_far.end(), std::identity{}),
                                              excluded.start,
                                              excluded.excluded};
    plan_->build(grid, local_, Kernel::kWidth);
    const auto chunks = plan_->chunks();
    std::vector<ChunkSums> sums(chunks.size());
    constexpr std::size_t kChunksAtOnce = 4;
    struct Meeting {
      Kernel kernel;
      typename ChunkPlan<Real>::Scratch scratch{};
    };
    parallel_for_with(
        cpu_, chunks.size(), kChunksAtOnce, [&] { return Meeting{Kernel(context, physics)}; },
        [&](Meeting& meeting, std::size_t k) {
          auto& [kernel, scratch] = meeting;
          const Chunk& chunk = chunks[k];
          kernel.load(chunk);
          for (const std::uint32_t c : plan_->cells_met(chunk, scratch)) kernel.add_cell(c);
          for (std::uint32_t lane = 0; lane < chunk.count; ++lane)
            force[grid.order()[chunk.begin + lane]] = kernel.force(lane);
          sums[k] = kernel.sums();
        });
    return total_of(sums);
  }

  static PairSums total_of(const std::vector<ChunkSums>& sums) {
    PairTotals directed;
    std::uint64_t candidate_pairs = 0;
    for (const ChunkSums& s : sums) {
      directed.vdw += s.totals.vdw;
      directed.coulomb += s.totals.coulomb;
      directed.within += s.totals.within;
      candidate_pairs += s.candidate_pairs;
    }
    return {0.5 * directed.vdw, 0.5 * directed.coulomb, static_cast<std::uint64_t>(0.5 * directed.within),
            candidate_pairs / 2};
  }

  Cpu cpu_;
  PairModel model_;
  PairAtoms atoms_;
  std::unique_ptr<ChunkPlan<Real>> plan_;
  PositionGrid grid_;
  PairTable<Real> table_;
  LocalAtoms<Real> local_;
};

extern template class CpuTraversal<float>;
extern template class CpuTraversal<double>;

}  // namespace dropmd
