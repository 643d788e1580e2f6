#pragma once

#include <span>

#include "core/form.h"
#include "inputs/run_file/setting.h"
#include "inputs/run_file/toml_document.h"

namespace dropmd {

/// Takes the keys that lose their meaning by a setting out of a run file, as if they had not been written: those of the
/// file's form where the setting chooses a form that does not take them, or takes them in another unit. To be called
/// before the settings are put in: what these give stays, and is an error where it has no use.
void drop_replaced_keys(std::span<const Setting> settings, const FormCatalog& catalog, TomlDocument& document);

}  // namespace dropmd
