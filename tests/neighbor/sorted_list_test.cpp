#include "neighbor/cells/sorted_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tests/support/random_droplets.h"

namespace dropmd {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

constexpr std::uint32_t kWidth = 8;
constexpr double kOriginStep = 0.25;
constexpr double kNear = 1.3;

class SortedLists : public ::testing::Test {
 protected:
  void build(const std::vector<Vec3<double>>& position, double list_cutoff, int threads = 1, double exact_frame = 1e3) {
    const Cpu cpu{threads};
    grid_.emplace(position, central_anchor(position, kOriginStep), list_cutoff * 1.00001);
    frames_ = cell_frames(cpu, *grid_, position, kOriginStep);
    sorted_.sort(cpu, *grid_, frames_, position);
    list_.build<kWidth>(cpu, *grid_, frames_, sorted_, {list_cutoff, kNear, exact_frame});
  }

  /// Calls use(i, j, near) for each pair of atoms in a lane of an item.
  template <class Use>
  void for_each_pair(const SortedBlock& block, const SortedItem& item, const Use& use) const {
    const auto atom = [&](std::uint32_t cell, std::uint32_t index) {
      return grid_->order()[grid_->cells()[cell].begin + index];
    };
    for (std::uint32_t r = item.first_run; r < item.first_run + item.n_runs; ++r) {
      const SortedRun& run = block.runs[r];
      const auto mine = sorted_.order(item.cell, run.axis), theirs = sorted_.order(run.cell, run.axis);
      const bool self = run.cell == item.cell;
      for (std::uint32_t k = 0; k < run.n_packs; ++k) {
        const SortedRows& rows = block.rows[run.rows + k];
        const std::uint32_t first = (run.first_pack + k) * kWidth;
        for (std::size_t j = first; j < std::min<std::size_t>(first + kWidth, theirs.size()); ++j)
          for (std::size_t i = rows.far; i < (self ? j : mine.size()); ++i)
            use(atom(item.cell, mine[i]), atom(run.cell, theirs[j]), i >= rows.near);
      }
    }
  }

  void expect_every_pair_once(const std::vector<Vec3<double>>& position, double list_cutoff) {
    build(position, list_cutoff);
    std::map<Pair, bool> listed;  // whether it is among those that may be near
    for (const SortedBlock& block : list_.blocks())
      for (const SortedItem& item : block.items)
        for_each_pair(block, item, [&](std::uint32_t i, std::uint32_t j, bool near) {
          EXPECT_TRUE(listed.emplace(std::minmax(i, j), near).second) << i << ", " << j << " twice";
        });
    for (std::uint32_t a = 0; a < position.size(); ++a)
      for (std::uint32_t b = a + 1; b < position.size(); ++b) {
        const double r = norm(position[a] - position[b]);
        if (r >= list_cutoff) continue;
        const auto found = listed.find({a, b});
        ASSERT_NE(found, listed.end()) << a << ", " << b << " at " << r;
        ASSERT_TRUE(found->second || r >= kNear) << a << ", " << b << " at " << r;
      }
    EXPECT_LE(list_.candidate_pairs(), listed.size());
  }

  std::optional<CellGrid> grid_;
  std::vector<CellFrame> frames_;
  SortedCells sorted_;
  SortedList list_;
};

TEST_F(SortedLists, HoldEveryPairOnceInEveryRegime) {
  for (const Regime regime : kAllRegimes)
    for (const std::size_t n : {0U, 1U, 2U, 9U, 400U})
      for (const double list_cutoff : {0.9, 2.5, 7.0, 100.0}) {
        SCOPED_TRACE(std::string(name_of(regime)) + ", n = " + std::to_string(n) + ", " + std::to_string(list_cutoff));
        expect_every_pair_once(random_droplet(regime, n, 11).position, list_cutoff);
        if (HasFailure()) return;
      }
}

TEST_F(SortedLists, HoldEveryPairOfAtomsOnTheFacesOfCells) {
  const std::vector<Vec3<double>> position = lattice_atoms(512, 1).position;
  for (const double list_cutoff : {1.25, 2.5, 1.25 * std::sqrt(2.0)}) expect_every_pair_once(position, list_cutoff);
}

TEST_F(SortedLists, HoldEveryPairFarFromTheOrigin) {
  const ChargedAtoms atoms = random_droplet(Regime::liquid, 400, 12);
  for (const double far : {1e4, 1e7, -3e9}) {
    SCOPED_TRACE(far);
    expect_every_pair_once(moved(atoms, {far, -far, 0.3 * far}).position, 2.5);
  }
}

/// Where offsets are coarse, all rows take the path for atoms in contact.
TEST_F(SortedLists, HaveOnlyNearRowsWhereFramesAreWide) {
  build(random_droplet(Regime::liquid, 400, 13).position, 2.5, 1, 1.0);
  for (const SortedBlock& block : list_.blocks())
    for (const SortedRows& rows : block.rows) EXPECT_EQ(rows.near, rows.far);
}

/// Cells in the bulk with an edge of the cutoff. The volume of the sphere over what the projections leave of 27 cells
/// is 0.672 for uniform density, integrated over 10⁶ pairs of points per axis. Packs of eight round rows up; idle lanes
/// are not counted as candidates.
TEST_F(SortedLists, LeaveTwoThirdsOfPairsWithinTheCutoffInTheBulk) {
  constexpr double kListCutoff = 6.0;
  const std::vector<Vec3<double>> position = uniform_atoms(15'000, 1.8, 14).position;  // 120 atoms per cell
  build(position, kListCutoff, 2);
  double within = 0, candidate_pairs = 0, lanes = 0;
  for (const SortedBlock& block : list_.blocks())
    for (const SortedItem& item : block.items) {
      const CellIndex& here = grid_->cells()[item.cell].index;
      if (std::max({std::abs(2 * here.x + 1), std::abs(2 * here.y + 1), std::abs(2 * here.z + 1)}) > 1) continue;
      candidate_pairs += static_cast<double>(item.candidate_pairs);
      lanes += static_cast<double>(item.lanes);
      for_each_pair(block, item, [&](std::uint32_t i, std::uint32_t j, bool) {
        if (norm(position[i] - position[j]) < kListCutoff) ++within;
      });
    }
  ASSERT_GT(candidate_pairs, 8 * 30'000);  // in the eight cells around the middle
  RecordProperty("within", std::to_string(within / candidate_pairs));
  RecordProperty("within_of_lanes", std::to_string(within / lanes));
  EXPECT_NEAR(within / candidate_pairs, 0.672, 0.02);
  EXPECT_GT(within / lanes, 0.55);
}

/// The items let threads share the work of a full cell; the division must not depend on the threads.
TEST_F(SortedLists, CutAFullCellIntoItemsThatHoldAllItsPairs) {
  const std::vector<Vec3<double>> position = random_droplet(Regime::liquid, 3000, 15).position;
  build(position, 1e3);
  std::size_t items = 0;
  std::uint64_t lanes = 0;
  for (const SortedBlock& block : list_.blocks()) {
    items += block.items.size();
    for (const SortedItem& item : block.items) lanes += item.lanes;
  }
  EXPECT_GT(items, grid_->cells().size());
  EXPECT_EQ(list_.candidate_pairs(), 3000ULL * 2999 / 2);
  EXPECT_GE(lanes, list_.candidate_pairs());
}

}  // namespace
}  // namespace dropmd
