# What `cpack -G DEB` makes in a build folder: the program with its man page and completion, as package dropmd, or
# dropmd-cuda where the build has the GPU engine.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dropmd)
set(CPACK_PACKAGE_VERSION ${DROPMD_DEBIAN_VERSION})
set(CPACK_PACKAGE_VENDOR "The dropmd developers")
set(CPACK_INSTALL_CMAKE_PROJECTS ${PROJECT_BINARY_DIR} ${PROJECT_NAME} program /)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake)
set(CPACK_DROPMD_SOURCE_DIR ${PROJECT_SOURCE_DIR})

set(DROPMD_CONTACT "The dropmd developers <dropmd@localhost>" CACHE STRING "Whom packages name as their maintainer")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${DROPMD_CONTACT})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

# Packages of two distributions need different libraries and must not have the same name.
file(STRINGS /etc/os-release os REGEX "^(ID|VERSION_ID)=")
string(REGEX REPLACE ".*VERSION_ID=\"?([0-9.]+).*" "\\1" os_version "${os}")
string(REGEX REPLACE "(^|.*;)ID=\"?([a-z]+).*" "\\2" os_name "${os}")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~${os_name}${os_version})

set(CPACK_DEBIAN_PACKAGE_SUGGESTS python3-matplotlib)
set(processors "It runs on CPUs")
if(DROPMD_HAS_CUDA)
  set(CPACK_DEBIAN_PACKAGE_NAME dropmd-cuda)
  foreach(field CONFLICTS PROVIDES REPLACES)
    set(CPACK_DEBIAN_PACKAGE_${field} dropmd)
  endforeach()
  string(REGEX REPLACE "^([0-9]+)\\.([0-9]+).*" "\\1-\\2" toolkit ${CMAKE_CUDA_COMPILER_VERSION})
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libcufft-${toolkit}, cuda-nvrtc-${toolkit}")
  set(processors "It runs on NVIDIA GPUs, for which the driver is enough, and on CPUs")
endif()
if(DROPMD_INSTRUCTION_SET STREQUAL x86-64-v3)
  string(APPEND processors " with AVX2 and FMA")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "molecular dynamics of droplets and clusters in open space")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"dropmd integrates the motion of atoms and molecules without a periodic box:
charged droplets of electrospray, aerosol particles, evaporation, clusters
in vacuum. Coulomb forces are untruncated or cut, and potential maps can be
made of structures and during runs.
.
${processors}.")
include(CPack)
