# Target dropmd_flags: how this project's own files are compiled. DROPMD_INSTRUCTION_SET is for core/version.h.
add_library(dropmd_flags INTERFACE)

set(DROPMD_INSTRUCTION_SET baseline)
set(cpu_flags)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  if(DROPMD_CPU STREQUAL v3)
    set(cpu_flags -march=x86-64-v3)
    set(DROPMD_INSTRUCTION_SET x86-64-v3)
  elseif(DROPMD_CPU STREQUAL native)
    set(cpu_flags -march=native)
    set(DROPMD_INSTRUCTION_SET native)
  elseif(NOT DROPMD_CPU STREQUAL baseline)
    message(FATAL_ERROR "DROPMD_CPU=${DROPMD_CPU}: use v3, native or baseline")
  endif()
endif()

# The first two change no result, since errno and floating-point traps are not used. Without contraction, a
# multiplication and an addition become one instruction only where the source says lane_fma. So the same expression is
# rounded the same way in every kernel, with and without energies.
set(math_flags -fno-math-errno -fno-trapping-math -ffp-contract=off)

# The last two are clang-tidy's modernize-use-nullptr and -override, which take much longer to find the same.
set(warning_flags -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Wzero-as-null-pointer-constant -Wsuggest-override)

# What nvcc makes of a .cu file for the host compiler has line directives that are an extension, and its headers' default
# arguments have 0 for a null pointer.
set(cuda_warning_flags ${warning_flags})
list(REMOVE_ITEM cuda_warning_flags -Wpedantic -Wzero-as-null-pointer-constant)

# nvcc passes the same flags to the host compiler; otherwise inline functions would differ between .cpp and .cu files.
# Some warnings, such as those about dangling references, are nvcc's own; device code has only these.
target_compile_options(dropmd_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:${cpu_flags} ${math_flags} ${warning_flags}>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${DROPMD_WERROR}>>:-Werror>
  "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;--fmad=false>"
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${DROPMD_WERROR}>>:-Xcompiler=-Werror;-Werror=all-warnings>")
foreach(flag IN LISTS cpu_flags math_flags cuda_warning_flags)
  target_compile_options(dropmd_flags INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>)
endforeach()
# GPU code that nothing runs is compiled with few optimisations, which takes a third of the time, and the host code
# beside it with fewer than usual, which takes three quarters of the rest.
if(DROPMD_HAS_CUDA AND DROPMD_CUDA_TARGET STREQUAL check AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.9)
  target_compile_options(dropmd_flags INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:--Ofast-compile=max;-O1>")
endif()
target_include_directories(dropmd_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)

# In C++, GCC's -Wconversion does not include this.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(dropmd_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-sign-conversion>)
endif()

# GCC 12 warns about std::string's own concatenation (GCC bug 105651), by the other names where <string> is precompiled.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(dropmd_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>")
endif()

# Flags that programs that link the libraries need, too.
set(DROPMD_INSTRUMENTATION)
if(DROPMD_SANITIZE STREQUAL thread)
  list(APPEND DROPMD_INSTRUMENTATION -fsanitize=thread)
elseif(DROPMD_SANITIZE)
  list(APPEND DROPMD_INSTRUMENTATION -fsanitize=address,undefined)
endif()
if(DROPMD_COVERAGE)
  list(APPEND DROPMD_INSTRUMENTATION --coverage)
endif()
target_compile_options(dropmd_flags INTERFACE ${DROPMD_INSTRUMENTATION})
target_link_options(dropmd_flags INTERFACE ${DROPMD_INSTRUMENTATION})

if(DROPMD_SANITIZE)
  if(NOT DROPMD_SANITIZE STREQUAL thread)
    target_compile_options(dropmd_flags INTERFACE -fno-sanitize-recover=all)
    target_compile_definitions(dropmd_flags INTERFACE _GLIBCXX_ASSERTIONS)
  endif()
  target_compile_options(dropmd_flags INTERFACE -fno-omit-frame-pointer)
endif()
if(DROPMD_FUZZ)
  target_compile_options(dropmd_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
