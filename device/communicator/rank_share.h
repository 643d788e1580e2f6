#pragma once

#include <span>
#include <string>
#include <vector>

namespace dropmd {

/// What a rank sees of its host.
struct RankView {
  std::string host;
  std::string processors;  ///< that its process may use: "0,1,2"
  std::vector<std::string>
      devices;  ///< GPUs, by names that are the same in all processes, in the order of their numbers
};

/// Returns the view of this process.
RankView rank_view();

/// Returns a view as a text, and the view that a text describes.
std::string to_text(const RankView& view);
RankView rank_view_of(const std::string& text);

/// What a rank uses of its host.
struct RankShare {
  std::vector<int> devices;   ///< numbers of GPUs
  std::string no_device;      ///< why it has no GPU, although its host has some; empty: it has one, or there are none
  int processor_sharers = 1;  ///< ranks that may use the same processors, itself included
};

/// Returns the share of a rank. Ranks of a host that see the same GPUs take them in turn; where the batch system gave
/// each rank GPUs of its own, it takes those. No GPU belongs to two ranks.
RankShare rank_share(std::span<const RankView> views, std::size_t rank);

}  // namespace dropmd
