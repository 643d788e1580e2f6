#include "inputs/run_file/sections/output_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "core/alternatives.h"
#include "core/run/missing_library.h"
#include "inputs/text_source.h"

namespace dropmd {

void check_output_name(SectionReader& section, std::string_view key, const std::string& name,
                       std::span<const std::string_view> extensions) {
  const SourcePlace& place = section.find(key)->value_place;
  const std::filesystem::path path = name;
  if (path.has_parent_path())
    section.mistake(place,
                    fmt::format("{} is {} (give a file name without folders: the file goes into the output directory)",
                                section.name_of(key), in_quotes(name)));
  else if (std::find(extensions.begin(), extensions.end(), path.extension().string()) == extensions.end()) {
    const std::string_view missing = missing_library(path.extension().string());
    section.mistake(place,
                    fmt::format("{} is {} (choose a name that ends with {}{}{})", section.name_of(key), in_quotes(name),
                                alternatives(extensions), missing.empty() ? "" : "; ", missing));
  }
}

}  // namespace dropmd
