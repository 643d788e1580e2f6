# dropmd_add_room(<room> [ROOMS ...] [PUBLIC ...] [PRIVATE ...] [EXCLUDE file...] [PRECOMPILE header...])
#
# The library dropmd_<room> of <room>/*.cpp and, with CUDA, <room>/*.cu; without CUDA *_no_cuda.cpp stand in for the
# latter. ROOMS: the rooms it may include; PUBLIC, PRIVATE: other libraries. A folder with headers only becomes an
# interface library. PRECOMPILE: headers that most files there include, directly or not; for rooms of many files. A file
# still includes what it uses: clang-tidy reads it without them.
function(dropmd_add_room room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ROOMS;PUBLIC;PRIVATE;EXCLUDE;PRECOMPILE")
  file(GLOB sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${room}/*.cpp)
  if(DROPMD_HAS_CUDA)
    file(GLOB cuda_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${room}/*.cu)
    list(FILTER sources EXCLUDE REGEX "_no_cuda\\.cpp$")
    list(APPEND sources ${cuda_sources})
  endif()
  if(sources AND arg_EXCLUDE)
    list(REMOVE_ITEM sources ${arg_EXCLUDE})
  endif()

  list(TRANSFORM arg_ROOMS PREPEND dropmd_)
  if(sources)
    add_library(dropmd_${room} STATIC ${sources})
    target_link_libraries(dropmd_${room} PUBLIC ${arg_ROOMS} ${arg_PUBLIC} PRIVATE dropmd_flags ${arg_PRIVATE})
    if(arg_PRECOMPILE)
      list(TRANSFORM arg_PRECOMPILE REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
      target_precompile_headers(dropmd_${room} PRIVATE ${arg_PRECOMPILE})
    endif()
  else()
    add_library(dropmd_${room} INTERFACE)
    target_link_libraries(dropmd_${room} INTERFACE ${arg_ROOMS} ${arg_PUBLIC})
  endif()
endfunction()
