#pragma once

#include <nanobind/nanobind.h>

#include "python/session.h"

namespace dropmd::python {

/// Adds the functions that change the atoms, and those that name molecules, to the type of a session.
void bind_population(nanobind::class_<Session>& type);

}  // namespace dropmd::python
