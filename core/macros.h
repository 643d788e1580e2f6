#pragma once

/// Marks a function that is compiled for the host and, by nvcc, for the device too.
#if defined(__CUDACC__)
#define DROPMD_HOST_DEVICE __host__ __device__
#else
#define DROPMD_HOST_DEVICE
#endif

/// Marks a function that kernels call instead of inlining it at every use: long code that few runs need. The code
/// around it then stays in the instruction cache. Arguments must be values, which are passed in registers.
#if defined(__CUDACC__)
#define DROPMD_OUTLINED __noinline__
#else
#define DROPMD_OUTLINED
#endif

/// Unrolls the next loop so that arrays it indexes stay in registers. nvcc's pass over host code knows no such pragma.
#if defined(__CUDA_ARCH__) || defined(__clang__)
#define DROPMD_UNROLL _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__CUDACC__)
#define DROPMD_UNROLL _Pragma("GCC unroll 8")
#else
#define DROPMD_UNROLL
#endif
