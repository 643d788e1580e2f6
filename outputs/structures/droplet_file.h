#pragma once

#include <string_view>

#include "core/particles.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// Writes a droplet file: title, number of atoms, radius, then `x y z q` a line, shortest decimals that give the same
/// doubles back. Particles without charges get zeros. Line ends in the title become spaces. `radius` must be positive,
/// or no reader takes the file.
void write_droplet(FileWriter& writer, std::string_view title, double radius, const Particles& particles);

}  // namespace dropmd
