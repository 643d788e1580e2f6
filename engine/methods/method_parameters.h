#pragma once

#include <vector>

#include "core/run/run_settings.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"

namespace dropmd {

/// The method with each edge of cells, or each form of a GPU's pair list, that suits such a run; that of the rule
/// first.
std::vector<Method> with_each_parameter(const Method& method, const System& system, const RunSettings& config);

/// The form of a method's list, that of the rule where it says none; automatic where it has no list on a GPU. Throws
/// InputError for a form that does not suit.
ListForm list_form_of(const System& system, const RunSettings& config, const Method& method);

/// Whether a persistent kernel makes the steps of such a run. Throws as list_form_of() does.
bool is_persistent(const System& system, const RunSettings& config, const Method& method);

}  // namespace dropmd
