#pragma once

#include <cstdint>

#include "core/vec3.h"

/// The displacement check of a neighbour structure on a GPU (a pair list, or cells): the structure is valid until an
/// atom has moved too far from where it was when the structure was built.
namespace dropmd {

/// State of a neighbour structure in device memory; each kind of structure appends its own members.
struct SearchState {
  std::uint64_t stale_at;  ///< differs from built_at if atoms have moved too far since the build
  std::uint64_t built_at;
  std::uint64_t n_pairs;  ///< pairs whose distance is computed, each counted once
  std::uint64_t full;     ///< not 0: the capacity was too small, and the structure must not be used
  std::uint32_t filling;  ///< the counting pass fits, and the structure is to be filled

#if defined(__CUDACC__)
  __device__ bool stale() const { return stale_at != built_at; }
  __device__ bool usable() const { return stale_at == built_at && full == 0; }
#endif
};

/// The data that kernels that move atoms need of a neighbour structure; all null if there is none.
struct DisplacementCheck {
  const Vec3<double>* reference;  ///< [n_atoms] positions at the build, by storage index
  SearchState* state;
  double max_move2;  ///< squared: if an atom has moved farther, the structure is stale
};

}  // namespace dropmd
