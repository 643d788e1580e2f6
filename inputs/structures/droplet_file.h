#pragma once

#include <filesystem>

#include "inputs/structures/structure.h"

namespace dropmd {

/// Reads a droplet file, the format of the 2009 program simple_md_gpu: a title, the number of atoms n, the droplet's
/// radius, then n lines `x y z q`; blank lines may follow. There is one species, named "X". Throws InputError with
/// FILE:LINE:COLUMN. n is checked against the file's size before memory is allocated.
Structure read_droplet_file(const std::filesystem::path& path);

}  // namespace dropmd
