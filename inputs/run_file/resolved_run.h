#pragma once

#include <string>
#include <string_view>

#include "inputs/run_file/run_config.h"

namespace dropmd {

/// The run as a run file with every default written out: reading it gives the same RunConfig again, from any folder,
/// as the structure's path is absolute. Numbers are the shortest decimals that give the same doubles back. Values that
/// depend on the structure stay left out.
std::string resolved_run_toml(const RunConfig& config);

/// A TOML basic string. TOML is UTF-8: U+FFFD stands for other bytes, which names of files may have.
std::string toml_string(std::string_view text);

}  // namespace dropmd
