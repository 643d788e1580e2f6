#pragma once

#include <nanobind/nanobind.h>

namespace dropmd::python {

/// Adds the class FrameReader, which python/dropmd/frames.py wraps.
void bind_frames(nanobind::module_& module);

}  // namespace dropmd::python
