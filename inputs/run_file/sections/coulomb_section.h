#pragma once

#include <string_view>
#include <vector>

#include "core/forms/form.h"
#include "inputs/run_file/mistake_list.h"
#include "inputs/run_file/run_config.h"
#include "inputs/toml/toml_document.h"

namespace dropmd {

/// The form of an untruncated Coulomb term.
inline constexpr std::string_view kExactCoulomb = "exact";

/// Returns the keys that only that form uses.
std::vector<std::string_view> exact_coulomb_keys();

/// Reads [coulomb] into the config. Without the section, or with the form "none", charges do not interact.
void read_coulomb_section(const TomlDocument& document, const FormList& forms, MistakeList& mistakes,
                          RunConfig& config);

}  // namespace dropmd
