#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/system/app_folder.h"

/// Helpers of the tests of `dropmd bench` and of the scripts next to it.
namespace dropmd {

using Json = nlohmann::ordered_json;

/// A run that gives one row: 64 charged atoms without cutoffs, all pairs.
inline void write_small_run(const AppFolder& folder) {
  EXPECT_EQ(folder.run("dropmd generate droplet --atoms 64 --disorder 0.05 -o small.drop -q").status, 0);
  folder.write("small.toml",
               "units = \"real\"\n[system]\nstructure = \"small.drop\"\nmass = 20\ntemperature = 100\n"
               "[lennard-jones]\nepsilon = 0.2\nr-min = 2.5\n[coulomb]\nform = \"exact\"\n"
               "[integrator]\ntimestep = 0.5\n[engine]\nbackend = \"cpu\"\nthreads = 1\nprecision = \"double\"\n");
}

}  // namespace dropmd
