#pragma once

#include "core/run/map_grid.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// Writes the potential as an OpenDX scalar field, in the part of the format that APBS and VMD read: comment lines with
/// title and units, counts, origin, deltas, values with z fastest, three a line, shortest decimals that give the same
/// doubles back.
void write_opendx(FileWriter& writer, const PotentialMap& map);

}  // namespace dropmd
