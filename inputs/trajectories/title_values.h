#pragma once

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "inputs/line_reader.h"
#include "inputs/trajectories/trajectory_reader.h"

/// The titles that GROMACS' programs write: "water t= 0.50000 step= 250".
namespace dropmd {

/// Returns the finite number behind the last "KEY= " of a title; nullopt: there is none.
inline std::optional<double> number_in_title(std::string_view title, std::string_view key) {
  const std::size_t at = title.rfind(key);
  if (at == std::string_view::npos || (at > 0 && title[at - 1] != ' ')) return std::nullopt;
  std::string_view text = title.substr(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  double value = 0;
  const auto result = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Takes time (ps) and step from the title of a frame in units real, which keeps what stands before the time.
inline void take_title_values(InputFrame& frame) {
  constexpr double kFsPerPs = 1000, kMostStep = 9e15;
  std::string& title = frame.structure.title;
  const auto step = number_in_title(title, "step=");
  if (step && std::abs(*step) < kMostStep) frame.step = static_cast<std::int64_t>(*step);
  if (const auto time = number_in_title(title, "t=")) {
    frame.structure.time = kFsPerPs * *time;
    title = trimmed(std::string_view(title).substr(0, title.rfind("t=")));
  }
}

}  // namespace dropmd
