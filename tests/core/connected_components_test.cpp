#include "core/connected_components.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace dropmd {
namespace {

using Labels = std::vector<std::uint32_t>;
using Edge = std::array<std::uint32_t, 2>;

Labels labels_of(std::size_t n, const std::vector<Edge>& edges) {
  ConnectedComponents components(n);
  for (const Edge& edge : edges) components.join(edge[0], edge[1]);
  return components.labels();
}

/// The smallest label spreads along the edges until nothing changes.
Labels spread_labels(std::size_t n, const std::vector<Edge>& edges) {
  Labels label(n);
  std::iota(label.begin(), label.end(), 0U);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [a, b] : edges) {
      changed = changed || label[a] != label[b];
      label[a] = label[b] = std::min(label[a], label[b]);
    }
  }
  return label;
}

TEST(ConnectedComponents, AreLabelledByTheirSmallestNode) {
  EXPECT_EQ(labels_of(0, {}), Labels{});
  EXPECT_EQ(labels_of(3, {}), (Labels{0, 1, 2}));
  EXPECT_EQ(labels_of(6, {{5, 3}, {4, 5}, {1, 2}, {2, 1}, {0, 0}}), (Labels{0, 1, 1, 3, 3, 3}));
  EXPECT_EQ(labels_of(6, {{4, 5}, {2, 3}, {3, 5}, {1, 4}}), (Labels{0, 1, 1, 1, 1, 1}));
}

TEST(ConnectedComponents, LabelsOfSingleNodesAreTheSame) {
  ConnectedComponents components(5);
  components.join(4, 2);
  EXPECT_EQ(components.label_of(4), 2U);
  components.join(4, 1);
  for (const std::uint32_t node : {1U, 2U, 4U}) EXPECT_EQ(components.label_of(node), 1U);
  EXPECT_EQ(components.label_of(3), 3U);
  EXPECT_EQ(components.labels(), (Labels{0, 1, 1, 3, 1}));
}

TEST(ConnectedComponents, DoNotDependOnTheOrderOfEdges) {
  std::mt19937 random(1);
  for (const std::size_t n_edges : {20U, 90U, 110U, 400U}) {
    constexpr std::uint32_t kNodes = 200;
    std::uniform_int_distribution<std::uint32_t> node(0, kNodes - 1);
    std::vector<Edge> edges(n_edges);
    for (Edge& edge : edges) edge = {node(random), node(random)};
    const Labels expected = spread_labels(kNodes, edges);
    for (int k = 0; k < 5; ++k) {
      EXPECT_EQ(labels_of(kNodes, edges), expected) << n_edges << " edges";
      std::shuffle(edges.begin(), edges.end(), random);
      for (Edge& edge : edges) std::swap(edge[0], edge[1]);
    }
  }
}

/// Joined from its end, a chain is as deep as a tree of n nodes can be.
TEST(ConnectedComponents, ReadLongChains) {
  constexpr std::uint32_t kNodes = 1'000'000;
  ConnectedComponents components(kNodes);
  for (std::uint32_t i = kNodes - 1; i > 0; --i) components.join(i, i - 1);
  EXPECT_EQ(components.label_of(kNodes - 1), 0U);
  EXPECT_EQ(components.labels(), Labels(kNodes, 0));
}

}  // namespace
}  // namespace dropmd
