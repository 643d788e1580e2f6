#pragma once

#include <filesystem>
#include <span>

#include "core/form.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/setting.h"
#include "inputs/text_source.h"

namespace dropmd {

/// Reads a run file (TOML; sections and keys in docs/file-formats.md) and fills in every default that does not depend
/// on the structure. All mistakes are reported in one InputError, a line for each, in the order of their places. The
/// structure file is not looked at. settings: of the command line, as if the file had them.
RunConfig read_run_file(const std::filesystem::path& path, const FormCatalog& catalog,
                        std::span<const Setting> settings = {});

/// The same of a text that is no file: path is where it came from, for messages and relative paths.
RunConfig parse_run_file(const TextSource& source, const std::filesystem::path& path, const FormCatalog& catalog,
                         std::span<const Setting> settings = {});

}  // namespace dropmd
