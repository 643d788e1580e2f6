#pragma once

/// Marks a function that is compiled for the host and, by nvcc, for the device too.
#if defined(__CUDACC__)
#define DROPMD_HOST_DEVICE __host__ __device__
#else
#define DROPMD_HOST_DEVICE
#endif
