#include <gmock/gmock.h>

#include "tests/inputs/trajectories/read_frames.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/held_memory.h"
#include "tests/support/system/needed_file.h"

namespace dropmd {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::StartsWith;

/// Two frames of four waters, which MDTraj 1.11 wrote from positions of three decimals (nm).
std::string waters(std::string_view format) {
  return read_text(std::filesystem::path(DROPMD_SOURCE_DIR) / "tests/data/fuzz" / format / "water");
}

std::string big_endian(std::initializer_list<std::int32_t> numbers) {
  std::string bytes;
  for (const std::int32_t number : numbers)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes += static_cast<char>(static_cast<std::uint32_t>(number) >> static_cast<unsigned>(shift) & 0xFFU);
  return bytes;
}

/// A frame of one atom at (1, -2, 0.5) nm, time 1.5 ps.
std::string one_atom(std::int32_t step = 3) {
  return big_endian({1995, 1, step, 0x3FC00000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x3F800000,
                     static_cast<std::int32_t>(0xC0000000), 0x3F000000});
}

/// Positions are those of the same trajectory as DCD, which has floats.
TEST(XtcFrames, AreDecompressed) {
  const std::vector<InputFrame> compressed = frames_of("w.xtc", waters("xtc_frames"));
  const std::vector<InputFrame> plain = frames_of("w.dcd", waters("dcd_frames"));
  ASSERT_EQ(compressed.size(), 2U);
  ASSERT_EQ(plain.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    ASSERT_EQ(compressed[k].structure.position.size(), 12U);
    for (std::size_t i = 0; i < 12; ++i)
      EXPECT_LT(norm(compressed[k].structure.position[i] - plain[k].structure.position[i]), 2e-5) << k << ' ' << i;
  }
  EXPECT_EQ(compressed[1].step, 1);
  EXPECT_EQ(compressed[1].structure.time, 500.0) << "fs";
  EXPECT_EQ(compressed[0].structure.units, UnitSystem::real);
  EXPECT_TRUE(compressed[0].structure.warnings.empty());
}

TEST(XtcFrames, OfFewAtomsAreNotCompressed) {
  const std::vector<InputFrame> frames = frames_of("a.xtc", one_atom(3) + one_atom(6));
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_THAT(frames[1].structure.position, ElementsAre(Vec3<double>{10, -20, 5}));
  EXPECT_EQ(frames[1].step, 6);
  EXPECT_EQ(frames[1].structure.time, 1500.0);
  const std::vector<InputFrame> reduced = frames_of("a.xtc", one_atom(), UnitSystem::lj);
  EXPECT_THAT(reduced.at(0).structure.position, ElementsAre(Vec3<double>{1, -2, 0.5}));
  EXPECT_EQ(reduced.at(0).structure.time, 1.5);
}

TEST(XtcFrames, ABoxIsIgnoredWithAWarning) {
  std::string bytes = one_atom();
  bytes.replace(16, 4, big_endian({0x40000000}));
  EXPECT_THAT(frames_of("a.xtc", bytes).at(0).structure.warnings,
              ElementsAre(HasSubstr("frame 1: the box is ignored")));
}

TEST(XtcFrames, ACutOffFrameIsAnErrorBehindTheCompleteOnes) {
  const std::string bytes = waters("xtc_frames");
  for (std::size_t n = 1; n < bytes.size(); ++n) {
    const PartialReading reading = partial_reading("w.xtc", std::string_view(bytes).substr(0, n));
    const std::size_t n_complete = n < bytes.size() / 2 ? 0 : 1;
    EXPECT_EQ(reading.n_frames, n_complete) << n;
    if (n == bytes.size() / 2) continue;  // it ends behind the first frame
    EXPECT_THAT(reading.message, StartsWith(n_complete == 0 ? "FILE: frame 1: the file ends" : "FILE: the file ends"))
        << n;
    EXPECT_EQ(reading.is_cut_off, n_complete == 1) << n;
  }
}

TEST(XtcFrames, CanBeSkipped) {
  const TempFolder folder;
  EXPECT_THAT(every_other_x(folder.write("a.xtc", one_atom() + one_atom() + waters("xtc_frames") + one_atom())).size(),
              3U);
}

TEST(XtcFrames, RefuseForgeries) {
  const std::string one = one_atom(), water = waters("xtc_frames");
  const auto with = [](std::string bytes, std::size_t at, std::int32_t number) {
    return bytes.replace(at, 4, big_endian({number}));
  };
  const struct {
    std::string bytes;
    const char* message;
  } forgeries[] = {
      {with(one, 0, 1996), "FILE: frame 1: it does not begin with the number 1995 (an XTC trajectory"},
      {one + with(one, 0, 7), "FILE: frame 2: it does not begin with the number 1995 (the file is damaged)"},
      {with(one, 0, 2023), "FILE: frame 1: more than 298 million atoms"},
      {with(one, 4, -1), "FILE: frame 1: -1 atoms and 1 coordinates"},
      {with(with(one, 4, 0x7FFFFFFF), 52, 0x7FFFFFFF), "FILE: frame 1: the file ends within"},
      {with(with(water, 4, 0x7FFFFFFF), 52, 0x7FFFFFFF), "FILE: frame 1: 2147483647 atoms in 52 bytes"},
      {with(water, 88, 0x7FFFFFFF), "FILE: frame 1: the file ends within"},
      {with(water, 84, 8), "FILE: frame 1: its coordinates cannot be decompressed"},
      {with(water, 84, 73), "FILE: frame 1: its coordinates cannot be decompressed"},
      {with(water, 56, 0), "FILE: frame 1: its coordinates cannot be decompressed"},
      {with(water, 72, -2000), "FILE: frame 1: its coordinates cannot be decompressed"},
      {with(one, 12, 0x7FC00000), "FILE: frame 1: its time is not finite"},
      {with(one, 60, 0x7F800000), "FILE: frame 1: the position of atom 1 is not finite"},
  };
  for (const auto& forgery : forgeries) {
    const HeldMemory memory;
    EXPECT_THAT(partial_reading("a.xtc", forgery.bytes).message, HasSubstr(forgery.message));
    EXPECT_LT(memory.most(), std::size_t{1} << 20U) << forgery.message;
  }
}

/// Any byte may have any other value: the coordinates then differ, or the file is refused.
TEST(XtcFrames, AreReadOrRefusedWithAnyByteChanged) {
  const std::string bytes = waters("xtc_frames");
  for (std::size_t at = 0; at < bytes.size() / 2; ++at)
    for (const int bit : {0, 3, 7}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ (1U << static_cast<unsigned>(bit)));
      const PartialReading reading = partial_reading("w.xtc", changed);
      EXPECT_TRUE(reading.message == "no error" || reading.message.starts_with("FILE: ")) << at << reading.message;
    }
}

}  // namespace
}  // namespace dropmd
