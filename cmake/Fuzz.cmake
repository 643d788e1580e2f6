# One executable for each tests/fuzz/fuzz_*.cpp, with libFuzzer and the sanitizers; fuzz_targets builds them all.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "DROPMD_FUZZ: libFuzzer comes with clang (cmake --preset fuzz)")
endif()

# Only the readers: the rooms contain more, and this takes half the time.
file(GLOB_RECURSE reader_sources CONFIGURE_DEPENDS inputs/*.cpp outputs/checkpoint/*.cpp)
list(APPEND reader_sources outputs/files/atomic_file.cpp outputs/files/file_writer.cpp outputs/files/pipe_output.cpp)
add_library(fuzz_readers STATIC EXCLUDE_FROM_ALL tests/fuzz/target.cpp ${reader_sources})
# toml++ is used as headers, not as the library that its target means, so that its parser is instrumented and guides the
# fuzzer, too.
target_link_libraries(fuzz_readers
  PUBLIC dropmd_core PRIVATE dropmd_flags fmt::fmt FastFloat::fast_float hdf5::hdf5 pugixml::pugixml ZLIB::ZLIB
          dropmd_gsd dropmd_xdr)
# These headers take half of the time to compile a file.
target_precompile_headers(fuzz_readers PRIVATE <fmt/core.h> <algorithm> <filesystem> <optional> <string> <vector>)
# toml++ 3.3 declares a place unreachable that letters from U+00A1 to U+0499 outside strings do reach (its function
# is_non_ascii_horizontal_whitespace). A normal build continues there, and correctly.
set_source_files_properties(inputs/toml/toml_document.cpp PROPERTIES COMPILE_OPTIONS -fno-sanitize=unreachable)

add_custom_target(fuzz_targets)
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.cpp)
foreach(source IN LISTS fuzz_sources)
  get_filename_component(target ${source} NAME_WE)
  add_executable(${target} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${target} PRIVATE fuzz_readers dropmd_flags)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz_targets ${target})
endforeach()
