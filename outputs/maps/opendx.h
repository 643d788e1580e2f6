#pragma once

#include "core/run/map_grid.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// Writes the potential as an OpenDX scalar field, in the subset of the format that APBS and VMD read: comment lines
/// with title and units, counts, origin, deltas, and values with z fastest, three per line, as the shortest decimals
/// that reproduce the same doubles.
void write_opendx(FileWriter& writer, const PotentialMap& map);

}  // namespace dropmd
