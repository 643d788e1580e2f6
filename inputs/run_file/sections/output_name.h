#pragma once

#include <span>
#include <string>
#include <string_view>

#include "inputs/run_file/section_reader.h"

namespace dropmd {

/// Reports the value of a key that is not the name of a file in the output directory with one of the extensions.
void check_output_name(SectionReader& section, std::string_view key, const std::string& name,
                       std::span<const std::string_view> extensions);

}  // namespace dropmd
