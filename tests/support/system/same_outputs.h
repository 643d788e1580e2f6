#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/system/app_folder.h"

namespace dropmd {

/// Expects that the outputs of two runs have the same bytes, except for those that name the folder or the time. Each of
/// the runs must have energies and a trajectory; the others are compared if either run has them.
inline void expect_same_outputs(const AppFolder& folder, const std::string& a, const std::string& b) {
  for (const char* const needed : {"/energy.csv", "/trajectory.xyz"})
    EXPECT_TRUE(folder.has(a + needed) && !folder.text(a + needed).empty()) << a << needed;
  for (const char* const file : {"/energy.csv", "/trajectory.xyz", "/ledger.csv", "/final.xyz"}) {
    ASSERT_EQ(folder.has(a + file), folder.has(b + file)) << a << ' ' << b << file;
    if (!folder.has(a + file)) continue;
    EXPECT_TRUE(folder.text(a + file) == folder.text(b + file)) << a << ' ' << b << file;
  }
}

}  // namespace dropmd
