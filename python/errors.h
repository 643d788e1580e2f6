#pragma once

#include <nanobind/nanobind.h>

namespace dropmd::python {

/// Makes the exceptions of core/errors.h exceptions of Python, with the same messages. The `status` of each type is the
/// exit status with which `dropmd` would end.
void bind_errors(nanobind::module_& module);

}  // namespace dropmd::python
