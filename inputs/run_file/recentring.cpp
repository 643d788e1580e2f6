#include "inputs/run_file/recentring.h"

#include <fmt/core.h>

#include "inputs/run_file/choice_words.h"

namespace dropmd {

Recenter recentring(const RunConfig& config) {
  return config.recenter.value_or(config.wall ? Recenter::none : Recenter::geometric);
}

std::optional<std::string> recentring_warning(const RunConfig& config) {
  const Recenter centre = recentring(config);
  if (!config.wall || centre == Recenter::none || config.recenter_every == 0) return std::nullopt;
  return fmt::format(
      "{}: recenter = \"{}\" moves the atoms against the wall: the energy is not conserved (without 'recenter' in "
      "[run] "
      "nothing is recentred beside a wall)",
      config.file.string(), word_of_value(kRecenterWords, centre));
}

}  // namespace dropmd
