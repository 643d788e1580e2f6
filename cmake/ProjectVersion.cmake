# Sets DROPMD_RELEASE (0.1.0), DROPMD_VERSION and DROPMD_DEBIAN_VERSION (with the commits since) and DROPMD_COMMIT, as of
# the latest configure; a new commit, tag or release causes one. scripts/version.sh knows how they are made.
execute_process(COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/scripts/version.sh release version debian commit
                RESULT_VARIABLE failed OUTPUT_VARIABLE lines ERROR_VARIABLE errors OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
  message(FATAL_ERROR "scripts/version.sh failed: ${errors}")
endif()
string(REPLACE "\n" ";" lines "${lines}")
list(GET lines 0 DROPMD_RELEASE)
list(GET lines 1 DROPMD_VERSION)
list(GET lines 2 DROPMD_DEBIAN_VERSION)
list(GET lines 3 DROPMD_COMMIT)

set(version_sources ${CMAKE_CURRENT_SOURCE_DIR}/CITATION.cff ${CMAKE_CURRENT_SOURCE_DIR}/scripts/version.sh)
find_package(Git QUIET)
if(Git_FOUND AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.git)
  foreach(name logs/HEAD refs/tags packed-refs)
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --path-format=absolute --git-path ${name}
                    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(EXISTS "${path}")
      list(APPEND version_sources ${path})
    endif()
  endforeach()
endif()
set_property(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${version_sources})
