#pragma once

#include <filesystem>
#include <vector>

namespace dropmd {

/// To be asked before any work whose outputs these are. Throws OutputError where two outputs are one file, where an
/// output is an input, which it would destroy, or, without `overwrite`, where an output exists, if only as a link to a
/// file that does not.
void require_free(const std::vector<std::filesystem::path>& outputs, const std::vector<std::filesystem::path>& inputs,
                  bool overwrite);

}  // namespace dropmd
