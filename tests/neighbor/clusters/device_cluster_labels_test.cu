#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "device/device_info.h"
#include "neighbor/clusters/device_cluster_labels.cuh"
#include "tests/support/random_droplets.h"

/// Labels on a GPU are those of the host, which are compared with all pairs in cluster_labels_test.cpp.
namespace dropmd {
namespace {

class DeviceClusterLabelsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }

  /// Labels atoms that lie in random order on the device, twice: the second call finds used memory.
  void expect_labels_of_host(const std::vector<Vec3<double>>& position, const ClusterLinks& links) {
    std::vector<std::uint32_t> host_index(position.size());
    for (std::uint32_t k = 0; k < host_index.size(); ++k) host_index[k] = k;
    std::shuffle(host_index.begin(), host_index.end(), random);
    std::vector<Vec3<double>> stored;
    for (const std::uint32_t i : host_index) stored.push_back(position[i]);
    const Stream stream(0);
    DeviceBuffer<Vec3<double>> d_position(stream);
    DeviceBuffer<std::uint32_t> d_host_index(stream);
    d_position.upload(stored);
    d_host_index.upload(host_index);
    DeviceClusterLabels labels(stream, links);
    const DeviceAtomPositions atoms{d_position.data(), d_host_index.data(), static_cast<std::uint32_t>(stored.size())};
    const auto expected = cluster_labels(position, links);
    EXPECT_EQ(labels({stream}, atoms), expected);
    EXPECT_EQ(labels({stream}, atoms), expected) << "again";
  }

  std::mt19937 random{31};
};

/// One to four sites for each molecule, atoms that are not sites, and molecules without sites.
ClusterLinks random_links(std::size_t n_atoms, double distance, std::mt19937& random) {
  ClusterLinks links{.molecule = {}, .n_molecules = 0, .distance = distance};
  while (links.molecule.size() < n_atoms) {
    if (random() % 8 == 0) ++links.n_molecules;
    if (random() % 4 == 0) links.molecule.push_back(ClusterLinks::kNoSite);
    const std::size_t sites = std::min<std::size_t>(1 + random() % 4, n_atoms - links.molecule.size());
    links.molecule.insert(links.molecule.end(), sites, static_cast<std::uint32_t>(links.n_molecules++));
  }
  return links;
}

TEST_F(DeviceClusterLabelsTest, AreThoseOfTheHost) {
  for (const Regime regime : kAllRegimes)
    for (const std::size_t n : {1U, 2U, 31U, 32U, 33U, 127U, 128U, 129U, 255U, 256U, 257U, 1001U, 20'011U}) {
      SCOPED_TRACE(std::string(name_of(regime)) + " " + std::to_string(n));
      const auto position = random_droplet(regime, n, static_cast<std::uint32_t>(random())).position;
      for (const double distance : {0.3, 1.0, 3.5}) expect_labels_of_host(position, random_links(n, distance, random));
    }
}

/// In a liquid near its percolation threshold there are clusters of all sizes.
TEST_F(DeviceClusterLabelsTest, OfClustersOfAllSizes) {
  std::uniform_real_distribution<double> inside(-1000.0, 1000.0);
  std::vector<Vec3<double>> position(50'000);
  for (Vec3<double>& x : position) x = {inside(random), inside(random), 0.02 * inside(random)};
  ClusterLinks links{
      .molecule = std::vector<std::uint32_t>(position.size()), .n_molecules = position.size(), .distance = 12.0};
  for (std::uint32_t i = 0; i < position.size(); ++i) links.molecule[i] = i;
  expect_labels_of_host(position, links);
}

TEST_F(DeviceClusterLabelsTest, ALinkIsShorterThanTheDistance) {
  const std::vector<Vec3<double>> position{{0, 0, 0}, {3.5, 0, 0}, {3.5, 3.25, 0}};
  for (const double distance : {3.5, std::nextafter(3.5, 4.0)})
    expect_labels_of_host(position, {.molecule = {0, 1, 2}, .n_molecules = 3, .distance = distance});
}

TEST_F(DeviceClusterLabelsTest, OfAChainOfManyLinks) {
  constexpr std::uint32_t n = 100'000;
  std::vector<Vec3<double>> position(n);
  ClusterLinks links{.molecule = std::vector<std::uint32_t>(n), .n_molecules = n, .distance = 3.5};
  for (std::uint32_t i = 0; i < n; ++i) {
    position[i] = {3.0 * i - 1.5e5, 0, 0};
    links.molecule[i] = n - 1 - i;
  }
  expect_labels_of_host(position, links);
}

/// Far from the origin, with molecules so far away that no grid could hold the space between.
TEST_F(DeviceClusterLabelsTest, OfVapourFarAway) {
  auto position = random_droplet(Regime::liquid, 1000, 5).position;
  for (Vec3<double>& x : position) x += Vec3<double>{-4e5, 7e5, 1e6};
  for (std::size_t i = 0; i < 100; ++i) position[i * 10] = 1e4 * static_cast<double>(i) * position[i * 10];
  expect_labels_of_host(position, random_links(1000, 1.2, random));
}

}  // namespace
}  // namespace dropmd
