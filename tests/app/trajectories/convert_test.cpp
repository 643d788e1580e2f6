#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/core.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>

#include "inputs/trajectories/trajectory_source.h"
#include "tests/support/system/app_folder.h"

/// dropmd convert.
namespace dropmd {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::StartsWith;
using OrderedJson = nlohmann::ordered_json;

/// Two atoms near each other and one 20 Å away, which has joined them in the second frame and left in the third.
constexpr const char* kArgon =
    "3\nProperties=species:S:1:pos:R:3:velo:R:3:id:I:1 pbc=\"F F F\" Time=0 step=0 units=real\n"
    "Ar 0 0 0 0.5 0 0 1\nKr 3 0 0 0 0 0 2\nAr 20 0 0 0 0 0 3\n"
    "3\nProperties=species:S:1:pos:R:3:velo:R:3:id:I:1 pbc=\"F F F\" Time=20 step=10 units=real\n"
    "Ar 0 0 1 0.5 0 0 1\nKr 3 0 1 0 0 0 2\nAr 6 0 1 0 0 0 3\n"
    "2\nProperties=species:S:1:pos:R:3:velo:R:3:id:I:1 pbc=\"F F F\" Time=40 step=20 units=real\n"
    "Ar 0 0 2 0.5 0 0 1\nKr 3 0 2 0 0 0 2\n";

std::vector<InputFrame> frames_in(const AppFolder& folder, const std::string& name) {
  std::vector<InputFrame> frames;
  const auto reader = open_frames(folder.path() / name);
  while (std::optional<InputFrame> frame = reader->next()) frames.push_back(std::move(*frame));
  return frames;
}

TEST(ConvertCommand, SelectsTheDropletOfEachFrame) {
  const AppFolder folder;
  folder.write("a.xyz", kArgon);
  const Outcome outcome = folder.run("dropmd convert a.xyz d.xyz --select droplet --link-distance 4");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "wrote d.xyz: 3 of 3 frames, 2 atoms\n");
  const std::vector<InputFrame> frames = frames_in(folder, "d.xyz");
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_THAT(frames[0].ids, ElementsAre(1, 2));
  EXPECT_THAT(frames[1].ids, ElementsAre(1, 2, 3));
  EXPECT_EQ(frames[1].step, 10);
  EXPECT_EQ(frames[2].structure.time, 40);
  EXPECT_EQ(frames[2].structure.position[1].z, 2);
  EXPECT_EQ(frames[2].structure.velocity[0].x, 0.5);
}

TEST(ConvertCommand, SelectsByNameAndTakesFewerFrames) {
  const AppFolder folder;
  folder.write("a.xyz", kArgon);
  const Outcome outcome = folder.run("dropmd convert a.xyz kr.dcd --select Kr --every 2 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const OrderedJson json = OrderedJson::parse(outcome.out);
  EXPECT_EQ(json["frames_read"], 3);
  EXPECT_EQ(json["frames"], 2);
  EXPECT_EQ(json["n_atoms"], 1);
  const std::vector<InputFrame> frames = frames_in(folder, "kr.dcd");
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[1].structure.position.at(0), (Vec3<double>{3, 0, 2}));
  EXPECT_EQ(frames[1].step, 20);
  EXPECT_NEAR(frames[1].structure.time.value(), 40, 1e-4) << "fs; the header has a float";
  const Outcome unknown = folder.run("dropmd convert a.xyz x.xyz --select Krr");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err,
              HasSubstr("--select Krr: no molecule, residue, species or atom of this name in frame 1 (known: "
                        "droplet, Ar, Kr)"));
  EXPECT_FALSE(folder.has("x.xyz"));
}

/// A format with the same atoms in all frames, and one with a single frame.
TEST(ConvertCommand, FormatsThatCannotHoldEverything) {
  const AppFolder folder;
  folder.write("a.xyz", kArgon);
  const Outcome outcome = folder.run("dropmd convert a.xyz a.dcd");
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.err,
              HasSubstr("a.dcd: frame 3 has different atoms from the first, 2 and not 3, but all frames of a .dcd "
                        "file have the same"));
  EXPECT_FALSE(folder.has("a.dcd")) << "completely or not at all";
  EXPECT_EQ(folder.run("dropmd convert a.xyz a.pdb").status, 0);
  EXPECT_EQ(frames_in(folder, "a.pdb").size(), 3U);
  const Outcome last = folder.run("dropmd convert a.xyz a.gro");
  EXPECT_EQ(last.out, "wrote a.gro: the last of 3 frames, 2 atoms\n");
  const std::vector<InputFrame> frames = frames_in(folder, "a.gro");
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_DOUBLE_EQ(frames[0].structure.time.value(), 40);
  EXPECT_EQ(frames[0].structure.atom_name[1], "Kr");
  const Outcome none = folder.run("dropmd convert a.xyz a.abc");
  EXPECT_EQ(none.status, 6);
  EXPECT_THAT(none.err, HasSubstr("a.abc: no format for this name (it must end in .xyz, "));
}

TEST(ConvertCommand, NamesComeFromAStructure) {
  const AppFolder folder;
  ASSERT_EQ(folder.run("dropmd convert inputs/samples/water-na.gro w.dcd").status, 0);
  EXPECT_EQ(frames_in(folder, "w.dcd").at(0).structure.species_names, std::vector<std::string>{"X"});
  ASSERT_EQ(folder.run("dropmd convert w.dcd na.pdb --select NA --structure inputs/samples/water-na.gro").status, 0);
  const std::vector<InputFrame> ions = frames_in(folder, "na.pdb");
  ASSERT_EQ(ions.size(), 1U);
  EXPECT_EQ(ions[0].structure.position.size(), 8U);
  EXPECT_EQ(ions[0].structure.residue_name[7], "NA");
  const Outcome droplet =
      folder.run("dropmd convert w.dcd d.xyz --select droplet --structure inputs/samples/water-na.toml");
  EXPECT_EQ(droplet.out, "wrote d.xyz: 1 of 1 frame, 3005 atoms\n") << droplet.err;
  const InputFrame whole = frames_in(folder, "d.xyz").at(0);
  EXPECT_EQ(whole.structure.mass.size(), 3005U);
  EXPECT_EQ(whole.structure.charge.size(), 3005U);
  const Outcome other = folder.run("dropmd convert w.dcd e.xyz --structure inputs/samples/lj-cluster-13.xyz");
  EXPECT_EQ(other.status, 3);
}

/// Positions come back within what the format stores: a float of Å, a grid of 0.001 nm, a float.
TEST(ConvertCommand, ThroughEveryFormatAndBack) {
  const AppFolder folder;
  ASSERT_EQ(folder.run("dropmd convert inputs/samples/water-na.gro w.xyz").status, 0);
  const std::vector<Vec3<double>> from = frames_in(folder, "w.xyz").at(0).structure.position;
  for (const auto& [extension, tolerance] :
       {std::pair(".dcd", 2e-6), std::pair(".xtc", 5.01e-3), std::pair(".gsd", 2e-6), std::pair(".pdb", 5.01e-4),
        std::pair(".cif", 5.01e-5)}) {
    const std::string file = std::string("t") + extension;
    const Outcome outcome = folder.run("dropmd convert w.xyz " + file);
    if (outcome.err.find("this build of dropmd does not support") != std::string::npos) continue;
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    ASSERT_EQ(folder.run("dropmd convert " + file + " back.xyz --force").status, 0);
    const std::vector<Vec3<double>> back = frames_in(folder, "back.xyz").at(0).structure.position;
    ASSERT_EQ(back.size(), from.size()) << extension;
    double worst = 0;
    for (std::size_t i = 0; i < from.size(); ++i) worst = std::max(worst, norm(back[i] - from[i]));
    EXPECT_LT(worst, 2 * tolerance) << extension;
    EXPECT_GT(worst, 0) << extension;
  }
}

TEST(ConvertCommand, ACutOffFrameIsLeftOutWithAWarning) {
  const AppFolder folder;
  const std::string text = kArgon;
  folder.write("a.xyz", text.substr(0, text.size() - 3));
  const Outcome outcome = folder.run("dropmd convert a.xyz b.xyz");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, StartsWith("dropmd: warning: a.xyz:11:1: this frame is cut off: "));
  EXPECT_EQ(frames_in(folder, "b.xyz").size(), 2U);
}

TEST(ConvertCommand, WarnsOfStepsThatAFormatCannotSay) {
  const AppFolder folder;
  std::string text;
  for (const char* const step : {"0", "10", "30"})
    text += std::string("1\nProperties=species:S:1:pos:R:3 units=lj step=") + step + "\nAr 0 0 0\n";
  folder.write("a.xyz", text);
  EXPECT_THAT(folder.run("dropmd convert a.xyz a.dcd").err,
              HasSubstr("a.dcd: a .dcd file has only one interval between frames"));
  EXPECT_THAT(folder.run("dropmd convert a.xyz b.dcd --every 2").err, testing::Not(HasSubstr("only one interval")));
  EXPECT_EQ(frames_in(folder, "b.dcd").at(1).step, 30);
  EXPECT_EQ(frames_in(folder, "b.dcd").at(1).structure.units, UnitSystem::lj) << "the title says it";
}

TEST(ConvertCommand, FramesWithoutATimeHaveNoneInFormatsWithRoomForThat) {
  const AppFolder folder;
  folder.write("a.xyz",
               "1\nProperties=species:S:1:pos:R:3 units=real\nAr 0 0 0\n1\nProperties=species:S:1:pos:R:3 "
               "units=real\nAr 0 0 1\n");
  for (const char* const extension : {".xyz", ".pdb", ".cif", ".gsd", ".gro"}) {
    const std::string file = std::string("b") + extension;
    const Outcome outcome = folder.run("dropmd convert a.xyz " + file);
    if (outcome.err.find("this build of dropmd does not support") != std::string::npos) continue;
    ASSERT_EQ(outcome.err, "");
    EXPECT_EQ(frames_in(folder, file).back().structure.time, std::nullopt) << extension;
  }
  for (const char* const extension : {".xtc", ".dcd"}) {
    const Outcome outcome = folder.run(std::string("dropmd convert a.xyz b") + extension);
    if (outcome.err.find("this build of dropmd does not support") != std::string::npos) continue;
    EXPECT_EQ(outcome.err,
              fmt::format("dropmd: warning: b{0}: frames without a time have time 0 there, since a {0} file "
                          "always has one\n",
                          extension));
  }
}

TEST(ConvertCommand, AStructureOfOtherAtomsIsAnError) {
  const AppFolder folder;
  folder.write("a.xyz", kArgon);
  const std::string header = "3\nProperties=species:S:1:pos:R:3 units=real\n";
  folder.write("same.xyz", header + "Ar 0 0 0\nKr 0 0 0\nX 0 0 0\n");
  folder.write("other.xyz", header + "Ar 0 0 0\nNe 0 0 0\nAr 0 0 0\n");
  EXPECT_EQ(folder.run("dropmd convert a.xyz b.xyz --structure same.xyz").status, 0);
  const Outcome outcome = folder.run("dropmd convert a.xyz c.xyz --structure other.xyz");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err,
              HasSubstr("a.xyz:4:1: frame 1: atom 2 is 'Kr', but 'Ne' in the structure (give a structure of "
                        "the same atoms in the same order)"));
  EXPECT_FALSE(folder.has("c.xyz"));
  // A name of an ion says little of its element.
  folder.write("ion.gro", "ion\n1\n    1SOD    SOD    1   0.100   0.200   0.300\n 0 0 0\n");
  folder.write("ion.xyz", "1\nProperties=species:S:1:pos:R:3 units=real\nNa 0 0 0\n");
  EXPECT_EQ(folder.run("dropmd convert ion.xyz i.pdb --structure ion.gro").status, 0);
  // Names of different conventions stand for the same atoms: OW and HW1 in the structure, O and H here.
  ASSERT_EQ(folder.run("dropmd convert inputs/samples/water-na.gro w.pdb").status, 0);
  EXPECT_EQ(folder.run("dropmd convert w.pdb v.xyz --structure inputs/samples/water-na.toml").status, 0);
}

/// As in runs, where the species of virtual sites is X.
TEST(ConvertCommand, VirtualSitesOfPdbFilesAreNoElements) {
  const AppFolder folder;
  folder.write("w.pdb",
               "ATOM      1  OW  SOL     1       0.000   0.000   0.000  1.00  0.00           O\n"
               "ATOM      2  HW1 SOL     1       1.000   0.000   0.000  1.00  0.00           H\n"
               "ATOM      3  MW  SOL     1       0.100   0.000   0.000  1.00  0.00            \n"
               "ATOM      4 argo argo    2       9.000   0.000   0.000  1.00  0.00            \nEND\n");
  ASSERT_EQ(folder.run("dropmd convert w.pdb w.xyz").status, 0);
  EXPECT_THAT(frames_in(folder, "w.xyz").at(0).structure.species_names, ElementsAre("O", "H", "X", "argo"));
  ASSERT_EQ(folder.run("dropmd convert w.pdb v.pdb").status, 0);
  EXPECT_THAT(folder.text("v.pdb"), HasSubstr("  MW  SOL     1       0.100   0.000   0.000  1.00  0.00            \n"));
  EXPECT_EQ(folder.run("dropmd convert w.pdb m.xyz --select MW").out,
            "wrote m.xyz: 1 of 1 frame, 1 atom; taken to be in units real (--units lj for a run in lj units)\n");
}

/// Numbers are those of the run, times are in τ.
TEST(ConvertCommand, FilesOfRunsInUnitsLj) {
  const AppFolder folder;
  const std::string xyz = "1\nProperties=species:S:1:pos:R:3:velo:R:3 units=lj Time=2 step=4\nAr 1.5 0 0 0.25 0 0\n";
  folder.write("a.xyz", xyz + xyz);
  for (const char* const extension : {".pdb", ".xtc", ".cif", ".gro"}) {
    const std::string file = std::string("a") + extension;
    if (const Outcome written = folder.run("dropmd convert a.xyz " + file); written.status != 0) {
      EXPECT_THAT(written.err, HasSubstr("this dropmd was built without")) << file;
      continue;
    }
    const bool says_units = file == "a.cif" || file == "a.gro";
    const Outcome back = folder.run("dropmd convert " + file + " b.xyz --force" + (says_units ? "" : " --units lj"));
    const bool is_one_frame = file == "a.gro";
    EXPECT_EQ(back.out, is_one_frame ? "wrote b.xyz: 1 of 1 frame, 1 atom\n" : "wrote b.xyz: 2 of 2 frames, 1 atom\n")
        << back.err;
    const Structure structure = frames_in(folder, "b.xyz").back().structure;
    EXPECT_EQ(structure.units, UnitSystem::lj) << file;
    EXPECT_NEAR(structure.time.value(), 2, 1e-6) << file;
    EXPECT_NEAR(structure.position.at(0).x, 1.5, 1e-6) << file;
    if (file == "a.gro") {
      EXPECT_NEAR(structure.velocity.at(0).x, 0.25, 1e-7);
    }
    const Outcome clusters = folder.run("dropmd clusters a.xyz --trajectory " + file);
    EXPECT_THAT(clusters.out, HasSubstr("frame 1  t 2 tau")) << file << clusters.err;
  }
  EXPECT_THAT(folder.run("dropmd clusters a.pdb --units lj").out, HasSubstr("linked below 1.5 sigma"));
}

/// As for map, ions and clusters.
TEST(ConvertCommand, DropletFilesCountAsLj) {
  const AppFolder folder;
  folder.write("a.drop", "one\n1\n5\n1.5 0 0 1\n");
  const Outcome outcome = folder.run("dropmd convert a.drop b.xyz");
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("; taken to be in units lj (--units real for A and e)"));
  EXPECT_EQ(frames_in(folder, "b.xyz").at(0).structure.units, UnitSystem::lj);
  ASSERT_EQ(folder.run("dropmd convert a.drop c.xyz --units real").status, 0);
  EXPECT_EQ(frames_in(folder, "c.xyz").at(0).structure.units, UnitSystem::real);
}

TEST(ConvertCommand, GsdFilesSayTheirUnits) {
  const AppFolder folder;
  folder.write("real.xyz", kArgon);
  folder.write("lj.xyz", "1\nProperties=species:S:1:pos:R:3 units=lj Time=2 step=4\nAr 1.5 0 0\n");
  folder.write("bare.xyz", "1\nno units\nAr 1.5 0 0\n");
  if (folder.run("dropmd convert real.xyz real.gsd").status != 0) GTEST_SKIP() << "this build has no .gsd";
  EXPECT_EQ(folder.run("dropmd convert real.gsd a.xyz").err, "");
  EXPECT_EQ(frames_in(folder, "a.xyz").at(0).structure.units, UnitSystem::real);
  ASSERT_EQ(folder.run("dropmd convert lj.xyz lj.gsd").status, 0);
  EXPECT_EQ(folder.run("dropmd convert lj.gsd b.xyz").err, "");
  EXPECT_EQ(frames_in(folder, "b.xyz").at(0).structure.units, UnitSystem::lj);
  EXPECT_EQ(folder.run("dropmd convert lj.gsd c.xyz --units real").status, 3);
  EXPECT_THAT(folder.run("dropmd convert bare.xyz bare.gsd").err, HasSubstr("does not state its units"));
}

TEST(ConvertCommand, TitlesOfDcdFilesDoNotGrow) {
  const AppFolder folder;
  folder.write("t.gro", "some water\n1\n    1SOL     OW    1   0.100   0.200   0.300\n 0 0 0\n");
  ASSERT_EQ(folder.run("dropmd convert t.gro a.dcd").status, 0);
  ASSERT_EQ(folder.run("dropmd convert a.dcd b.dcd").status, 0);
  EXPECT_EQ(folder.text("b.dcd"), folder.text("a.dcd"));
  EXPECT_EQ(frames_in(folder, "b.dcd").at(0).structure.title, "some water");
}

/// In frames that atoms have left, names follow the ids.
TEST(ConvertCommand, NamesOfFramesThatAtomsHaveLeft) {
  const AppFolder folder;
  const std::string first = "ATOM      1  OW  SOL     1       0.000   0.000   0.000  1.00  0.00           O\n",
                    second = "ATOM      9 NA   NA+     2       1.000   0.000   0.000  1.00  0.00          NA\n";
  folder.write("a.pdb", "MODEL        1\n" + first + second + "ENDMDL\nMODEL        2\n" + second + "ENDMDL\n");
  ASSERT_EQ(folder.run("dropmd convert a.pdb b.cif").status, 0);
  const std::vector<InputFrame> frames = frames_in(folder, "b.cif");
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_THAT(frames[0].structure.atom_name, ElementsAre("OW", "NA"));
  EXPECT_THAT(frames[1].structure.residue_name, ElementsAre("NA+"));
  EXPECT_THAT(frames[1].ids, ElementsAre(9));
  ASSERT_EQ(folder.run("dropmd convert a.pdb b.gro").status, 0);
  EXPECT_THAT(folder.text("b.gro"), HasSubstr("NA+"));
}

/// The first frame needs no ids, since they are 1 and 2 there.
TEST(ConvertCommand, IdsOfFramesThatAtomsHaveLeft) {
  const AppFolder folder;
  const std::string first = "ATOM      1  OW  SOL     1       0.000   0.000   0.000  1.00  0.00           O\n",
                    second = "ATOM      2 NA   NA+     2       1.000   0.000   0.000  1.00  0.00          NA\n";
  folder.write("a.pdb", "MODEL        1\n" + first + second + "ENDMDL\nMODEL        2\n" + second + "ENDMDL\n");
  for (const char* const extension : {".xyz", ".pdb", ".cif", ".gsd"}) {
    const std::string file = std::string("b") + extension;
    const Outcome outcome = folder.run("dropmd convert a.pdb " + file);
    if (outcome.err.find("this build of dropmd does not support") != std::string::npos) continue;
    const std::vector<InputFrame> frames = frames_in(folder, file);
    ASSERT_EQ(frames.size(), 2U) << outcome.err;
    EXPECT_EQ(frames[0].structure.position.size(), 2U);
    EXPECT_THAT(frames[1].ids, ElementsAre(2)) << extension;
  }
}

TEST(ConvertCommand, RemovesWhatAKilledOneLeft) {
  const AppFolder folder;
  folder.write("a.xyz", kArgon);
  const std::string left = ".b.xyz.4194304-0.tmp", running = fmt::format(".b.xyz.{}-0.tmp", ::getpid());
  folder.write(left, "half a frame");
  folder.write(running, "of another process");
  ASSERT_EQ(folder.run("dropmd convert a.xyz b.xyz").status, 0);
  EXPECT_FALSE(folder.has(left)) << "processes have lower numbers";
  EXPECT_TRUE(folder.has(running));
}

TEST(ConvertCommand, RefusesWhatMakesNoSense) {
  const AppFolder folder;
  folder.write("a.xyz", kArgon);
  folder.write("two words.xyz", "1\n\nAr 0 0 0\n");
  folder.write("b.xyz", "");
  const auto expect = [&](const std::string& words, int status, const std::string& message) {
    const Outcome outcome = folder.run("dropmd convert " + words);
    EXPECT_EQ(outcome.status, status) << words << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << words;
  };
  expect("a.xyz", 2, "convert takes two files (dropmd convert IN OUT)");
  expect("a.xyz c.xyz --every 0", 2, "--every 0 is too small");
  expect("a.xyz c.xyz --link-distance 3", 2, "--link-distance is for --select droplet");
  expect("a.xyz a.xyz --force", 6, "a.xyz is an input");
  expect("a.xyz b.xyz", 6, "b.xyz exists (use --force to overwrite it, or choose another output)");
  expect("none.xyz b.xyz", 3, "none.xyz: no such file");
  expect("a.xyz b.xyz --structure none.gro", 3, "none.gro: no such file");
  expect("b.xyz c.xyz", 3, "b.xyz:1:1: the file is empty");
  expect("a.xyz c.xyz --units lj", 3, "the structure is in units real, but --units says lj");
  expect("a.xyz none/c.xyz", 6, "there is no folder none");
  EXPECT_FALSE(folder.has("c.xyz"));
  const Outcome units = ChildProcess(folder.path(), {DROPMD_BINARY, "convert", "two words.xyz", "c d.xyz"}).wait();
  EXPECT_EQ(units.status, 0);
  EXPECT_THAT(units.err, HasSubstr("two words.xyz does not state its units: real is assumed (--units lj"));
  EXPECT_TRUE(folder.has("c d.xyz"));
}

}  // namespace
}  // namespace dropmd
