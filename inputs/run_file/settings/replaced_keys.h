#pragma once

#include <span>

#include "core/forms/form.h"
#include "inputs/run_file/settings/setting.h"
#include "inputs/toml/toml_document.h"

namespace dropmd {

/// Removes from a run file the keys that settings make meaningless, as if they had not been written: if a setting
/// chooses another form, the keys of the file's form that it does not take, or takes in another unit. To be called
/// before the settings are applied: keys that are themselves set stay, and are errors if they have no use.
void drop_replaced_keys(std::span<const Setting> settings, const FormCatalog& catalog, TomlDocument& document);

}  // namespace dropmd
