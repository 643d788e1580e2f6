#pragma once

#include <filesystem>
#include <vector>

namespace dropmd {

struct RunConfig;

/// Returns the files that a run reads: run file, structure, topology with all that it includes, and choices to replay.
/// No output may be one of them.
std::vector<std::filesystem::path> input_files(const RunConfig& config);

}  // namespace dropmd
