#include <gmock/gmock.h>

#include <limits>

#include "tests/inputs/trajectories/dcd_bytes.h"
#include "tests/inputs/trajectories/read_frames.h"
#include "tests/support/system/held_memory.h"

namespace dropmd {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

constexpr double kAkmaTime = 48.88821291;

/// Two frames of two atoms.
std::string two_frames(const DcdBytes& dcd) {
  return dcd.header() + dcd.frame({1, 2}, {3, 4}, {5, 6}) + dcd.frame({1.5F, 2}, {3, 4}, {5, -6});
}

class DcdForm : public testing::TestWithParam<std::tuple<bool, bool, bool>> {};

TEST_P(DcdForm, IsRead) {
  DcdBytes dcd;
  std::tie(dcd.swapped, dcd.has_cell, dcd.has_fourth_dimension) = GetParam();
  const std::vector<InputFrame> frames = frames_of("t.dcd", two_frames(dcd));
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_THAT(frames[0].structure.position, ElementsAre(Vec3<double>{1, 3, 5}, Vec3<double>{2, 4, 6}));
  EXPECT_THAT(frames[1].structure.position, ElementsAre(Vec3<double>{1.5, 3, 5}, Vec3<double>{2, 4, -6}));
  EXPECT_EQ(frames[0].step, 100);
  EXPECT_EQ(frames[1].step, 110);
  EXPECT_NEAR(frames[1].structure.time.value(), 110 * 0.04 * kAkmaTime, 1e-5) << "fs; the timestep is a float";
  EXPECT_EQ(frames[0].structure.species_names, std::vector<std::string>{"X"});
  EXPECT_EQ(frames[0].structure.title, "REMARKS made for a test");
  EXPECT_EQ(frames[0].structure.units, UnitSystem::real);
  EXPECT_THAT(frames[0].structure.warnings, IsEmpty()) << "a cell of zeros is none";
}

INSTANTIATE_TEST_SUITE_P(Table, DcdForm, testing::Combine(testing::Bool(), testing::Bool(), testing::Bool()),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) ? "Swapped" : "Own") +
                                  (std::get<1>(test.param) ? "WithCell" : "") +
                                  (std::get<2>(test.param) ? "WithFourth" : "");
                         });

/// X-PLOR has a double, of which a reader of CHARMM's float sees a half.
TEST(DcdFrames, OfXplor) {
  for (const bool swapped : {false, true}) {
    DcdBytes dcd{.swapped = swapped, .is_charmm = false, .timestep = 0.0204548282808729};
    const std::vector<InputFrame> frames = frames_of("t.dcd", two_frames(dcd));
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_NEAR(frames[1].structure.time.value(), 110.0, 1e-6) << "1 fs";
  }
}

TEST(DcdFrames, ACellIsIgnoredWithAWarning) {
  DcdBytes dcd{.has_cell = true};
  const std::vector<InputFrame> frames = frames_of("t.dcd", dcd.header() + dcd.frame({1, 2}, {3, 4}, {5, 6}, 30));
  EXPECT_THAT(frames.at(0).structure.warnings, ElementsAre(HasSubstr("t.dcd: frame 1: the cell is ignored")));
}

/// Frames behind the first have the free atoms alone.
TEST(DcdFrames, FixedAtomsStayWhereTheFirstFrameHasThem) {
  for (const bool swapped : {false, true}) {
    DcdBytes dcd{.swapped = swapped, .n_atoms = 3, .n_fixed = 2};
    const std::string bytes = dcd.header() + dcd.record(dcd.number(std::int32_t{2})) +
                              dcd.frame({1, 2, 3}, {4, 5, 6}, {7, 8, 9}) + dcd.frame({-2}, {-5}, {-8}) +
                              dcd.frame({-3}, {-6}, {-9});
    const std::vector<InputFrame> frames = frames_of("t.dcd", bytes);
    ASSERT_EQ(frames.size(), 3U);
    EXPECT_THAT(frames[2].structure.position,
                ElementsAre(Vec3<double>{1, 4, 7}, Vec3<double>{-3, -6, -9}, Vec3<double>{3, 6, 9}));
    const TempFolder folder;
    const auto reader = open_frames(folder.write("t.dcd", bytes));
    EXPECT_TRUE(reader->skip());
    EXPECT_EQ(reader->next().value().structure.position.at(0).x, 1) << "the first frame was skipped";
  }
}

TEST(DcdFrames, DropmdSaysItsUnits) {
  DcdBytes dcd{.timestep = 0.005, .title = "REMARKS dropmd 0.1.0, units lj: sigma, tau"};
  const std::vector<InputFrame> frames = frames_of("t.dcd", two_frames(dcd));
  EXPECT_EQ(frames.at(0).structure.units, UnitSystem::lj);
  EXPECT_NEAR(frames.at(1).structure.time.value(), 0.55, 1e-6);
}

TEST(DcdFrames, UsersSayTheUnitsOfOtherPrograms) {
  const std::vector<InputFrame> frames = frames_of("t.dcd", two_frames({}), UnitSystem::lj);
  EXPECT_EQ(frames.at(0).structure.units, UnitSystem::lj);
  EXPECT_NEAR(frames.at(1).structure.time.value(), 110 * 0.04, 1e-6);
}

TEST(DcdFrames, UnknownTimes) {
  DcdBytes dcd{.every = 0};
  EXPECT_EQ(frames_of("t.dcd", two_frames(dcd)).at(0).step, std::nullopt);
  dcd = {.timestep = std::numeric_limits<double>::quiet_NaN()};
  const std::vector<InputFrame> frames = frames_of("t.dcd", two_frames(dcd));
  EXPECT_EQ(frames.at(1).step, 110);
  EXPECT_EQ(frames.at(1).structure.time, std::nullopt);
}

TEST(DcdFrames, ACutOffFrameIsAnErrorBehindTheCompleteOnes) {
  const DcdBytes dcd;
  const std::string bytes = two_frames(dcd);
  for (const std::size_t n_cut : {1U, 5U, 17U, 47U}) {
    const PartialReading reading = partial_reading("t.dcd", std::string_view(bytes).substr(0, bytes.size() - n_cut));
    EXPECT_EQ(reading.n_frames, 1U) << n_cut;
    EXPECT_TRUE(reading.is_cut_off) << n_cut;
    EXPECT_THAT(reading.message, HasSubstr("FILE: the file ends within frame 2: "));
  }
  for (std::size_t n = 1; n < bytes.size() - 48; ++n) {
    const PartialReading reading = partial_reading("t.dcd", std::string_view(bytes).substr(0, n));
    EXPECT_EQ(reading.n_frames, n == bytes.size() - 48 ? 1U : 0U);
    EXPECT_THAT(reading.message, testing::StartsWith("FILE: ")) << n;
  }
}

TEST(DcdFrames, CanBeSkipped) {
  DcdBytes dcd{.has_cell = true};
  std::string bytes = dcd.header();
  for (const float x : {0.0F, 1.0F, 2.0F, 3.0F, 4.0F}) bytes += dcd.frame({x, 0}, {0, 0}, {0, 0});
  const TempFolder folder;
  EXPECT_THAT(every_other_x(folder.write("t.dcd", bytes)), ElementsAre(0, 2, 4));
}

struct Forgery {
  const char* name;
  std::string bytes;
  const char* message;
};

/// Headers that lie take no memory.
TEST(DcdFrames, RefuseForgeries) {
  const DcdBytes dcd;
  DcdBytes huge = dcd, negative = dcd, velocities = dcd, fixed = dcd, odd = dcd;
  huge.n_atoms = std::numeric_limits<std::int32_t>::max();
  negative.n_atoms = -5;
  velocities.kind = "VELD";
  fixed.n_fixed = -1;
  odd.kind = "CARD";
  const std::string frame = dcd.frame({1, 2}, {3, 4}, {5, 6});
  std::string wrong_end = dcd.header() + frame;
  wrong_end[wrong_end.size() - 1] = 1;
  std::string long_record = dcd.header() + frame;
  long_record[dcd.header().size() + 3] = 0x7F;
  for (const Forgery& forgery : {
           Forgery{"text", "not a DCD file at all", "is not a DCD file"},
           Forgery{"short", "abc", "is too short for a DCD file"},
           Forgery{"huge", huge.header() + frame,
                   "the file ends within frame 1: 48 bytes are left, but one of 2147483647"},
           Forgery{"negative", negative.header() + frame, "the number of atoms is -5"},
           Forgery{"velocities", velocities.header() + frame, "is a DCD file of velocities"},
           Forgery{"odd", odd.header() + frame, "is not a DCD file"},
           Forgery{"fixed", fixed.header() + dcd.record("") + frame, "4294967295 of 2 atoms are fixed, but 0 bytes"},
           Forgery{"wrong end", wrong_end, "frame 1: z has 8 bytes, but its end says 16777224"},
           Forgery{"long record", long_record, "frame 1: x has 2130706440 bytes, but the file ends earlier"},
           Forgery{"three atoms", dcd.header() + dcd.frame({1, 2, 3}, {3, 4, 5}, {5, 6, 7}), "frame 1: x has 12 bytes"},
           Forgery{"nan", dcd.header() + dcd.frame({1, 2}, {3, 4}, {5, std::numeric_limits<float>::quiet_NaN()}),
                   "frame 1: z of atom 2 is not finite"},
       }) {
    const HeldMemory memory;
    const PartialReading reading = partial_reading("t.dcd", forgery.bytes);
    EXPECT_THAT(reading.message, HasSubstr(forgery.message)) << forgery.name;
    EXPECT_FALSE(reading.is_cut_off) << forgery.name;
    EXPECT_LT(memory.most(), std::size_t{1} << 20U) << forgery.name;
  }
}

}  // namespace
}  // namespace dropmd
