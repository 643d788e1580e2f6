#pragma once

#include <nanobind/nanobind.h>

#include "python/session.h"

namespace dropmd::python {

/// Adds the functions of a session that report clusters and the droplet.
void bind_droplet(nanobind::class_<Session>& type);

}  // namespace dropmd::python
