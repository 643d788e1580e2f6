#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "device/memory_use.h"
#include "engine/device/device_memory.h"
#include "engine/methods/catalogue.h"
#include "tests/support/short_run.h"

namespace dropmd {

/// An estimate may exceed what a run takes by this factor: on an H200 it was 0.96 to 1.06 times as large, up to 1.25
/// for lists, which are shorter in droplets than in the liquid of the estimate, and up to 1.35 for small cells.
inline constexpr double kMostEstimated = 1.5;

/// Makes a run on a GPU and expects the estimate to bound the device memory that it takes from above, within that
/// factor. The run covers the start, energies and observed states, every 50 steps, and the rebuilding of lists or
/// cells. A measurement is in the test's properties (--gtest_output=json:FILE).
inline void expect_memory_as_estimated(System& system, const RunConfig& config, const Method& method) {
  MemoryUse& use = device_memory_use();
  const std::uint64_t before = use.now(), estimated = device_bytes(system, method) - kFixedDeviceBytes;
  use.reset_most();
  int observed = 0;
  run_short(
      system, config, method, 50, [&](const Snapshot&) { ++observed; }, never_stop, 50);
  const std::uint64_t measured = use.most() - before;
  const auto n_atoms = static_cast<double>(system.particles.size());
  const double ratio = static_cast<double>(estimated) / static_cast<double>(measured);
  testing::Test::RecordProperty("atoms", std::to_string(system.particles.size()));
  testing::Test::RecordProperty("measured_bytes_per_atom", std::to_string(static_cast<double>(measured) / n_atoms));
  testing::Test::RecordProperty("estimated_bytes_per_atom", std::to_string(static_cast<double>(estimated) / n_atoms));
  testing::Test::RecordProperty("estimated_over_measured", std::to_string(ratio));
  SCOPED_TRACE(std::to_string(system.particles.size()) + " atoms: measured " + std::to_string(measured) +
               " bytes, estimated " + std::to_string(estimated) + " and at most " + std::to_string(kFixedBufferBytes) +
               " for any number of atoms; estimated over measured: " + std::to_string(ratio));
  EXPECT_GT(observed, 0);
  EXPECT_LE(measured, estimated + kFixedBufferBytes);
  EXPECT_LE(ratio, kMostEstimated);
  EXPECT_GE(measured, 200 * system.particles.size()) << "not all is counted";
  EXPECT_EQ(use.now(), before) << "a run leaves nothing behind";
}

}  // namespace dropmd
