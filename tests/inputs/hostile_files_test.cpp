#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/fuzz/hostile_readings.h"
#include "tests/fuzz/large_files.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/held_memory.h"

/// What the fuzz targets check, without a fuzzer: with their seeds, with the cases that they have found, and with large
/// files.
namespace dropmd {
namespace {

namespace fs = std::filesystem;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Cost {
  std::size_t bytes = 0;
  double seconds = 0;
};

/// Reads a file of these bytes and expects that it is read, or refused properly.
Cost cost_of(const HostileReading& reading, const std::string& bytes) {
  const MemoryFile file(bytes);
  const HeldMemory memory;
  const double begin = cpu_seconds();
  EXPECT_EQ(fault_of(reading, file.path()), "");
  return {memory.most(), cpu_seconds() - begin};
}

struct Case {
  const HostileReading* reading;
  fs::path file;
};

/// The seeds of all readers and the cases that were found.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const HostileReading& reading : kHostileReadings)
    for (const char* kind : {"fuzz", "found"}) {
      const fs::path folder = fs::path(DROPMD_SOURCE_DIR) / "tests/data" / kind / reading.name;
      if (!fs::exists(folder)) continue;
      for (const fs::directory_entry& entry : fs::directory_iterator(folder)) cases.push_back({&reading, entry.path()});
    }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.file < b.file; });
  return cases;
}

TEST(HostileFiles, SeedsAndFoundCasesAreReadOrRefused) {
  constexpr double kSeconds = 2;  // a hundred times what the slowest file takes
  std::size_t n_seen = 0;
  for (const Case& one : all_cases()) {
    SCOPED_TRACE(one.file);
    const std::string bytes = one.reading->file_of(read_text(one.file));
    const Cost cost = cost_of(*one.reading, bytes);
    EXPECT_LE(cost.bytes, one.reading->bytes_per_byte * bytes.size() + one.reading->fixed_bytes);
    EXPECT_LT(cost.seconds, kSeconds);
    ++n_seen;
  }
  EXPECT_GE(n_seen, 15U) << "the folders of cases are where they were";
}

/// A fuzzer whose seeds are refused at once finds little.
TEST(HostileFiles, SeedsOfCheckpointsAreRead) {
  for (const Case& one : all_cases()) {
    if (one.file.parent_path() != fs::path(DROPMD_SOURCE_DIR) / "tests/data/fuzz/checkpoint") continue;
    SCOPED_TRACE(one.file);
    const MemoryFile file(one.reading->file_of(read_text(one.file)));
    const Checkpoint checkpoint = read_checkpoint(file.path());
    EXPECT_EQ(checkpoint.map.has_value(), one.file.filename() == "map-image");
    EXPECT_TRUE(checkpoint.state.device.host_index.empty()) << "they are of versions whose force sums have no scale";
  }
}

class LargeHostileFile : public testing::TestWithParam<LargeFile> {};

/// Reading sixteen times the bytes should take sixteen times as long. A quadratic reader would take 256 times as long.
/// The limit of 64 lies between, so that a machine under load may be four times slower meanwhile. Times below a second
/// are not judged: the quadratic readers that were found took from 7 s to more than 20 s for these bytes.
TEST_P(LargeHostileFile, TakesTimeAndMemoryInProportion) {
  constexpr double kMostTimes = 64, kShortest = 1;
  constexpr std::size_t kLarge = std::size_t{1} << 20U, kMargin = 256;
  const HostileReading& reading = hostile_reading(GetParam().reading);
  const auto least_cost = [&](const std::string& text) {
    Cost least = cost_of(reading, text);
    for (int k = 0; k < 2 && least.seconds > kShortest; ++k)
      least.seconds = std::min(least.seconds, cost_of(reading, text).seconds);
    EXPECT_LE(least.bytes, reading.bytes_per_byte * text.size() + reading.fixed_bytes);
    return least;
  };
  const double few = least_cost(GetParam().text(kLarge / 16 - kMargin)).seconds;
  const double many = least_cost(GetParam().text(kLarge - kMargin)).seconds;
  EXPECT_LT(many, std::max(kShortest, kMostTimes * few));
}

INSTANTIATE_TEST_SUITE_P(Table, LargeHostileFile, testing::ValuesIn(kLargeFiles),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace dropmd
