#pragma once

#include <filesystem>
#include <span>

#include "core/vec3.h"

namespace dropmd {

/// Writes `atom,fx,fy,fz` atomically: one row per atom, atoms from 1 in the order of `forces`, 17 significant digits,
/// forces in energy/length of the run's units. Throws OutputError.
void write_forces_csv(const std::filesystem::path& path, std::span<const Vec3<double>> forces, bool overwrite);

}  // namespace dropmd
