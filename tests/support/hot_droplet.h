#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/system/app_folder.h"

namespace dropmd {

/// Writes hot.toml: a droplet that evaporates on a GPU, so that neighbour structures are rebuilt and grow. neighbor:
/// lines of [neighbor].
inline void write_hot_droplet(const AppFolder& folder, const std::string& neighbor) {
  ASSERT_EQ(folder.run("dropmd generate droplet -q --force --atoms 1000 --disorder 0.05 -o hot.drop").status, 0);
  folder.write("hot.toml",
               "units = \"real\"\n[system]\nstructure = \"hot.drop\"\nmass = 20\ntemperature = 3000\n"
               "[lennard-jones]\nepsilon = 0.2\nr-min = 2.5\ncutoff = 9\n[engine]\nbackend = \"cuda\"\n[neighbor]\n" +
                   neighbor +
                   "[integrator]\ntimestep = 1\n[run]\nsteps = 3000\n"
                   "[output]\nenergy-every = 100\ntrajectory-every = 200\ncheckpoint-every = 200\n");
}

}  // namespace dropmd
