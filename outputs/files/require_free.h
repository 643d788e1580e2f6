#pragma once

#include <filesystem>
#include <vector>

namespace dropmd {

/// To be called before any work with these outputs. Throws OutputError if two outputs are the same file, if an output
/// is an input, which it would destroy, or, without `overwrite`, if an output exists, even if only as a link to a
/// missing file.
void require_free(const std::vector<std::filesystem::path>& outputs, const std::vector<std::filesystem::path>& inputs,
                  bool overwrite);

}  // namespace dropmd
