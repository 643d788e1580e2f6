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

/// Expects the same energies and frames in two folders of outputs.
inline void expect_same_outputs(const AppFolder& folder, const std::string& a, const std::string& b) {
  for (const char* const file : {"/energy.csv", "/trajectory.xyz"}) {
    EXPECT_FALSE(folder.text(a + file).empty()) << a << file;
    EXPECT_TRUE(folder.text(a + file) == folder.text(b + file)) << a << file << " is not that of " << b;
  }
}

}  // namespace dropmd
