# Targets dropmd_gsd (the GSD library) and dropmd_xdr (of chemfiles, the codec of XTC coordinates): static libraries
# whose sources are fetched from PyPI, or empty ones where they cannot be. Targets that link them see DROPMD_HAS_GSD and
# DROPMD_HAS_XDR, 0 or 1. FETCHCONTENT_SOURCE_DIR_GSD and FETCHCONTENT_SOURCE_DIR_CHEMFILES name sources that are
# already here.
include(FetchContent)

# Unpacks the archive of a library. Sets <name>_SOURCE_DIR, which is empty if it can be neither found nor downloaded.
function(dropmd_fetch name url sha256)
  string(TOUPPER ${name} upper)
  set(${name}_SOURCE_DIR "" PARENT_SCOPE)
  if(DROPMD_TRAJECTORIES STREQUAL OFF)
    return()
  endif()
  if(FETCHCONTENT_SOURCE_DIR_${upper})
    set(${name}_SOURCE_DIR ${FETCHCONTENT_SOURCE_DIR_${upper}} PARENT_SCOPE)
    return()
  endif()
  get_filename_component(archive ${url} NAME)
  set(archive ${PROJECT_BINARY_DIR}/_deps/${archive})
  # FetchContent itself would end the configuration if there were no network.
  set(found "")
  if(EXISTS ${archive})
    file(SHA256 ${archive} found)
  endif()
  if(NOT found STREQUAL sha256 AND NOT FETCHCONTENT_FULLY_DISCONNECTED)
    file(DOWNLOAD ${url} ${archive} STATUS status INACTIVITY_TIMEOUT 20 TIMEOUT 120)
    if(EXISTS ${archive})
      file(SHA256 ${archive} found)
    endif()
  endif()
  if(NOT found STREQUAL sha256)
    if(DROPMD_TRAJECTORIES STREQUAL ON)
      message(FATAL_ERROR "DROPMD_TRAJECTORIES=ON, but ${url} cannot be downloaded: ${status} (unpack it elsewhere and "
                          "set FETCHCONTENT_SOURCE_DIR_${upper} to its folder)")
    endif()
    return()
  endif()
  # The archive is only unpacked: the folder named as SOURCE_SUBDIR has no CMakeLists.txt.
  FetchContent_Declare(${name} URL ${archive} URL_HASH SHA256=${sha256} DOWNLOAD_EXTRACT_TIMESTAMP ON SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(${name})
  set(${name}_SOURCE_DIR ${${name}_SOURCE_DIR} PARENT_SCOPE)
endfunction()

# An empty library for one that is missing, so that others can link its name.
function(dropmd_without library macro)
  add_library(${library} INTERFACE)
  target_compile_definitions(${library} INTERFACE $<BUILD_INTERFACE:${macro}=0>)
endfunction()

dropmd_fetch(gsd
  https://files.pythonhosted.org/packages/22/16/b5298275654ab1da04e6283e6274fa9751ea0d5be36933c4e37502fda4a4/gsd-5.0.1.tar.gz
  c072d1ee934864d618039f3e7448bc79f31fe1a0f1fabfdb9cd4143a7ab2376b)
if(gsd_SOURCE_DIR)
  add_library(dropmd_gsd STATIC ${gsd_SOURCE_DIR}/gsd/gsd.c)
  if(CMAKE_CXX_VISIBILITY_PRESET)
    set_target_properties(dropmd_gsd PROPERTIES C_VISIBILITY_PRESET ${CMAKE_CXX_VISIBILITY_PRESET})
  endif()
  target_include_directories(dropmd_gsd SYSTEM INTERFACE $<BUILD_INTERFACE:${gsd_SOURCE_DIR}/gsd>)
  target_compile_definitions(dropmd_gsd INTERFACE $<BUILD_INTERFACE:DROPMD_HAS_GSD=1>)
  message(STATUS "GSD: ${gsd_SOURCE_DIR}")
else()
  dropmd_without(dropmd_gsd DROPMD_HAS_GSD)
  message(STATUS "GSD: none; trajectories in .gsd need it (DROPMD_TRAJECTORIES=ON says what is missing)")
endif()

dropmd_fetch(chemfiles
  https://files.pythonhosted.org/packages/c2/51/35538663b6384add778945735478da66b7c3095649654325d001922f30f8/chemfiles-0.10.4.tar.gz
  f9e5ece3fcc8b63fdc2708d4ecc2ba5862ae2ab6790447bffc10c1b34ef2f445)
if(chemfiles_SOURCE_DIR)
  set(root ${chemfiles_SOURCE_DIR}/lib)
  # The whole library takes 5 minutes to compile, these files 12 seconds.
  add_library(dropmd_xdr STATIC ${root}/src/files/XDRFile.cpp ${root}/src/files/BinaryFile.cpp ${root}/src/UnitCell.cpp
                                ${root}/src/warnings.cpp)
  # What chemfiles' own CMakeLists.txt writes.
  set(CHEMFILES_VERSION_MAJOR 0)
  set(CHEMFILES_VERSION_MINOR 10)
  set(CHEMFILES_VERSION_PATCH 4)
  set(CHEMFILES_VERSION 0.10.4)
  set(CHFL_HAS_THREAD_LOCAL 1)
  set(generated ${PROJECT_BINARY_DIR}/generated/chemfiles/include)
  configure_file(${root}/include/chemfiles/config.in.h ${generated}/chemfiles/config.h)
  file(CONFIGURE OUTPUT ${generated}/chemfiles/exports.h CONTENT "#pragma once\n#define CHFL_EXPORT\n")
  target_include_directories(dropmd_xdr SYSTEM PUBLIC $<BUILD_INTERFACE:${root}/include> $<BUILD_INTERFACE:${generated}>)
  # Its format strings are not constants, as fmt requires in C++20. Its assertions are not meant as checks of files.
  set_target_properties(dropmd_xdr PROPERTIES CXX_STANDARD 17)
  target_compile_definitions(dropmd_xdr PRIVATE NDEBUG INTERFACE $<BUILD_INTERFACE:DROPMD_HAS_XDR=1>)
  target_link_libraries(dropmd_xdr PRIVATE fmt::fmt)
  message(STATUS "XTC codec: ${chemfiles_SOURCE_DIR}")
else()
  dropmd_without(dropmd_xdr DROPMD_HAS_XDR)
  message(STATUS "XTC codec: none; trajectories in .xtc need it (DROPMD_TRAJECTORIES=ON says what is missing)")
endif()

foreach(library gsd chemfiles)
  if(${library}_SOURCE_DIR)
    install(FILES ${${library}_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.${library}
            COMPONENT library)
    install(FILES ${${library}_SOURCE_DIR}/LICENSE DESTINATION dropmd RENAME LICENSE.${library}
            COMPONENT python EXCLUDE_FROM_ALL)
  endif()
endforeach()

# So that a sanitizer sees what they read of forged files.
foreach(library dropmd_gsd dropmd_xdr)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL STATIC_LIBRARY AND DROPMD_SANITIZE STREQUAL thread)
    target_compile_options(${library} PRIVATE -fsanitize=thread)
  elseif(type STREQUAL STATIC_LIBRARY AND DROPMD_SANITIZE)
    target_compile_options(${library} PRIVATE -fsanitize=address)
  endif()
endforeach()
