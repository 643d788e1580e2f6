#pragma once

#include "core/forms/form.h"
#include "inputs/run_file/mistake_list.h"
#include "inputs/toml/toml_document.h"

namespace dropmd {

/// Reports sections of a run file that do not exist or have the wrong number of brackets, and unknown keys above the
/// sections.
void report_unknown_sections(const TomlDocument& document, const FormCatalog& catalog, MistakeList& mistakes);

}  // namespace dropmd
