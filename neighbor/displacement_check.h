#pragma once

#include <cstdint>

#include "core/vec3.h"

/// A search for neighbours on a GPU (a pair list, cells in order) serves until an atom has come too far from where it
/// was when the search was made.
namespace dropmd {

/// What happened to a search. In device memory; each kind of search has more to say behind it.
struct SearchState {
  std::uint64_t stale_at;  ///< differs from built_at when atoms have moved too far since the search was made
  std::uint64_t built_at;
  std::uint64_t n_pairs;  ///< whose distance is computed, each once
  std::uint32_t filling;  ///< what was counted is to be filled in
  std::uint32_t full;     ///< there was no room: the search must not be used

#if defined(__CUDACC__)
  __device__ bool stale() const { return stale_at != built_at; }
  __device__ bool usable() const { return stale_at == built_at && full == 0; }
#endif
};

/// What those who move the atoms know of a search; all null where there is none.
struct DisplacementCheck {
  const Vec3<double>* reference;  ///< [n_atoms] positions when the search was made
  SearchState* state;
  double max_move2;  ///< squared: an atom that has moved farther since makes the search stale
};

}  // namespace dropmd
