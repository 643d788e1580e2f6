#include "outputs/progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace dropmd {
namespace {

/// A run of 1000 steps of 2 fs with a clock that stands still until it is set.
class ProgressTest : public testing::Test {
 protected:
  Progress make(const Units& units, const ProgressOptions& options) {
    return Progress(out_, units, options, [this] { return now_; });
  }
  std::string taken() {
    std::string text = out_.str();
    out_.str("");
    return text;
  }

  double now_ = 1000;
  std::ostringstream out_;
};

const EnergyRow kRow{
    .step = 0, .time = 0, .energies = Energies({{"vdw", -4000.5}, {"coulomb", -200}}, 100), .temperature = 98.76};

TEST_F(ProgressTest, PlainLinesFirstAtOnceThenByTheClockAndTheLastAlways) {
  Progress progress = make(kRealUnits, {.plain_interval = 10, .last_step = 1000});
  progress.set_energies(kRow);
  progress.update(0, 0);
  EXPECT_EQ(taken(), "step 0/1000  t 0 fs  E -4100.5 kcal/mol  T 98.76 K\n");
  now_ = 1009.9;
  progress.update(99, 198);
  EXPECT_EQ(taken(), "");
  now_ = 1010;
  progress.update(100, 200);
  // 100 steps in 10 s: 900 more take 90 s, and 200 fs in 10 s are 1.728 ns per day.
  EXPECT_EQ(taken(), "step 100/1000  t 200 fs  E -4100.5 kcal/mol  T 98.76 K  ETA 0:01:30  10 steps/s  1.728 ns/day\n");
  now_ = 1011;
  progress.finish(1000, 2000);
  EXPECT_EQ(taken().substr(0, 26), "step 1000/1000  t 2000 fs ");
}

TEST_F(ProgressTest, FinishDoesNotRepeatAPlainLine) {
  Progress progress = make(kRealUnits, {.last_step = 0});
  progress.update(0, 0);
  taken();
  progress.finish(0, 0);
  EXPECT_EQ(taken(), "");
}

TEST_F(ProgressTest, ReducedUnitsHaveNoNanosecondsPerDay) {
  Progress progress = make(kLjUnits, {.last_step = 7200});
  now_ = 1002;
  progress.update(2, 0.01);
  EXPECT_EQ(taken(), "step 2/7200  t 0.01 tau  ETA 1:59:58  1 steps/s\n");
}

TEST_F(ProgressTest, ResumedRunCountsItsOwnSteps) {
  Progress progress = make(kLjUnits, {.first_step = 500, .first_time = 5, .last_step = 1000});
  now_ = 1010;
  progress.update(600, 6);
  EXPECT_EQ(taken(), "step 600/1000  t 6 tau  ETA 0:00:40  10 steps/s\n");
}

/// The first step may be much slower than the others.
TEST_F(ProgressTest, TheFirstSecondForetellsNothing) {
  Progress progress = make(kLjUnits, {.terminal = true, .first_step = 500, .last_step = 1000});
  now_ += 0.5;
  progress.update(501, 6);
  EXPECT_EQ(taken().find("ETA"), std::string::npos);
  now_ += 0.5;
  progress.update(510, 6);
  EXPECT_NE(taken().find("ETA 0:00:49"), std::string::npos);
}

TEST_F(ProgressTest, TerminalLineOverwritesItselfFiveTimesASecondAtMost) {
  Progress progress = make(kLjUnits, {.terminal = true, .last_step = 1000});
  int lines = 0;
  for (std::int64_t step = 0; step < 1000; ++step) {  // one second of 1 ms steps
    now_ = 1000 + 1e-3 * static_cast<double>(step);
    progress.update(step, 0);
    const std::string text = taken();
    if (text.empty()) continue;
    ++lines;
    EXPECT_EQ(text.front(), '\r');
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  EXPECT_EQ(lines, 5);
  progress.finish(1000, 0);
  const std::string last = taken();
  EXPECT_NE(last.find("step 1000/1000"), std::string::npos);
  EXPECT_EQ(last.back(), '\n');
}

TEST_F(ProgressTest, NarrowTerminalLosesTheLeastImportantFields) {
  const std::pair<std::size_t, std::string> lines[] = {
      {100, "step 100/1000  t 200 fs  E -4100.5 kcal/mol  T 98.76 K  ETA 0:01:30  10 steps/s  1.728 ns/day"},
      {94, "step 100/1000  t 200 fs  E -4100.5 kcal/mol  T 98.76 K  ETA 0:01:30  10 steps/s  1.728 ns/day"},
      {93, "step 100/1000  E -4100.5 kcal/mol  T 98.76 K  ETA 0:01:30  10 steps/s  1.728 ns/day"},
      {80, "step 100/1000  E -4100.5 kcal/mol  T 98.76 K  ETA 0:01:30  10 steps/s"},
      {60, "step 100/1000  E -4100.5 kcal/mol  ETA 0:01:30  10 steps/s"},
      {40, "step 100/1000  ETA 0:01:30  10 steps/s"},
      {30, "step 100/1000  ETA 0:01:30"},
      {20, "step 100/1000"},
      {5, ""}};
  for (const auto& [columns, line] : lines) {
    SCOPED_TRACE(columns);
    Progress progress = make(kRealUnits, {.terminal = true, .columns = columns, .last_step = 1000});
    progress.set_energies(kRow);
    now_ += 10;
    progress.update(100, 200);
    const std::string text = taken();
    EXPECT_EQ(text.substr(1, text.find('\x1b') - 1), line);
    progress.finish(100, 200);
    taken();
  }
}

/// The line of a long run of a large droplet.
TEST_F(ProgressTest, EightyColumnsKeepRateAndEta) {
  Progress progress = make(kRealUnits, {.terminal = true, .columns = 80, .last_step = 100'000'000});
  progress.set_energies({.step = 0, .time = 0, .energies = Energies({{"vdw", -1234567.8}}, 0), .temperature = 298.2});
  now_ += 10'000;
  progress.update(12'345'678, 12'345'678);
  const std::string text = taken();
  EXPECT_EQ(text.substr(1, text.find('\x1b') - 1),
            "step 12345678/100000000  E -1234567.8 kcal/mol  ETA 19:43:20  1235 steps/s");
}

TEST_F(ProgressTest, OpenTerminalLineEndsWithTheObject) {
  {
    Progress progress = make(kLjUnits, {.terminal = true, .last_step = 10});
    progress.update(1, 0);
    taken();
  }
  EXPECT_EQ(taken(), "\n");
}

}  // namespace
}  // namespace dropmd
