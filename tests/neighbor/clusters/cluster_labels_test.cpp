#include "neighbor/clusters/cluster_labels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/support/random_droplets.h"

namespace dropmd {
namespace {

using Labels = std::vector<std::uint32_t>;

/// Joins by relabelling everything, pair by pair.
Labels labels_of_all_pairs(const std::vector<Vec3<double>>& position, const Labels& molecule, std::size_t n_molecules,
                           double distance) {
  Labels label(n_molecules);
  std::iota(label.begin(), label.end(), 0U);
  for (std::size_t i = 0; i < position.size(); ++i)
    for (std::size_t j = i + 1; j < position.size(); ++j) {
      if (!(norm(position[i] - position[j]) < distance)) continue;
      const std::uint32_t a = label[molecule[i]], b = label[molecule[j]];
      if (a != b) std::replace(label.begin(), label.end(), std::max(a, b), std::min(a, b));
    }
  return label;
}

/// One to four sites for each molecule; a few molecules have none.
Labels random_molecules(std::size_t n_sites, std::size_t& n_molecules, std::mt19937& random) {
  Labels molecule;
  n_molecules = 0;
  while (molecule.size() < n_sites) {
    if (random() % 8 == 0) ++n_molecules;
    const std::size_t sites = std::min<std::size_t>(1 + random() % 4, n_sites - molecule.size());
    molecule.insert(molecule.end(), sites, static_cast<std::uint32_t>(n_molecules++));
  }
  return molecule;
}

TEST(ClusterLabels, AreThoseOfAllPairs) {
  std::mt19937 random(26);
  for (const Regime regime : kAllRegimes)
    for (const std::size_t n : {1U, 2U, 31U, 32U, 33U, 127U, 128U, 129U, 255U, 256U, 257U, 1001U}) {
      SCOPED_TRACE(std::string(name_of(regime)) + " " + std::to_string(n));
      const auto position = random_droplet(regime, n, static_cast<std::uint32_t>(random())).position;
      std::size_t n_molecules = 0;
      const Labels molecule = random_molecules(n, n_molecules, random);
      for (const double distance : {0.3, 1.0, 3.5, 20.0})
        EXPECT_EQ(cluster_labels(position, molecule, n_molecules, distance),
                  labels_of_all_pairs(position, molecule, n_molecules, distance))
            << distance;
    }
}

TEST(ClusterLabels, OfNothing) {
  EXPECT_EQ(cluster_labels({}, {}, 0, 1.0), Labels{});
  EXPECT_EQ(cluster_labels({}, {}, 3, 1.0), (Labels{0, 1, 2})) << "molecules without sites";
}

TEST(ClusterLabels, DoNotDependOnTheOrderOfSites) {
  std::mt19937 random(27);
  auto position = random_droplet(Regime::liquid, 600, 3).position;
  std::size_t n_molecules = 0;
  Labels molecule = random_molecules(position.size(), n_molecules, random);
  const Labels expected = cluster_labels(position, molecule, n_molecules, 0.9);
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 1U) << "several clusters";
  std::vector<std::size_t> order(position.size());
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random);
  auto shuffled = position;
  Labels of_shuffled = molecule;
  for (std::size_t k = 0; k < order.size(); ++k) {
    shuffled[k] = position[order[k]];
    of_shuffled[k] = molecule[order[k]];
  }
  EXPECT_EQ(cluster_labels(shuffled, of_shuffled, n_molecules, 0.9), expected);
}

/// A link is shorter than the distance; coordinates here are exact in binary.
TEST(ClusterLabels, ALinkIsShorterThanTheDistance) {
  const std::vector<Vec3<double>> position{{0, 0, 0}, {3.5, 0, 0}, {3.5, 3.25, 0}};
  const Labels molecule{0, 1, 2};
  EXPECT_EQ(cluster_labels(position, molecule, 3, 3.5), (Labels{0, 1, 1}));
  EXPECT_EQ(cluster_labels(position, molecule, 3, std::nextafter(3.5, 4)), (Labels{0, 0, 0}));
}

/// Labels are found without recursion, and without a time that grows with the square of the length.
TEST(ClusterLabels, AChainOfManyLinksIsOneCluster) {
  constexpr std::uint32_t n = 100'000;
  std::vector<Vec3<double>> position(n);
  Labels molecule(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    position[i] = {3.0 * i, 0, 0};
    molecule[i] = n - 1 - i;
  }
  EXPECT_EQ(cluster_labels(position, molecule, n, 3.5), Labels(n, 0));
  Labels two(n, 0);
  std::fill(two.begin() + n / 2, two.end(), n / 2);
  for (std::uint32_t i = 0; i < n / 2; ++i) position[i].y = 10;
  EXPECT_EQ(cluster_labels(position, molecule, n, 3.5), two);
}

}  // namespace
}  // namespace dropmd
