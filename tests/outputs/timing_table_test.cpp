#include "outputs/timing_table.h"

#include <gtest/gtest.h>

namespace dropmd {
namespace {

/// Times of the clock are sums of halves and quarters, which are exact in double, and so are the durations.
class TimingsTest : public testing::Test {
 protected:
  double now_ = 100;
  Timings timings_{[this] { return now_; }};

  void spend(std::string_view phase, double seconds) {
    const Timings::Scope scope(timings_, phase);
    now_ += seconds;
  }
  double seconds_of(std::string_view phase) const {
    for (const Timings::Phase& p : timings_.phases())
      if (p.name == phase) return p.seconds;
    return -1;
  }
};

TEST_F(TimingsTest, ScopesAddUpByName) {
  spend("forces", 1.5);
  now_ += 0.25;
  spend("neighbor", 0.5);
  spend("forces", 1.0);
  ASSERT_EQ(timings_.phases().size(), 2U);
  EXPECT_EQ(seconds_of("forces"), 2.5);
  EXPECT_EQ(seconds_of("neighbor"), 0.5);
  EXPECT_EQ(timings_.total_seconds(), 3.25);
}

TEST_F(TimingsTest, InnerScopeTakesOverFromTheOuterOne) {
  {
    const Timings::Scope outer(timings_, "forces");
    now_ += 1.0;
    spend("neighbor", 0.5);
    now_ += 0.25;
  }
  EXPECT_EQ(seconds_of("forces"), 1.25);
  EXPECT_EQ(seconds_of("neighbor"), 0.5);
}

TEST_F(TimingsTest, TableEndsWithOtherAndTotal) {
  spend("forces", 1.5);
  spend("neighbor", 0.25);
  now_ += 0.25;
  EXPECT_EQ(timing_table(timings_, 1000),
            "phase         seconds   share      us/step\n"
            "forces          1.500   75.0%      1500.00\n"
            "neighbor        0.250   12.5%       250.00\n"
            "other           0.250   12.5%       250.00\n"
            "total           2.000  100.0%      2000.00\n");
}

TEST_F(TimingsTest, NoStepsAndNoTimeDivideByNothing) {
  EXPECT_EQ(timing_table(timings_, 0),
            "phase      seconds   share      us/step\n"
            "other        0.000    0.0%            -\n"
            "total        0.000    0.0%            -\n");
}

}  // namespace
}  // namespace dropmd
