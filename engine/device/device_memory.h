#pragma once

#include <cstdint>

#include "engine/methods/method.h"
#include "engine/model/system.h"

/// Bytes of device memory that a run needs by each of the methods; 0 in a build without CUDA.
namespace dropmd {

/// Of what these say: context, code and graphs.
inline constexpr std::uint64_t kFixedDeviceBytes = 256ULL << 20U;

std::uint64_t all_pairs_bytes(const System& system, const Method& method);
std::uint64_t cells_bytes(const System& system, const Method& method);
std::uint64_t sorted_cells_bytes(const System& system, const Method& method);
/// Of a liquid with 500 neighbours an atom.
std::uint64_t pair_list_bytes(const System& system, const Method& method);

}  // namespace dropmd
