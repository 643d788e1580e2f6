#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace dropmd {

/// The connected components of a graph with nodes 0 to n - 1, by a disjoint-set forest (Galler & Fischer 1964) with
/// path halving (Tarjan & van Leeuwen 1984). A component is labelled by its smallest node, in whatever order nodes were
/// joined. An operation takes O(log n), amortized.
class ConnectedComponents {
 public:
  /// Starts with each node by itself.
  explicit ConnectedComponents(std::size_t n_nodes) : parent_(n_nodes) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  /// Returns the smallest node of the component of a node. Not const, because it shortens paths.
  std::uint32_t label_of(std::uint32_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  /// Adds an edge.
  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t first = label_of(a), second = label_of(b);
    parent_[std::max(first, second)] = std::min(first, second);
  }
  /// Returns the label of each node: [n_nodes].
  std::vector<std::uint32_t> labels() const {
    std::vector<std::uint32_t> label(parent_.size());
    // A parent is no larger than its node, so its label is already known.
    for (std::size_t i = 0; i < label.size(); ++i)
      label[i] = parent_[i] == i ? static_cast<std::uint32_t>(i) : label[parent_[i]];
    return label;
  }

 private:
  std::vector<std::uint32_t> parent_;  ///< [n_nodes] a smaller node of the same component; for the smallest, itself
};

}  // namespace dropmd
