#pragma once

#include <span>
#include <string>

#include "core/forms/form.h"
#include "inputs/toml/toml_document.h"

namespace dropmd {

/// A key of a run file that is set on the command line, in place of the file's value or in addition.
struct Setting {
  std::string section;  ///< empty: above all sections
  /// Name of the key; "NAME.KEY" for a species.
  std::string key;
  /// Its value.
  TomlValue value{};
  SourcePlace place{};  ///< the option as it was written
};

/// Parses "SECTION.KEY=VALUE", or "KEY=VALUE" for the keys above all sections; "species.NAME.KEY=VALUE" sets a key of
/// the [[species]] of that name, whose key is then "NAME.KEY". VALUE is TOML; a text that is not a TOML value is a
/// string, so that words need no quotes. Throws UsageError for anything else.
Setting parse_setting(const std::string& option, const std::string& text);

/// Applies the settings to the document in their order, with their own places. Keys that they make meaningless are
/// removed (replaced_keys.h), and so is the file's `sigma` if `r-min` is set, and the reverse. Throws InputError for a
/// list entry that does not exist.
void apply_settings(std::span<const Setting> settings, const FormCatalog& catalog, TomlDocument& document);

}  // namespace dropmd
