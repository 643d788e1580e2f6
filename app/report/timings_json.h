#pragma once

#include <filesystem>

#include "app/json_text.h"

namespace dropmd {

/// Returns timings.csv: {steps, seconds, phases, parts}. `phases` are {name, seconds} over all parts, the longest
/// first and `other`, the time of no phase, last; `parts` are {first_step, last_step, seconds}; `steps` is the number
/// of steps that the parts made. Throws InputError for a file that is not such a table.
Json timings_json(const std::filesystem::path& path);

}  // namespace dropmd
