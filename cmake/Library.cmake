# What `cmake --install --component library` installs: the rooms below the program as static libraries, their headers,
# and the package that find_package(dropmd) finds, with the target dropmd::dropmd (docs/library.md).
include(CMakePackageConfigHelpers)

set(library_rooms core device sort neighbor forces maps integrators inputs outputs engine)
set(library_includes ${CMAKE_INSTALL_INCLUDEDIR}/dropmd)
set(library_package ${CMAKE_INSTALL_LIBDIR}/cmake/dropmd)

# Every room links core, so core passes the include directory to all of them.
target_include_directories(dropmd_core INTERFACE $<INSTALL_INTERFACE:${library_includes}>)
target_compile_features(dropmd_core INTERFACE cxx_std_20)
if(DROPMD_HAS_CUDA)
  # Device code needs no link step of its own, as no kernel calls functions of another file. Where CUDA is an enabled
  # language, CMake adds the runtime by itself, but a C++ program that uses the library need not enable it.
  target_link_libraries(dropmd_device INTERFACE $<INSTALL_INTERFACE:CUDA::cudart_static>)
endif()

add_library(dropmd_library INTERFACE)
target_link_libraries(dropmd_library INTERFACE dropmd_engine)
set_target_properties(dropmd_library PROPERTIES EXPORT_NAME dropmd)

foreach(room IN LISTS library_rooms)
  set_target_properties(dropmd_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS dropmd_${room} EXPORT dropmdTargets COMPONENT library)
  install(DIRECTORY ${room} DESTINATION ${library_includes} COMPONENT library
          FILES_MATCHING PATTERN *.h PATTERN *.cuh PATTERN samples EXCLUDE)
endforeach()
foreach(library gsd xdr)
  set_target_properties(dropmd_${library} PROPERTIES EXPORT_NAME ${library})
  install(TARGETS dropmd_${library} EXPORT dropmdTargets COMPONENT library)
endforeach()
install(TARGETS dropmd_library EXPORT dropmdTargets COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/generated/core/version.h DESTINATION ${library_includes}/core COMPONENT library)

configure_package_config_file(cmake/dropmdConfig.cmake.in dropmdConfig.cmake INSTALL_DESTINATION ${library_package}
                              NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change what programs use.
write_basic_package_version_file(dropmdConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT dropmdTargets NAMESPACE dropmd:: DESTINATION ${library_package} COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/dropmdConfig.cmake ${PROJECT_BINARY_DIR}/dropmdConfigVersion.cmake
              cmake/FindRandom123.cmake
        DESTINATION ${library_package} COMPONENT library)
