#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/report/base64.h"
#include "app/report/frame_json.h"
#include "app/report/html_text.h"
#include "app/report/run_facts.h"
#include "app/report/run_tables.h"
#include "app/report/shown_atoms.h"
#include "app/report/trajectory_frames.h"
#include "core/errors.h"
#include "tests/support/system/temp_folder.h"

/// What a report reads (tables and frames), and how it writes texts.
namespace dropmd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHeader = "# dropmd 0.1.0, units: real (length A, energy kcal/mol, time fs, temperature K)\n";

TEST(ColumnUnits, AreThoseOfTheLineOfUnits) {
  EXPECT_EQ(unit_of_column("total", kHeader, "energy.csv"), "kcal/mol");
  EXPECT_EQ(unit_of_column("time", kHeader, "energy.csv"), "fs");
  EXPECT_EQ(unit_of_column("vapour_temperature", kHeader, "droplet.csv"), "K");
  EXPECT_EQ(unit_of_column("radius", kHeader, "droplet.csv"), "Å");
  EXPECT_EQ(unit_of_column("density_SOL", kHeader, "profile.csv"), "Å⁻³");
  EXPECT_EQ(unit_of_column("potential", kHeader, "profile.csv"), "kcal/mol/e");
  EXPECT_EQ(unit_of_column("potential", kHeader, "energy.csv"), "kcal/mol");
  EXPECT_EQ(unit_of_column("molecules", kHeader, "droplet.csv"), "");
  EXPECT_EQ(unit_of_column("total", "dropmd 0.1.0, units: lj (length sigma, energy epsilon)", "energy.csv"), "ε");
}

TEST(HtmlText, EscapesWhatHtmlReads) {
  EXPECT_EQ(html_text("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(html_text("\xFF\x01"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(json_for_script(R"({"a":"</script><!--"})"), R"({"a":"\u003c/script>\u003c!--"})");
  EXPECT_EQ(json_for_script(""), "");
}

/// The test vectors of RFC 4648.
TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64_of(std::string("")), "");
  EXPECT_EQ(base64_of(std::string("f")), "Zg==");
  EXPECT_EQ(base64_of(std::string("fo")), "Zm8=");
  EXPECT_EQ(base64_of(std::string("foo")), "Zm9v");
  EXPECT_EQ(base64_of(std::string("foobar")), "Zm9vYmFy");
}

TEST(Durations, AreInWords) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(18'600), "5 h 10 min");
}

/// A frame of an atom at x = `at`, with 1,000 others.
std::string frame_at(double at) {
  std::string text =
      "1001\nProperties=species:S:1:pos:R:3 Time=" + std::to_string(at) + "\nAr " + std::to_string(at) + " 0 0\n";
  for (int k = 1; k <= 1000; ++k) text += "Ar 0 " + std::to_string(3 * k) + " 12345.678901234567890123456789\n";
  return text;
}

TEST(TrajectoryFrames, AreTheFirstAndTheLastCompleteOne) {
  const TempFolder folder;
  std::string text;
  for (int k = 0; k < 60; ++k) text += frame_at(k);  // some 3 MB, more than is read at first
  for (const std::string& cut : {std::string(), std::string("1001\n"), frame_at(99).substr(0, 20'000)}) {
    const auto path = folder.write("trajectory.xyz", text + cut);
    EXPECT_EQ(read_trajectory_frame(path, FrameChoice::first, UnitSystem::lj)->position[0].x, 0);
    EXPECT_EQ(read_trajectory_frame(path, FrameChoice::last, UnitSystem::lj)->position[0].x, 59);
    EXPECT_EQ(read_trajectory_frame(path, FrameChoice::last, UnitSystem::lj)->position.size(), 1001U);
  }
}

TEST(TrajectoryFrames, OfAFileWithoutACompleteFrameAreRefused) {
  const TempFolder folder;
  for (const char* text : {"", "\n", "3\n", "3\ntitle\nAr 0 0 0\n", "no number\n"}) {
    const auto path = folder.write("trajectory.xyz", text);
    EXPECT_THROW(read_trajectory_frame(path, FrameChoice::first, UnitSystem::lj), InputError) << text;
    EXPECT_THROW(read_trajectory_frame(path, FrameChoice::last, UnitSystem::lj), InputError) << text;
  }
  EXPECT_THROW(read_trajectory_frame(folder.path() / "none.xyz", FrameChoice::first, UnitSystem::lj), InputError);
  EXPECT_THROW(read_trajectory_frame(folder.write("a.xtc", "x"), FrameChoice::last, UnitSystem::lj), InputError);
}

/// A cube of 20³ atoms, 1 apart: those of the outermost two layers are in cubes of edge 2 at the surface.
TEST(ShownAtoms, AreTheSurfaceIfThereAreTooMany) {
  std::vector<Vec3<double>> position;
  std::vector<std::uint32_t> all;
  for (int k = 0; k < 8000; ++k) {
    const int layer = k / 400, row = k / 20 % 20;
    position.push_back({k % 20 + 0.5, row + 0.5, layer + 0.5});
    all.push_back(static_cast<std::uint32_t>(k));
  }
  EXPECT_EQ(choose_atoms(position, all, 2, 8000).index.size(), 8000U);
  EXPECT_EQ(choose_atoms(position, all, 2, 8000).what, "");
  const ShownAtoms surface = choose_atoms(position, all, 2, 7000);
  EXPECT_EQ(surface.index.size(), 8000U - 16 * 16 * 16);
  EXPECT_EQ(surface.what, "the surface: 3904 of 8000 atoms");
  const ShownAtoms part = choose_atoms(position, all, 2, 1000);
  EXPECT_LE(part.index.size(), 1000U);
  EXPECT_GE(part.index.size(), 900U);
  EXPECT_THAT(part.what, HasSubstr("a part of the surface"));
}

TEST(FrameJson, HasElementsByNameAndMassAndNoVirtualSites) {
  Structure structure;
  structure.position = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.1}, {5, 5, 5}};
  structure.species_names = {"OW", "HW1", "HW2", "MW", "NA"};
  structure.species = {0, 1, 2, 3, 4};
  structure.mass = {15.9994, 1.008, 1.008, 0, 22.99};
  const std::string json = json_line(frame_json(structure, UnitSystem::real, "x", 100));
  EXPECT_THAT(json, HasSubstr(R"({"name":"O","element":"O")"));
  EXPECT_THAT(json, HasSubstr(R"("count":2})")) << "both hydrogens are one kind";
  EXPECT_THAT(json, HasSubstr(R"({"name":"Na","element":"Na")"));
  EXPECT_THAT(json, HasSubstr(R"("kind":"AAEBAw==")")) << "no virtual site";
  structure.mass.clear();
  EXPECT_THAT(json_line(frame_json(structure, UnitSystem::real, "x", 100)),
              HasSubstr(R"({"name":"Na","element":"Na")"));
  structure = {};
  structure.species_names = {"X"};
  EXPECT_THAT(json_line(frame_json(structure, UnitSystem::lj, "x", 100)), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace dropmd
