#pragma once

#include "core/run/map_grid.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// Writes the potential as an MRC (CCP4) map: mode 2, values rounded to fp32, x fastest, a cell of points · spacing,
/// labels with title and units. If the origin is a whole number of spacings along each axis, NXSTART to NZSTART contain
/// it, which every reader understands; otherwise ORIGIN does. They are never both set: some readers add them. Throws
/// OutputError for a value that fp32 cannot hold.
void write_mrc_map(FileWriter& writer, const PotentialMap& map);

}  // namespace dropmd
