#pragma once

#include <cstdint>

namespace dropmd {

/// The blocks (core/philox.h) of the random numbers of `generate water`, by purpose. uniform_vec3() takes two.
enum WaterBlock : std::uint32_t {
  kEqualDistances = 0,
  kDisorder = 1,       ///< a block of uniform_vec3()
  kOrientation = 2,    ///< a block of uniform_vec3()
  kFirstRotation = 16  ///< this and all that follow
};

}  // namespace dropmd
