#pragma once

#include <nanobind/nanobind.h>

namespace dropmd::python {

/// Makes the exceptions of core/errors.h exceptions of Python, with the same messages. Each type has the exit status
/// that `dropmd` would end with as `status`.
void bind_errors(nanobind::module_& module);

}  // namespace dropmd::python
