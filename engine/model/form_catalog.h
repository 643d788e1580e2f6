#pragma once

#include "core/forms/form.h"

namespace dropmd {

/// Returns every form and every format of output files that this build offers, for the readers of input files and the
/// help.
FormCatalog form_catalog();

}  // namespace dropmd
