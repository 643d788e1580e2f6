#pragma once

#include <span>
#include <string>

#include "core/form.h"
#include "inputs/run_file/toml_document.h"

namespace dropmd {

/// A key of a run file that the command line gives, instead of the file's or in addition.
struct Setting {
  std::string section;  ///< empty: above all sections
  std::string key;
  TomlValue value{};
  SourcePlace place{};  ///< the option as it was written
};

/// "SECTION.KEY=VALUE", or "KEY=VALUE" for the keys above all sections; "species.NAME.KEY=VALUE" for the [[species]] of
/// that name, whose key is then "NAME.KEY". VALUE is TOML; what is no TOML value is a string, so that words need no
/// quotes. Throws UsageError for anything else.
Setting parse_setting(const std::string& option, const std::string& text);

/// Puts the settings into the document, in their order, with their own places; what they replace leaves it
/// (replaced_keys.h), and so does the file's `sigma` where `r-min` is set, or the reverse. Throws InputError for an
/// entry of a list that there is not.
void apply_settings(std::span<const Setting> settings, const FormCatalog& catalog, TomlDocument& document);

}  // namespace dropmd
