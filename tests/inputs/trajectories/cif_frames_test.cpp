#include <gmock/gmock.h>

#include "tests/inputs/trajectories/read_frames.h"

/// mmCIF files whose models are frames.
namespace dropmd {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty, testing::StartsWith;

constexpr std::string_view kItems =
    "loop_\n_atom_site.id\n_atom_site.type_symbol\n_atom_site.label_atom_id\n_atom_site.label_comp_id\n"
    "_atom_site.label_seq_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
    "_atom_site.pdbx_PDB_model_num\n";

/// As dropmd writes it.
const std::string kOurs = "data_dropmd\n# units: real (t in ps)\n_struct.title\n;water\n;\n" + std::string(kItems) +
                          "# step= 250 atoms= 2 t= 0.5\n3 O OW SOL 1 1 2 3 1\n4 X MW SOL 1 1 2 4 1\n"
                          "# step= 500 atoms= 1 t= 1\n3 O OW SOL 1 5 2 3 2\n";

TEST(CifFrames, AreModels) {
  const std::vector<InputFrame> frames = frames_of("t.cif", kOurs);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].step, 250);
  EXPECT_EQ(frames[0].structure.time, 500.0);
  EXPECT_EQ(frames[0].structure.title, "water");
  EXPECT_THAT(frames[0].ids, ElementsAre(3, 4));
  EXPECT_THAT(frames[0].structure.species_names, ElementsAre("O", "X")) << "a virtual site";
  EXPECT_THAT(frames[0].structure.atom_name, ElementsAre("OW", "MW"));
  EXPECT_EQ(frames[1].structure.title, "water");
  EXPECT_EQ(frames[1].structure.position.at(0).x, 5);
  EXPECT_EQ(frames[1].structure.place_of_atom(0).line, 20U);
  EXPECT_THAT(frames[0].structure.warnings, IsEmpty()) << "it is not that other models are left out";
}

/// Ids of other programs go on from one model to the next, or count from 1 in each.
TEST(CifFrames, OfOtherProgramsHaveNeitherIdsNorTimes) {
  const std::string text = "data_x\n#\n" + std::string(kItems) +
                           "1 O OW SOL 1 1 2 3 1 \n2 H 'H W1' SOL 1 1 2 4 1\n3 O OW SOL 1 5 2 3 2\n"
                           "4 H 'H W1' SOL 1 1 2 4 2\n#\nloop_\n_other.id\n1\n2\n";
  for (const std::string& end : {std::string(), std::string("# \n\n"), std::string("data_y\n_a.b 1\n")}) {
    const std::vector<InputFrame> frames = frames_of("t.mmcif", text + end);
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_THAT(frames[1].ids, IsEmpty());
    EXPECT_EQ(frames[1].structure.time, std::nullopt);
    EXPECT_EQ(frames[1].structure.atom_name.at(1), "H W1");
  }
  const std::string unended = text.substr(0, text.find("\n#\nloop_\n_other"));
  EXPECT_EQ(frames_of("t.cif", unended).size(), 2U) << "the last line has no end";
}

/// Any arrangement that CIF allows is read as a structure: the first model.
TEST(CifFrames, AtomsThatAreNotALineEachAreOneFrame) {
  std::string text = "data_x\n" + std::string(kItems) + "1 O OW SOL 1\n1 2 3 1\n2 O OW SOL 2 1 2 3 2\n";
  EXPECT_EQ(frames_of("t.cif", text).size(), 1U);
  EXPECT_EQ(frames_of("t.cif",
                      "data_x _atom_site.id 1 _atom_site.label_atom_id A _atom_site.Cartn_x 1\n"
                      "_atom_site.Cartn_y 1 _atom_site.Cartn_z 1\n")
                .size(),
            1U);
}

TEST(CifFrames, ACutOffModelIsAnErrorBehindTheCompleteOnes) {
  for (const std::size_t n_cut : {1U, 2U, 15U, 22U, 30U}) {
    const PartialReading reading = partial_reading("t.cif", kOurs.substr(0, kOurs.size() - n_cut));
    EXPECT_EQ(reading.n_frames, 1U) << n_cut;
    EXPECT_TRUE(reading.is_cut_off) << n_cut << reading.message;
    EXPECT_THAT(reading.message, StartsWith("FILE:19:1: this frame is cut off: the file ends after ")) << n_cut;
  }
  const std::string first = kOurs.substr(0, kOurs.find("4 X"));
  EXPECT_EQ(partial_reading("t.cif", first).message,
            "FILE:16:1: this frame is cut off: the file ends after 1 of 2 atoms");
  EXPECT_FALSE(partial_reading("t.cif", first).is_cut_off);
}

TEST(CifFrames, MistakesHaveTheirLines) {
  const auto message_with = [](std::string_view row, std::string_view other) {
    std::string text = kOurs;
    return partial_reading("t.cif", text.replace(text.find(row), row.size(), other)).message;
  };
  EXPECT_EQ(message_with("3 O OW SOL 1 5", "3 O OW SOL 1 x"),
            "FILE:20:14: Cartn_x is 'x', not a number (expected: a decimal number such as -1.25e-3)");
  EXPECT_EQ(message_with("3 O OW SOL 1 5", "3 O OW SOL 5"),
            "FILE:20:1: 8 of 9 values of an atom (give each atom one line)");
  EXPECT_EQ(message_with("4 X MW SOL 1", "4 X MW SOL 1 7"),
            "FILE:18:1: 10 of 9 values of an atom (give each atom one line)");
  EXPECT_EQ(message_with("atoms= 2", "atoms= 3"), "FILE:16:1: this frame has 2 of 3 atoms");
}

TEST(CifFrames, CanBeSkipped) {
  const TempFolder folder;
  std::string text = "data_x\n" + std::string(kItems);
  for (const char* const x : {"0", "1", "2", "3", "4"}) text += std::string("1 O OW SOL 1 ") + x + " 2 3 " + x + "\n";
  EXPECT_THAT(every_other_x(folder.write("t.cif", text)), ElementsAre(0, 2, 4));
}

}  // namespace
}  // namespace dropmd
