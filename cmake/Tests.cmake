# One executable of tests/**/*_test.cpp and their support, and the tests of the scripts.
find_package(GTest 1.12 REQUIRED)
find_package(rapidcheck REQUIRED)
find_package(Python3 COMPONENTS Interpreter)
include(GoogleTest)

set(test_patterns tests/*.cpp)
if(DROPMD_HAS_CUDA)
  list(APPEND test_patterns tests/*.cu)
endif()
file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS ${test_patterns})
if(DROPMD_CUDA_TARGET STREQUAL check)
  # What supports tests in .cpp files stays.
  message(STATUS "*_test.cu: left out, as no GPU runs this build (DROPMD_CUDA_TARGET=check)")
  list(FILTER test_sources EXCLUDE REGEX "_test\\.cu$")
endif()
list(FILTER test_sources EXCLUDE REGEX "/((stub_driver|failing_files|fuzz/[a-z_]*)\\.cpp|losing_gpu\\.cu)$")
if(DROPMD_TEST_FILES)
  list(FILTER test_sources INCLUDE REGEX "${DROPMD_TEST_FILES}")
endif()
if(test_sources)
  add_executable(dropmd_tests ${test_sources})
  target_link_libraries(dropmd_tests PRIVATE
    dropmd_app dropmd_flags rapidcheck GTest::gmock GTest::gtest_main Eigen3::Eigen fmt::fmt
    hdf5::hdf5 nlohmann_json::nlohmann_json PNG::PNG ZLIB::ZLIB dropmd_gsd dropmd_xdr)
  target_compile_definitions(dropmd_tests PRIVATE DROPMD_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # Tests compile faster by a quarter with this, and run as fast, since the code that they call is in the rooms.
  target_compile_options(dropmd_tests PRIVATE
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>")
  # These headers take half of the time to compile a test.
  target_precompile_headers(dropmd_tests PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:<gmock/gmock.h$<ANGLE-R>;<gtest/gtest.h$<ANGLE-R>>")
  if(DROPMD_CUDA_TARGET STREQUAL check)
    # This build should be quick, and the tests of a folder compile faster together than one by one. Three files stay
    # alone: they declare templates of lanes, which must come before the physics that uses them.
    set_target_properties(dropmd_tests PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set(tests_in_folders ${test_sources})
    list(FILTER tests_in_folders EXCLUDE REGEX "/(lanes|born_mayer|pair_forms)_test\\.cpp$")
    foreach(file IN LISTS tests_in_folders)
      cmake_path(GET file PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      string(REPLACE "/" "_" group ${folder})
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
    endforeach()
  endif()
  if(TARGET dropmd)
    target_compile_definitions(dropmd_tests PRIVATE DROPMD_BINARY="$<TARGET_FILE:dropmd>")
    add_dependencies(dropmd_tests dropmd)
  endif()
  # File operations that fail on request, for tests of what a run loses then. Child processes load this before the C
  # library: its functions must be visible, even where the rooms' are hidden for the Python package.
  add_library(failing_files SHARED tests/support/system/failing_files.cpp)
  set_target_properties(failing_files PROPERTIES CXX_VISIBILITY_PRESET default)
  target_link_libraries(failing_files PRIVATE ${CMAKE_DL_LIBS})
  target_compile_definitions(dropmd_tests PRIVATE DROPMD_FAILING_FILES="$<TARGET_FILE:failing_files>")
  add_dependencies(dropmd_tests failing_files)
  if(DROPMD_HAS_CUDA)
    # A driver for the tests of the messages for a failing driver: libcuda.so.1 in a folder of its own.
    add_library(stub_driver SHARED tests/support/system/stub_driver.cpp)
    set_target_properties(stub_driver PROPERTIES CXX_VISIBILITY_PRESET default
      PREFIX "" OUTPUT_NAME libcuda SUFFIX .so.1 LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/stub_driver)
    target_link_libraries(stub_driver PRIVATE ${CMAKE_DL_LIBS})
    target_compile_definitions(dropmd_tests PRIVATE DROPMD_STUB_DRIVER_FOLDER="$<TARGET_FILE_DIR:stub_driver>")
    add_dependencies(dropmd_tests stub_driver)
    target_link_libraries(dropmd_tests PRIVATE ${CMAKE_DL_LIBS})
    # A GPU that is lost on request.
    add_library(losing_gpu SHARED tests/support/system/losing_gpu.cu)
    target_include_directories(losing_gpu PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(dropmd_tests PRIVATE DROPMD_LOSING_GPU="$<TARGET_FILE:losing_gpu>")
    add_dependencies(dropmd_tests losing_gpu)
  endif()
  gtest_discover_tests(dropmd_tests DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endif()

if(Python3_FOUND)
  add_test(NAME check_includes.self_test
           COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/check_includes.py --self-test)
  add_test(NAME plot_scripts COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tests/scripts/plot_scripts_test.py)
  set_tests_properties(plot_scripts PROPERTIES SKIP_RETURN_CODE 77)  # without matplotlib
  add_test(NAME release_notes.self_test
           COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/scripts/release_notes.py --self-test)
  add_test(NAME site_pages COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tests/scripts/site_pages_test.py)
  add_test(NAME version COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tests/scripts/version_test.py)
  if(TARGET dropmd)
    add_test(NAME report_page COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tests/scripts/report_page_test.py
                                      $<TARGET_FILE:dropmd>)
    set_tests_properties(report_page PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)  # without Playwright or Chromium
  endif()
  if(NOT DROPMD_TEST_FILES)
    set(settings -G ${CMAKE_GENERATOR} -DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}
                 -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER})
    if(DROPMD_HAS_CUDA)
      list(APPEND settings -DCUDAToolkit_ROOT=${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT})
    endif()
    list(JOIN DROPMD_INSTRUMENTATION " " instrumentation)
    add_test(NAME library.example
             COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tests/scripts/library_example_test.py
                     --build ${PROJECT_BINARY_DIR} --cmake ${CMAKE_COMMAND} --config $<CONFIG>
                     "--flags=${instrumentation}" -- ${settings})
    set_tests_properties(library.example PROPERTIES TIMEOUT 300)
  endif()
  add_test(NAME guarantees.name_tests_that_exist
           COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/check_guarantees.py $<TARGET_FILE:dropmd_tests>)
endif()
