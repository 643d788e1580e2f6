# Writes "core/version.h" in the build tree. The commit is that of the latest configure; a new commit causes one.
set(DROPMD_COMMIT unknown)
find_package(Git QUIET)
if(Git_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    set(DROPMD_COMMIT ${commit})
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --path-format=absolute --git-path logs/HEAD
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE head_log ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(EXISTS "${head_log}")
      set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${head_log})
    endif()
  endif()
endif()

set(DROPMD_COMPILER "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
set(DROPMD_HAS_CUDA_TEXT false)
set(DROPMD_CUDA_ARCHITECTURES_TEXT "")
if(DROPMD_HAS_CUDA)
  set(DROPMD_HAS_CUDA_TEXT true)
  list(JOIN CMAKE_CUDA_ARCHITECTURES ", " DROPMD_CUDA_ARCHITECTURES_TEXT)
endif()
configure_file(core/version.h.in generated/core/version.h @ONLY)
