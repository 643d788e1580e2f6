#pragma once

#include <string_view>

#include "core/forms/form.h"
#include "inputs/run_file/mistake_list.h"
#include "inputs/run_file/run_config.h"
#include "inputs/toml/toml_document.h"

namespace dropmd {

/// Reads [map], the potential maps during the run. The first form of the catalog's maps is the default. trajectory:
/// name of the run's trajectory, which no map may take.
MapConfig read_map_section(const TomlSection& toml, const FormCatalog& catalog, UnitSystem units,
                           std::string_view trajectory, MistakeList& mistakes);

}  // namespace dropmd
