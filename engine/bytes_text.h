#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>

namespace dropmd {

/// Returns a number of bytes as text: "5.4 MB".
inline std::string bytes_text(std::uint64_t bytes) {
  const auto b = static_cast<double>(bytes);
  if (b < 1e6) return fmt::format("{:.1f} kB", b / 1e3);
  return b < 1e9 ? fmt::format("{:.1f} MB", b / 1e6) : fmt::format("{:.1f} GB", b / 1e9);
}

}  // namespace dropmd
