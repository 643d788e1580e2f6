# Packages of Debian 12 and Ubuntu 24.04; scripts/setup.sh installs them. Those that users of the installed library need
# are in dropmdConfig.cmake.in, too.
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt 9 REQUIRED)
find_package(cxxopts REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
find_package(FastFloat REQUIRED)
enable_language(C)  # the search for HDF5 needs a C compiler
find_package(HDF5 1.10 REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
find_package(PNG 1.6 REQUIRED)
find_package(Random123 REQUIRED)

# Only its headers are used; Debian 12 has no CMake file for gemmi.
find_path(GEMMI_INCLUDE_DIR gemmi/ccp4.hpp REQUIRED)
mark_as_advanced(GEMMI_INCLUDE_DIR)
add_library(gemmi_headers INTERFACE IMPORTED)
target_include_directories(gemmi_headers INTERFACE ${GEMMI_INCLUDE_DIR})
