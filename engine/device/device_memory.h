#pragma once

#include <cstdint>

#include "engine/methods/method.h"
#include "engine/model/system.h"

/// Estimates of the device memory, in bytes, that a run needs with each of the methods; 0 in a build without CUDA.
namespace dropmd {

/// The part of these estimates for the buffers whose size does not depend on the number of atoms.
inline constexpr std::uint64_t kFixedBufferBytes = 4ULL << 20U;
/// The part for these buffers, the context, code and graphs.
inline constexpr std::uint64_t kFixedDeviceBytes = 256ULL << 20U;

/// Returns the device memory of a run with each method.
std::uint64_t all_pairs_bytes(const System& system, const Method& method);
std::uint64_t cells_bytes(const System& system, const Method& method);
std::uint64_t sorted_cells_bytes(const System& system, const Method& method);
/// Assumes a liquid with 500 neighbours per atom, or water if pairs are excluded, unless the lists are of two-atom
/// clusters.
std::uint64_t pair_list_bytes(const System& system, const Method& method);

}  // namespace dropmd
