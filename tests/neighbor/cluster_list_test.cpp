#include "neighbor/lists/cluster_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tests/support/random_droplets.h"

namespace dropmd {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

template <class Real>
class ClusterLists : public ::testing::Test {
 protected:
  void build(const std::vector<Vec3<double>>& position, double list_cutoff, double near, int threads = 1) {
    const PositionGrid grid = PositionGrid::for_contact_distance(1.0);
    clusters_ = make_clusters(Cpu{threads}, position, ClusterAtoms<Real>::kWidth, ClusterAtoms<Real>::max_extent(grid));
    atoms_.assign(Cpu{threads}, clusters_, grid, position, std::vector<double>(position.size(), 0.0), 1e5);
    list_.build(Cpu{threads}, clusters_, atoms_, list_cutoff, near, nullptr);
  }

  /// How often each pair of atoms is listed, and whether it is among those that may be near.
  std::map<Pair, std::pair<int, bool>> listed() const {
    std::map<Pair, std::pair<int, bool>> pairs;
    for (std::size_t g = 0; g < list_.groups.size(); ++g)
      for (std::uint32_t i = clusters_.groups[g].begin; i < clusters_.groups[g].end; ++i) {
        const ClusterPairRange& range = list_.groups[g].ranges[i - clusters_.groups[g].begin];
        for (std::uint32_t k = range.begin; k < range.end; ++k) add(i, list_.groups[g].pairs[k], k < range.far, pairs);
      }
    return pairs;
  }

  void expect_every_pair_once(const std::vector<Vec3<double>>& position, double list_cutoff) {
    constexpr double kNear = 1.3;
    build(position, list_cutoff, kNear);
    const auto pairs = listed();
    std::uint64_t candidate_pairs = 0;
    for (const ClusterGroupList& group : list_.groups) candidate_pairs += group.candidate_pairs;
    EXPECT_EQ(candidate_pairs, pairs.size());
    for (const auto& [pair, times] : pairs) ASSERT_EQ(times.first, 1) << pair.first << ", " << pair.second;
    for (std::uint32_t a = 0; a < position.size(); ++a)
      for (std::uint32_t b = a + 1; b < position.size(); ++b) {
        const double r = norm(position[a] - position[b]);
        if (r >= list_cutoff) continue;
        const auto found = pairs.find({a, b});
        ASSERT_NE(found, pairs.end()) << a << ", " << b << " at " << r;
        ASSERT_TRUE(found->second.second || r >= kNear) << a << ", " << b << " at " << r;
      }
  }

  AtomClusters clusters_;
  ClusterAtoms<Real> atoms_;
  ClusterList list_;

 private:
  void add(std::uint32_t i, const ClusterPair& pair, bool near, std::map<Pair, std::pair<int, bool>>& pairs) const {
    for (std::uint32_t row = 0; row < clusters_.width; ++row) {
      if ((pair.rows >> row & 1U) == 0) continue;
      const std::uint32_t first = pair.cluster == i ? row + 1 : 0;
      for (std::uint32_t lane = first; lane < clusters_.count[pair.cluster]; ++lane) {
        const auto [a, b] = std::minmax(clusters_.atoms_of(i)[row], clusters_.atoms_of(pair.cluster)[lane]);
        auto& times = pairs[{a, b}];
        ++times.first;
        times.second = near;
      }
    }
  }
};

using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ClusterLists, Reals);

TYPED_TEST(ClusterLists, HoldEveryPairWithinTheListCutoffOnce) {
  for (const Regime regime : kAllRegimes)
    for (const std::size_t n : {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000})
      for (const double list_cutoff : {0.5, 2.8}) {
        SCOPED_TRACE(std::string(name_of(regime)) + ", n = " + std::to_string(n) + ", list cutoff " +
                     std::to_string(list_cutoff));
        this->expect_every_pair_once(random_droplet(regime, n, 1).position, list_cutoff);
        if (this->HasFatalFailure()) return;
      }
}

TYPED_TEST(ClusterLists, HoldEveryPairOfADropletSmallerThanTheListCutoff) {
  this->expect_every_pair_once(random_droplet(Regime::liquid, 700, 2).position, 1e4);
}

TYPED_TEST(ClusterLists, HoldEveryPairOfALattice) {
  this->expect_every_pair_once(lattice_atoms(1000, 1).position, 2.5);
}

TYPED_TEST(ClusterLists, HoldEveryPairOfManyAtoms) {
  this->expect_every_pair_once(random_droplet(Regime::liquid, 5000, 3).position, 2.8);
}

/// Otherwise a list would be hardly better than all pairs.
TYPED_TEST(ClusterLists, GrowWithTheNumberOfAtoms) {
  const auto candidate_pairs = [&](std::size_t n) {
    this->build(random_droplet(Regime::liquid, n, 4).position, 2.8, 1.3);
    std::uint64_t sum = 0;
    for (const ClusterGroupList& group : this->list_.groups) sum += group.candidate_pairs;
    return static_cast<double>(sum) / static_cast<double>(n);
  };
  // The ratio is 1.1, since a smaller share of the atoms is at the surface.
  EXPECT_LT(candidate_pairs(40'000), 1.25 * candidate_pairs(10'000));
}

TYPED_TEST(ClusterLists, KnowWhereTheForcesOfEachClusterAre) {
  this->build(random_droplet(Regime::clustered, 3000, 5).position, 2.8, 1.3);
  const ClusterList& list = this->list_;
  ASSERT_EQ(list.cluster_slots.size(), list.n_slots);
  std::vector<std::uint32_t> cluster_at(list.n_slots);
  for (const ClusterGroupList& group : list.groups)
    std::copy(group.touched.begin(), group.touched.end(),
              cluster_at.begin() + static_cast<std::ptrdiff_t>(group.first_slot));
  for (std::uint32_t c = 0; c < this->clusters_.size(); ++c)
    for (std::size_t p = list.first_cluster_slot[c]; p < list.first_cluster_slot[c + 1]; ++p)
      EXPECT_EQ(cluster_at[list.cluster_slots[p]], c);
}

TYPED_TEST(ClusterLists, AreTheSameForEveryNumberOfThreads) {
  const auto position = random_droplet(Regime::liquid, 5000, 6).position;
  const auto bytes_of_list = [&](int threads) {
    this->build(position, 2.8, 1.3, threads);
    std::vector<std::uint32_t> all;
    for (const ClusterGroupList& group : this->list_.groups)
      for (const ClusterPair& pair : group.pairs) all.insert(all.end(), {pair.cluster, pair.slot, pair.rows});
    return all;
  };
  const auto one = bytes_of_list(1);
  for (const int threads : {2, 5}) EXPECT_EQ(bytes_of_list(threads), one);
}

}  // namespace
}  // namespace dropmd
