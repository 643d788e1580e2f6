#pragma once

#include <cstdint>

namespace dropmd {

/// What the random numbers of `generate water` are for: their blocks (core/philox.h). uniform_vec3() takes two.
enum WaterBlock : std::uint32_t {
  kEqualDistances = 0,
  kDisorder = 1,       ///< a block of uniform_vec3()
  kOrientation = 2,    ///< a block of uniform_vec3()
  kFirstRotation = 16  ///< this and all that follow
};

}  // namespace dropmd
