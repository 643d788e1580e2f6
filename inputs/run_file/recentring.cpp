#include "inputs/run_file/recentring.h"

#include <fmt/core.h>

#include "inputs/run_file/choice_words.h"

namespace dropmd {

Recenter recentring(const RunConfig& config) { return recentring(config, /*fixed_in_space=*/!config.fields.empty()); }

std::optional<std::string> recentring_warning(const RunConfig& config) {
  const Recenter centre = recentring(config);
  if (config.fields.empty() || centre == Recenter::none || config.recenter_every == 0) return std::nullopt;
  const std::string& name = config.fields.rbegin()->first;  // of a field and a wall, the wall
  return fmt::format(
      "{}: recenter = \"{}\" moves the atoms against the {}: the energy is not conserved (without 'recenter' in [run] "
      "nothing is recentred beside a {})",
      config.file.string(), word_of_value(kRecenterWords, centre), name, name);
}

}  // namespace dropmd
