#pragma once

#include "app/command.h"

namespace dropmd {

/// Adds the options of `dropmd generate water` that no other structure has.
void add_water_options(OptionTable& options);

/// Implements `dropmd generate water`: writes a droplet of water with ions to the .gro file of -o, and its GROMACS
/// topology beside it.
ExitStatus write_water_files(const GivenOptions& options, Streams& streams);

}  // namespace dropmd
