#pragma once

#include "core/form.h"

namespace dropmd {

/// Returns every form that this build offers, for the readers of input files and the help.
FormCatalog form_catalog();

}  // namespace dropmd
