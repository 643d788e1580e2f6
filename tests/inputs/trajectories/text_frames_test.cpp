#include <gmock/gmock.h>

#include "core/ase_units.h"
#include "tests/inputs/trajectories/read_frames.h"
#include "tests/support/system/held_memory.h"

/// Trajectories of text: XYZ, GRO, PDB.
namespace dropmd {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::StartsWith;

constexpr std::string_view kXyz =
    "2\nProperties=species:S:1:pos:R:3:velo:R:3:id:I:1 pbc=\"F F F\" Time=0.5 step=10 units=real\n"
    "Na 0 0 1 0.1 0.2 0.3 1\nCl 0 0 2 0 0 0 2\n"
    "1\nProperties=species:S:1:pos:R:3:velo:R:3:id:I:1 pbc=\"F F F\" Time=1 step=20 units=real\n"
    "Cl 3 0 2 0 0 0 2\n";

TEST(XyzFrames, HaveStepsTimesIdsAndAnyNumberOfAtoms) {
  const std::vector<InputFrame> frames = frames_of("t.xyz", kXyz);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].step, 10);
  EXPECT_EQ(frames[1].step, 20);
  EXPECT_EQ(frames[1].structure.time, 1.0);
  EXPECT_EQ(frames[0].structure.units, UnitSystem::real);
  EXPECT_THAT(frames[0].ids, ElementsAre(1, 2));
  EXPECT_THAT(frames[1].ids, ElementsAre(2));
  EXPECT_EQ(frames[1].structure.species_names, std::vector<std::string>{"Cl"});
  EXPECT_EQ(frames[0].structure.velocity[0].y, 0.2);
  EXPECT_EQ(frames[1].structure.place_of_atom(0).line, 7U) << "lines are those of the file";
}

/// ASE writes momenta in u Å per its unit of time; virtual sites have no mass.
TEST(XyzFrames, MomentaBecomeVelocities) {
  const std::vector<InputFrame> frames = frames_of(
      "t.extxyz", "2\nProperties=species:S:1:pos:R:3:momenta:R:3:masses:R:1\nAr 0 0 0 1 2 3 4\nX 0 0 0 0 0 0 0\n");
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_DOUBLE_EQ(frames[0].structure.velocity[0].z, 0.75 / kAseTime);
  EXPECT_EQ(frames[0].structure.velocity[1], Vec3<double>{});
  EXPECT_TRUE(frames[0].structure.momentum.empty());
}

TEST(XyzFrames, ACutOffFrameIsAnErrorBehindTheCompleteOnes) {
  for (const std::size_t n_cut : {1U, 3U, 20U, 60U}) {
    const PartialReading reading = partial_reading("t.xyz", kXyz.substr(0, kXyz.size() - n_cut));
    EXPECT_EQ(reading.n_frames, 1U) << n_cut;
    EXPECT_TRUE(reading.is_cut_off);
    EXPECT_THAT(reading.message, StartsWith("FILE:5:1: this frame is cut off: the file ends after 0 of 1 atoms"));
  }
  EXPECT_THAT(partial_reading("t.xyz", kXyz.substr(0, kXyz.find("Cl"))).message,
              HasSubstr("the file ends after 1 of 2 atoms (the number is on line 1)"));
  EXPECT_THAT(partial_reading("t.xyz", "99999999999999\n\nAr 0 0 0\n").message,
              HasSubstr("the file ends after 1 of 99999999999999 atoms"));
}

TEST(XyzFrames, MistakesOfLaterFramesHaveTheirLines) {
  const PartialReading reading = partial_reading("t.xyz", "1\n\nAr 0 0 0\n1\n\nAr 0 x 0\n1\n\nAr 0 0 0\n");
  EXPECT_EQ(reading.n_frames, 1U);
  EXPECT_FALSE(reading.is_cut_off);
  EXPECT_EQ(reading.message, "FILE:6:6: pos is 'x', not a number (expected: a decimal number such as -1.25e-3)");
  EXPECT_EQ(partial_reading("t.xyz", "1\n\nAr 0 0 0\nAr 0 0 0\n").message,
            "FILE:4:1: 'Ar' after atom 1, the last of its frame (only another frame may follow)");
  EXPECT_EQ(partial_reading("t.xyz", std::string_view("1\n\nAr 0 0 0\n1\n\nAr \0 0 0\n", 24)).message,
            "FILE:6:4: binary data, a NUL byte (an XYZ trajectory is text)");
  EXPECT_EQ(partial_reading("t.xyz", "\n\n").message,
            "FILE:1:1: only blank lines (the number of atoms of a frame is expected)");
  EXPECT_EQ(partial_reading("t.xyz", "").message, "FILE:1:1: the file is empty (an XYZ trajectory is expected)");
}

TEST(XyzFrames, BlankLinesMayFollow) {
  EXPECT_EQ(frames_of("t.xyz",
                      "\xEF\xBB\xBF"
                      "1\r\n\r\nAr 0 0 0\r\n\r\n \n")
                .size(),
            1U);
}

/// A frame and a buffer at a time, however long the file is.
TEST(XyzFrames, TakeTheMemoryOfOne) {
  std::string text;
  for (int k = 0; k < 20'000; ++k) text += "2\nProperties=species:S:1:pos:R:3\nAr 0 0 0\nAr 0 0 1\n";
  const TempFolder folder;
  const std::filesystem::path path = folder.write("t.xyz", text);
  const HeldMemory memory;
  const std::unique_ptr<TrajectoryReader> reader = open_frames(path);
  std::size_t n = 0;
  while (reader->next()) ++n;
  EXPECT_EQ(n, 20'000U);
  EXPECT_LT(memory.most(), text.size() / 2);
  EXPECT_EQ(reader->share().done, text.size());
}

constexpr std::string_view kGro =
    "water t= 0.50000 step= 250\n2\n    1SOL     OW    1   0.100   0.200   0.300  0.1000  0.0000  0.0000\n"
    "    1SOL    HW1    2   0.190   0.200   0.300  0.0000  0.0000  0.0000\n   0.0   0.0   0.0\n"
    "water t= 1.00000 step= 500\n1\n    1SOL     OW    1   0.200   0.200   0.300  0.1000  0.0000  0.0000\n"
    "   0.0   0.0   0.0\n";

TEST(GroFrames, HaveTimesAndSteps) {
  const std::vector<InputFrame> frames = frames_of("t.gro", kGro);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].structure.time, 500.0) << "fs";
  EXPECT_EQ(frames[0].structure.title, "water");
  EXPECT_EQ(frames[1].step, 500);
  EXPECT_EQ(frames[1].structure.position[0].x, 2.0);
  EXPECT_EQ(frames[0].structure.residue_name[1], "SOL");
  EXPECT_DOUBLE_EQ(frames[0].structure.velocity[0].x, 0.001);
  EXPECT_TRUE(frames[0].structure.warnings.empty()) << "it is not that other frames are left out";
}

TEST(GroFrames, ACutOffFrameIsAnErrorBehindTheCompleteOnes) {
  for (const std::size_t n_cut : {1U, 20U, 90U, 110U}) {
    const PartialReading reading = partial_reading("t.gro", kGro.substr(0, kGro.size() - n_cut));
    EXPECT_EQ(reading.n_frames, 1U) << n_cut;
    EXPECT_TRUE(reading.is_cut_off) << n_cut << reading.message;
    EXPECT_THAT(reading.message, StartsWith("FILE:6:1: this frame is cut off"));
  }
  EXPECT_EQ(partial_reading("t.gro", kGro.substr(0, 98)).message,
            "FILE:4:1: the file ends after 1 of 2 atoms (their number is on line 2)");
}

TEST(GroFrames, MessagesNameTheLinesOfTheirFrame) {
  const std::string text = std::string(kGro) + "t\n2\n    1SOL     OW    1   0.1   0.2   0.3\n   1.0   1.0   1.0\nx\n";
  EXPECT_EQ(partial_reading("t.gro", text).message,
            "FILE:13:1: a box instead of atom 2 (line 11 counts too many atoms, or atoms are missing)");
  EXPECT_EQ(frames_of("t.gro", std::string(kGro) + "\n \n").size(), 2U);
  EXPECT_EQ(frames_of("t.gro",
                      "\n1\n    1SOL     OW    1   0.1   0.2   0.3\n 0 0 0\n\n1\n    1SOL     OW    1   0.1   0.2   "
                      "0.3\n 0 0 0\n")
                .size(),
            2U)
      << "blank titles";
}

constexpr std::string_view kAtom = "ATOM      1  OW  HOH A   1       1.000   2.000   3.000\n";

TEST(PdbFrames, OfModels) {
  const std::string model = "MODEL        1\n" + std::string(kAtom) + "TER\nENDMDL\n";
  const std::vector<InputFrame> frames =
      frames_of("t.pdb", "TITLE     water t=   0.50000 step= 250\n" + model + "TITLE     water t=   1.00000\n" + model +
                             "CONECT    1    2\nEND\n");
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].structure.time, 500.0);
  EXPECT_EQ(frames[0].step, 250);
  EXPECT_EQ(frames[1].structure.time, 1000.0);
  EXPECT_EQ(frames[1].structure.atom_name[0], "OW");
  EXPECT_EQ(frames[1].structure.place_of_atom(0).line, 8U);
  EXPECT_TRUE(frames[0].structure.warnings.empty());
  EXPECT_EQ(frames_of("t.pdb", std::string(kAtom) + "MODEL\n" + std::string(kAtom) + "MODEL\n" + model).size(), 3U)
      << "a MODEL without an ENDMDL";
}

TEST(PdbFrames, SerialNumbersAreIdsOfWhichFiveDigitsAreWritten) {
  const auto ids = [](const std::vector<std::string>& serials) {
    std::string model = "MODEL        1\n";
    for (const std::string& serial : serials) model += std::string(kAtom).replace(6, 5, serial);
    return frames_of("t.pdb", model + "ENDMDL\n")[0].ids;
  };
  using testing::ElementsAre;
  EXPECT_THAT(ids({"    3", "    7", "99999", "    2"}), ElementsAre(3, 7, 99'999, 100'002));
  EXPECT_THAT(ids({"    1", "    2", "    3"}), ElementsAre()) << "as in any file";
  EXPECT_THAT(ids({"    4", "    3"}), ElementsAre());
  EXPECT_THAT(ids({"A0000", "A0001"}), ElementsAre()) << "hybrid-36";
}

TEST(PdbFrames, OfEnds) {
  const std::string frame = "CRYST1    0.000    0.000    0.000\n" + std::string(kAtom) + "END\n";
  EXPECT_EQ(frames_of("t.pdb", frame + frame + frame).size(), 3U) << "as VMD writes them";
  EXPECT_EQ(frames_of("t.pdb", kAtom).size(), 1U) << "without an end";
}

TEST(PdbFrames, ACutOffModelIsAnErrorBehindTheCompleteOnes) {
  const std::string model = "MODEL        1\n" + std::string(kAtom) + "ENDMDL\n";
  for (const std::string& rest : {std::string("MODEL"), "MODEL 2\n" + std::string(kAtom), std::string(kAtom)}) {
    const PartialReading reading = partial_reading("t.pdb", model + rest);
    EXPECT_EQ(reading.n_frames, 1U);
    EXPECT_TRUE(reading.is_cut_off) << rest;
    EXPECT_THAT(reading.message, StartsWith("FILE:4:1: the file ends within this model, before its ENDMDL or END ("));
  }
  EXPECT_THAT(partial_reading("t.pdb", "MODEL 1\n" + std::string(kAtom)).message, HasSubstr("(write ENDMDL if"));
  EXPECT_THAT(partial_reading("t.pdb", "REMARK\n").message, HasSubstr("the file has no atoms"));
}

TEST(Frames, OfStructures) {
  EXPECT_EQ(frames_of("t.drop", "t\n1\n5\n1 2 3 0.5\n").size(), 1U);
  EXPECT_EQ(partial_reading("t.abc", "1").message,
            "FILE: no format of trajectories or structures has the extension '.abc' (known: .xyz, .extxyz, .gro, .pdb, "
            ".ent, .dcd, .gsd, .xtc, .drop, .cif, .mmcif)");
  EXPECT_THAT(input_error_of("none.xyz", [] { open_frames("none.xyz"); }), HasSubstr("no such file"));
}

TEST(Frames, CanBeSkipped) {
  const TempFolder folder;
  std::string xyz, gro, pdb;
  for (const char* const x : {"0", "1", "2", "3", "4"}) {
    xyz += std::string("1\n\nAr ") + x + " 0 0\n";
    gro += std::string("t\n1\n    1SOL     OW    1   ") + x + ".0   0.2   0.3\n 0 0 0\n";
    pdb += std::string("MODEL\nATOM      1  OW  HOH A   1       ") + x + ".000   2.000   3.000\nENDMDL\n";
  }
  EXPECT_THAT(every_other_x(folder.write("t.xyz", xyz)), ElementsAre(0, 2, 4));
  EXPECT_THAT(every_other_x(folder.write("t.gro", gro)), ElementsAre(0, 20, 40));
  EXPECT_THAT(every_other_x(folder.write("t.pdb", pdb)), ElementsAre(0, 2, 4));
}

}  // namespace
}  // namespace dropmd
