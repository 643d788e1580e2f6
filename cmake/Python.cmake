# Sets DROPMD_HAS_PYTHON (0 or 1): whether the Python package is built, and dropmd_add_python_package(). The package's
# module links the rooms, which must be position-independent then; symbols are hidden, so that the linker may still
# bind calls within a room.
set(DROPMD_HAS_PYTHON 0)
if(NOT DROPMD_PYTHON STREQUAL OFF)
  find_package(Python 3.9 COMPONENTS Interpreter Development.Module)
  if(Python_FOUND)
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                    RESULT_VARIABLE failed OUTPUT_VARIABLE nanobind_ROOT ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed)
      find_package(nanobind CONFIG)
    endif()
  endif()
  if(Python_FOUND AND nanobind_FOUND)
    set(DROPMD_HAS_PYTHON 1)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    set(CMAKE_CXX_VISIBILITY_PRESET hidden)
    set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
    set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
  elseif(DROPMD_PYTHON STREQUAL ON)
    message(FATAL_ERROR "DROPMD_PYTHON=ON needs the headers of Python and nanobind (pip install nanobind, or pip install .)")
  endif()
endif()
message(STATUS "Python package: ${DROPMD_HAS_PYTHON}")

# The package in <build>/python/dropmd, from where tests use it, and its installation into a wheel.
function(dropmd_add_python_package)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/*.cpp)
  file(GLOB modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/dropmd/*.py ${PROJECT_SOURCE_DIR}/python/dropmd/py.typed)
  set(package ${PROJECT_BINARY_DIR}/python/dropmd)
  nanobind_add_module(dropmd_python NB_STATIC NB_SUPPRESS_WARNINGS ${sources})
  set_target_properties(dropmd_python PROPERTIES OUTPUT_NAME _dropmd LIBRARY_OUTPUT_DIRECTORY ${package})
  target_link_libraries(dropmd_python PRIVATE dropmd_app dropmd_flags)
  # What editors and type checkers know of the module.
  nanobind_add_stub(dropmd_python_stub MODULE _dropmd OUTPUT ${package}/_dropmd.pyi PYTHON_PATH ${package}
                    DEPENDS dropmd_python)
  foreach(module IN LISTS modules)
    get_filename_component(name ${module} NAME)
    configure_file(${module} ${package}/${name} COPYONLY)
  endforeach()
  install(TARGETS dropmd_python LIBRARY DESTINATION dropmd COMPONENT python EXCLUDE_FROM_ALL)
  install(FILES ${modules} ${package}/_dropmd.pyi DESTINATION dropmd COMPONENT python EXCLUDE_FROM_ALL)
  if(DROPMD_STATIC_LIBRARIES)  # a wheel contains other people's code, whose licences ask to go with it
    foreach(library libhdf5 libfmt libpng libpugixml libtomlplusplus libeigen3 gemmi libfast-float librandom123
                    nlohmann-json3 libcxxopts libvkfft)
      if(EXISTS /usr/share/doc/${library}-dev/copyright)
        install(FILES /usr/share/doc/${library}-dev/copyright DESTINATION dropmd/licences RENAME ${library}
                COMPONENT python EXCLUDE_FROM_ALL)
      endif()
    endforeach()
  endif()
endfunction()
