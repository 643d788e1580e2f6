#pragma once

#include <cstdint>

#include "core/macros.h"

namespace dropmd {

/// The part of a run's work that one of several GPUs performs. The units of work, such as tiles, are those of a run on
/// one GPU, so that the rounding of their results does not depend on the number of GPUs.
struct WorkShare {
  std::uint32_t rank = 0;  ///< of the GPU, from 0
  std::uint32_t size = 1;  ///< number of GPUs
  /// Where the consecutive units of each GPU begin, in parts of kWhole: [size + 1], 0 first and kWhole last; null: all
  /// have equally many. In the memory of this GPU.
  const std::uint32_t* bounds = nullptr;

  static constexpr std::uint32_t kWhole = 1U << 20U;

  /// Whether this GPU performs a unit, when each one performs consecutive units: neighbours in space.
  DROPMD_HOST_DEVICE bool has(std::uint32_t unit, std::uint32_t n_units) const {
    return size == 1 || (unit >= begin(rank, n_units) && unit < begin(rank + 1, n_units));
  }
  /// Returns the first of these units, and the one after the last.
  DROPMD_HOST_DEVICE std::uint32_t first(std::uint32_t n_units) const { return begin(rank, n_units); }
  DROPMD_HOST_DEVICE std::uint32_t end(std::uint32_t n_units) const { return begin(rank + 1, n_units); }
  /// Returns the number of units if GPUs take turns: this one performs `rank`, `rank` + `size` and so on, which are
  /// turn(0), turn(1), ...
  DROPMD_HOST_DEVICE std::uint32_t turns(std::uint32_t n_units) const { return (n_units + size - 1 - rank) / size; }
  DROPMD_HOST_DEVICE std::uint32_t turn(std::uint32_t k) const { return k * size + rank; }

 private:
  DROPMD_HOST_DEVICE std::uint32_t begin(std::uint32_t of, std::uint32_t n_units) const {
    if (bounds != nullptr) return static_cast<std::uint32_t>(std::uint64_t{n_units} * bounds[of] / kWhole);
    return static_cast<std::uint32_t>(std::uint64_t{n_units} * of / size);
  }
};

}  // namespace dropmd
