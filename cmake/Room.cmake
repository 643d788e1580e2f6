# dropmd_add_room(<room> [ROOMS ...] [PUBLIC ...] [PRIVATE ...] [HEADERS ...] [EXCLUDE file...])
#
# The library dropmd_<room> of the .cpp files in <room> and its folders and, with CUDA, the .cu files; without CUDA,
# *_no_cuda.cpp replace the latter. ROOMS: the rooms it may include; PUBLIC, PRIVATE: other libraries; HEADERS: private
# libraries that are only headers, which users of the installed library do not need. A folder with headers only becomes
# an interface library.
function(dropmd_add_room room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ROOMS;PUBLIC;PRIVATE;HEADERS;EXCLUDE")
  file(GLOB_RECURSE sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${room}/*.cpp)
  if(DROPMD_HAS_CUDA)
    file(GLOB_RECURSE cuda_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${room}/*.cu)
    list(FILTER sources EXCLUDE REGEX "_no_cuda\\.cpp$")
    list(APPEND sources ${cuda_sources})
  endif()
  if(sources AND arg_EXCLUDE)
    list(REMOVE_ITEM sources ${arg_EXCLUDE})
  endif()

  list(TRANSFORM arg_ROOMS PREPEND dropmd_)
  if(sources)
    add_library(dropmd_${room} STATIC ${sources})
    target_link_libraries(dropmd_${room}
      PUBLIC ${arg_ROOMS} ${arg_PUBLIC} PRIVATE "$<BUILD_INTERFACE:dropmd_flags;${arg_HEADERS}>" ${arg_PRIVATE})
    # What nearly every file includes; it takes up to half of the time of a short one. A room with few files gains
    # nothing.
    list(LENGTH sources n_sources)
    if(n_sources GREATER 12)
      set(precompiled <algorithm> <cmath> <cstdint> <filesystem> <functional> <memory> <optional> <span> <string>
                      <string_view> <vector>)
      if("fmt::fmt" IN_LIST arg_PRIVATE)
        list(APPEND precompiled <fmt/core.h>)
      endif()
      list(TRANSFORM precompiled REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
      target_precompile_headers(dropmd_${room} PRIVATE ${precompiled})
    endif()
  else()
    add_library(dropmd_${room} INTERFACE)
    target_link_libraries(dropmd_${room} INTERFACE ${arg_ROOMS} ${arg_PUBLIC})
  endif()
endfunction()
