#pragma once

#include <cstdint>
#include <memory>

#include "core/vec3.h"

namespace dropmd {

/// The atoms of a simulation in the memory of a GPU, fp64, by storage index: a spatial order that changes from time to
/// time. The steps work in this memory, so its values change with them. It must not be written to.
struct DeviceArrays {
  int device = 0;  ///< CUDA device number
  std::uint32_t n_atoms = 0;
  const Vec3<double>* position = nullptr;     ///< [n_atoms][3] length
  const Vec3<double>* velocity = nullptr;     ///< [n_atoms][3] length/time
  const std::uint32_t* host_index = nullptr;  ///< [n_atoms] index in Particles
  /// Keeps the memory, even when the simulation goes on in another, as after a change of the population.
  std::shared_ptr<const void> owner{};
};

}  // namespace dropmd
