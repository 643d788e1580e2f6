#pragma once

#include <vector>

#include "core/run/run_settings.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"

namespace dropmd {

/// Returns the method with each edge of cells, or each form of a GPU's pair list, that suits such a run; that of the
/// rule comes first.
std::vector<Method> with_each_parameter(const Method& method, const System& system, const RunSettings& config);

/// Returns the form of a method's list, by rule if none is given; automatic if it has no list on a GPU. Throws
/// InputError for a form that does not suit.
ListForm list_form_of(const System& system, const RunSettings& config, const Method& method);

/// Returns whether a persistent kernel performs the steps of such a run. Throws like list_form_of().
bool is_persistent(const System& system, const RunSettings& config, const Method& method);

}  // namespace dropmd
