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
#include "inputs/structures/reduced_units.h"
#include "inputs/trajectories/trajectory_reader.h"

/// The titles that GROMACS' programs write: "water t= 0.50000 step= 250".
namespace dropmd {

/// Returns the finite number after the last "KEY= " of a title; nullopt: there is none.
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

/// Returns the step of a title, of at most 15 digits.
inline std::optional<std::int64_t> step_in_title(std::string_view title) {
  constexpr double kMostStep = 9e15;
  const auto step = number_in_title(title, "step=");
  return step && std::abs(*step) < kMostStep ? std::optional(static_cast<std::int64_t>(*step)) : std::nullopt;
}

/// Returns the time of a title: in units real converted from ps to fs, in units lj as it is; nullopt: there is none.
inline std::optional<double> time_in_title(std::string_view title, UnitSystem units) {
  constexpr double kFsPerPs = 1000;
  const auto time = number_in_title(title, "t=");
  return time ? std::optional(units == UnitSystem::lj ? *time : kFsPerPs * *time) : std::nullopt;
}

/// Takes time and step from the title of a frame, whose units are known. The title keeps what stands before its units,
/// or else before the time, or else before the step.
inline void take_title_values(InputFrame& frame) {
  std::string& title = frame.structure.title;
  frame.step = step_in_title(title);
  frame.structure.time = time_in_title(title, frame.structure.units.value_or(UnitSystem::real));
  std::size_t end = place_of_reduced_units(title);
  if (end == std::string::npos && frame.structure.time) end = title.rfind("t=");
  if (end == std::string::npos && frame.step) end = title.rfind("step=");
  if (end != std::string::npos) title = trimmed(std::string_view(title).substr(0, end));
}

}  // namespace dropmd
