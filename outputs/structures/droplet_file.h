#pragma once

#include <string_view>

#include "core/particles.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// Writes a droplet file: title, number of atoms, radius, then `x y z q` per line, as the shortest decimals that
/// reproduce the same doubles. Particles without charges get zeros. Line ends in the title become spaces. `radius` must
/// be positive, or readers reject the file.
void write_droplet(FileWriter& writer, std::string_view title, double radius, const Particles& particles);

}  // namespace dropmd
