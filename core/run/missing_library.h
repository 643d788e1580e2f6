#pragma once

#include <string_view>

namespace dropmd {

/// Returns what a build lacks for a trajectory format, and the remedy; empty for formats that it has and for unknown
/// ones. Only for rooms that link dropmd_gsd and dropmd_xdr, which define these macros.
constexpr std::string_view missing_library([[maybe_unused]] std::string_view extension) {
#if !DROPMD_HAS_XDR
  if (extension == ".xtc")
    return "this build of dropmd does not support .xtc: CMake did not find chemfiles; configure it with network "
           "access, or with -DFETCHCONTENT_SOURCE_DIR_CHEMFILES=DIR for its unpacked sources";
#endif
#if !DROPMD_HAS_GSD
  if (extension == ".gsd")
    return "this build of dropmd does not support .gsd: CMake did not find GSD; configure it with network access, or "
           "with -DFETCHCONTENT_SOURCE_DIR_GSD=DIR for its unpacked sources";
#endif
  return "";
}

}  // namespace dropmd
