#pragma once

#include <nanobind/nanobind.h>

namespace dropmd::python {

/// Adds the class Session, which python/dropmd/simulation.py wraps.
void bind_simulation(nanobind::module_& module);

}  // namespace dropmd::python
