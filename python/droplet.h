#pragma once

#include <nanobind/nanobind.h>

#include "python/session.h"

namespace dropmd::python {

/// Adds the functions of a session that tell of clusters and of the droplet.
void bind_droplet(nanobind::class_<Session>& type);

}  // namespace dropmd::python
