#include "engine/droplet/event_text.h"

#include <fmt/core.h>

#include <cstddef>

namespace dropmd {

std::string describe(const DropletEventCounts& counts) {
  std::string text;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    const auto [events, molecules] = counts[kind];
    if (events == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", events, kDropletEventNames[kind]);
    if (molecules != events) text += fmt::format(" with {} molecules", molecules);
  }
  return text.empty() ? "none" : text;
}

}  // namespace dropmd
