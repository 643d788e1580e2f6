# Packages of Debian 12 and Ubuntu 24.04; scripts/setup.sh installs them. Those that users of the installed library need
# are in dropmdConfig.cmake.in, too.
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt 9 REQUIRED)
find_package(cxxopts REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
find_package(FastFloat REQUIRED)
if(DROPMD_STATIC_LIBRARIES)
  set(HDF5_USE_STATIC_LIBRARIES ON)  # HDF5_ROOT: one of scripts/static_hdf5.sh
endif()
enable_language(C)  # the search for HDF5 needs a C compiler
find_package(HDF5 1.10 REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
find_package(PNG 1.6 REQUIRED)
find_package(pugixml 1.13 REQUIRED)
if(DROPMD_STATIC_LIBRARIES)
  # The others stay shared: Debian's archives of zlib and libpng are not position-independent, and fmt and toml++ have
  # none. They are small, and auditwheel copies them into wheels.
  set_target_properties(pugixml::pugixml PROPERTIES INTERFACE_LINK_LIBRARIES pugixml::static)
endif()
find_package(Random123 REQUIRED)

# Optional: its C interface, which all implementations have.
set(DROPMD_HAS_MPI 0)
if(NOT DROPMD_MPI STREQUAL OFF)
  if(DROPMD_MPI STREQUAL ON)
    find_package(MPI REQUIRED COMPONENTS C)
  else()
    find_package(MPI QUIET COMPONENTS C)
  endif()
  if(MPI_C_FOUND)
    set(DROPMD_HAS_MPI 1)
    message(STATUS "MPI: ${MPI_C_VERSION}")
  else()
    message(STATUS "MPI: not found (libopenmpi-dev); ensembles use one process")
  endif()
endif()

# Only its headers are used; Debian 12 has no CMake file for gemmi.
find_path(GEMMI_INCLUDE_DIR gemmi/ccp4.hpp REQUIRED)
mark_as_advanced(GEMMI_INCLUDE_DIR)
add_library(gemmi_headers INTERFACE IMPORTED)
target_include_directories(gemmi_headers INTERFACE ${GEMMI_INCLUDE_DIR})

# Optional, for the transforms of a mesh on a GPU: a header that writes kernels, which NVRTC compiles at run time. Its
# interface changes with the minor version.
set(DROPMD_HAS_VKFFT 0)
if(DROPMD_HAS_CUDA)
  find_path(VKFFT_INCLUDE_DIR vkFFT.h)
  mark_as_advanced(VKFFT_INCLUDE_DIR)
  set(vkfft_version none)
  if(VKFFT_INCLUDE_DIR)
    file(STRINGS ${VKFFT_INCLUDE_DIR}/vkFFT.h vkfft_version REGEX "return 1[0-9][0-9][0-9][0-9].*format")
  endif()
  if(vkfft_version MATCHES "return 102([0-9][0-9])")
    set(DROPMD_HAS_VKFFT 1)
    message(STATUS "VkFFT: 1.2.${CMAKE_MATCH_1}")
  elseif(VKFFT_INCLUDE_DIR)
    message(STATUS "VkFFT: not version 1.2, which is needed; meshes on a GPU will use cuFFT")
  else()
    message(STATUS "VkFFT: not found (libvkfft-dev); meshes on a GPU will use cuFFT, which is slower")
  endif()
endif()
add_library(vkfft_headers INTERFACE IMPORTED)
if(DROPMD_HAS_VKFFT)
  target_include_directories(vkfft_headers INTERFACE ${VKFFT_INCLUDE_DIR})
endif()
