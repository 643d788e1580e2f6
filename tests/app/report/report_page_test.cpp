#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/system/run_folder.h"

/// The page that `dropmd report` makes of a run's folder.
namespace dropmd {
namespace {

using PlainJson = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHeaderOfRun =
    "# dropmd 0.1.0, units: real (length A, energy kcal/mol, time fs, temperature K)\n";
constexpr const char* kBegin = "<script id=\"data\" type=\"application/json\">";

class Report : public RunFolderTest {
 protected:
  /// Makes the page of a folder and returns it.
  std::string page_of(const std::string& name) const {
    const Outcome outcome = run("dropmd report " + name + " --force");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return text(name + "/report.html");
  }
  /// The data of a page, which must be valid JSON and end where the element ends.
  static PlainJson data_of(const std::string& page) {
    const std::size_t begin = page.find(kBegin) + std::string(kBegin).size();
    return PlainJson::parse(page.substr(begin, page.find("</script", begin) - begin));
  }
  static std::string missing_of(const std::string& page) { return page.substr(page.find("id=\"missing\"")); }
  void write(const std::string& name, const std::string& contents) const { folder().write(name, contents); }
};

std::string status(const std::string& state) {
  return "{\n  \"step\": 40,\n  \"steps\": 100,\n  \"time\": 80,\n  \"energy\": -1.5,\n  \"temperature\": 150,\n  "
         "\"steps_per_second\": 12.5,\n  \"eta_seconds\": 4000,\n  \"state\": \"" +
         state + "\",\n  \"checkpoint_step\": null\n}\n";
}

TEST_F(Report, OfAFinishedRunHasItsParts) {
  ASSERT_EQ(run("dropmd run -q run.toml --steps 40 -o out").status, 0);
  const Outcome outcome = run("dropmd report out --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const PlainJson json = PlainJson::parse(outcome.out);
  EXPECT_EQ(json["file"], "out/report.html");
  EXPECT_EQ(json["parts"], (PlainJson{"energy", "ledger", "clusters", "frames", "timings"}));
  const std::string page = text("out/report.html");
  EXPECT_EQ(json["bytes"], page.size());
  EXPECT_THAT(page, AllOf(HasSubstr("finished, step 40 of 40"), HasSubstr("steps per second"), HasSubstr("langevin"),
                          HasSubstr("[lennard-jones]"), HasSubstr("CPU, mixed precision, pair-list")));
  EXPECT_THAT(missing_of(page), HasSubstr("Size of the droplet: there is no droplet.csv"));
  const PlainJson parts = data_of(page)["parts"];
  EXPECT_EQ(parts["energy"]["rows"], 9);
  EXPECT_EQ(parts["energy"]["columns"][2]["unit"], "kcal/mol");
  ASSERT_EQ(parts["frames"].size(), 2U);
  EXPECT_EQ(parts["frames"][0]["label"], "First frame: 0 fs");
  EXPECT_EQ(parts["frames"][1]["label"], "Last state: step 40, 80 fs");
  EXPECT_EQ(parts["frames"][1]["atoms"], 150);
}

/// Formats without names, units or masses take them from the run: without that, virtual sites would be shown as atoms,
/// and reduced lengths ten times too long.
TEST_F(Report, OfEveryTrajectoryFormatShowsTheSameAtoms) {
  const std::string water = std::string(DROPMD_SOURCE_DIR) + "/inputs/samples/evaporation.toml",
                    cluster = std::string(DROPMD_SOURCE_DIR) + "/inputs/samples/lj-cluster-13-langevin.toml";
  std::string missing;
  for (const char* format : {"xyz", "dcd", "gsd", "pdb", "cif", "xtc"}) {
    SCOPED_TRACE(format);
    const std::string set =
        " --set output.trajectory=t." + std::string(format) + " --set output.trajectory-every=2 -o ";
    const Outcome made = run("dropmd run -q " + water + " --steps 4" + set + "water-" + format);
    if (made.status != 0 && made.err.find("this build of dropmd does not support") != std::string::npos) {
      missing += std::string(" .") + format;
      continue;
    }
    ASSERT_EQ(made.status, 0) << made.err;
    const PlainJson first = data_of(page_of(std::string("water-") + format))["parts"]["frames"][0];
    EXPECT_EQ(first["label"], "First frame: 0 fs");
    for (const PlainJson& kind : first["kinds"])
      EXPECT_EQ(kind["count"], kind["name"] == "O" ? 500 : kind["name"] == "H" ? 1000 : 0) << kind["name"];
    ASSERT_EQ(run("dropmd run -q " + cluster + " --steps 4" + set + "lj-" + format).status, 0);
    const PlainJson frames = data_of(page_of(std::string("lj-") + format))["parts"]["frames"];
    EXPECT_THAT(std::string(frames[1]["label"]), testing::StartsWith("Last state: step 4, "));
    // The extent of the cluster, which 4 steps hardly change.
    EXPECT_NEAR(frames[0]["scale"], frames[1]["scale"], 0.1 * frames[1]["scale"].get<double>());
  }
  if (!missing.empty()) GTEST_SKIP() << "this build has no" << missing << "; the other formats are right";
}

TEST_F(Report, FindsTheTrajectoryOfARunWithoutACheckpoint) {
  ASSERT_EQ(run("dropmd run -q run.toml --steps 10 -o out --set output.trajectory=frames.dcd").status, 0);
  for (const char* name : {"checkpoint.h5", "checkpoint-previous.h5", "final.xyz", "final.gro"})
    std::filesystem::remove(folder().path() / "out" / name);
  const PlainJson frames = data_of(page_of("out"))["parts"]["frames"];
  ASSERT_FALSE(frames.empty());
  EXPECT_THAT(std::string(frames[0]["label"]), testing::StartsWith("First frame"));
}

/// Neither a name of a file nor an address: nothing is loaded from elsewhere.
TEST_F(Report, NeedsNothingElse) {
  ASSERT_EQ(run("dropmd run -q run.toml --steps 10 -o out").status, 0);
  const std::string page = page_of("out");
  for (const char* loaded : {"http://", "https://", " src=", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(loaded)));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST_F(Report, EscapesTitlesAndNames) {
  write("titled.toml", "title = \"</script><script>alert(1)</script> & \\\"x\\\" <b>\"\n" + text("run.toml"));
  ASSERT_EQ(run("dropmd run -q titled.toml --steps 10 -o 'a<b>&\"c'").status, 0);
  ASSERT_EQ(run("dropmd report 'a<b>&\"c' -o page.html").status, 0);
  const std::string page = text("page.html");
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script> &")));
  EXPECT_THAT(page,
              HasSubstr("<h1>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot; &lt;b&gt;</h1>"));
  EXPECT_THAT(page, HasSubstr("a&lt;b&gt;&amp;&quot;c"));
}

TEST_F(Report, EscapesNamesOfEventsAndSpecies) {
  write("out/status.json", status("finished"));
  write("out/events.csv",
        std::string(kHeaderOfRun) +
            "step,time,event,molecule,name,charge,x,y,z,vx,vy,vz,kinetic,cluster_molecules\n"
            "5,10,ejected,7,</script><i>,1,0,0,0,0,0,0,2.5,3\n5,10,unheard,7,A,1,0,0,0,0,0,0,2.5,3\n");
  write("out/trajectory.xyz", "1\nProperties=species:S:1:pos:R:3\n</script> 0 0 0\n");
  const std::string page = page_of("out");
  const PlainJson parts = data_of(page)["parts"];
  EXPECT_EQ(parts["events"]["list"][0]["name"], "</script><i>");
  EXPECT_EQ(parts["events"]["rows"], 1);
  EXPECT_EQ(parts["events"]["skipped"], 1);
  EXPECT_EQ(parts["events"]["totals"][2], (PlainJson{{"event", "ejected"}, {"events", 1}, {"molecules", 3.0}}));
  EXPECT_EQ(parts["frames"][0]["kinds"][0]["name"], "</script>");
}

TEST_F(Report, HasTheWallTimeByPhaseOfAllParts) {
  write("out/status.json", status("running"));
  EXPECT_THAT(missing_of(page_of("out")), HasSubstr("Wall time by phase: there is no timings.csv (earlier versions"));
  const std::string header =
      "# wall time of a run of dropmd by phase, in seconds\npart,first_step,last_step,phase,seconds\n";
  write("out/timings.csv",
        header +
            "1,0,60,inputs,0.5\n1,0,60,forces,1.5\n1,0,60,other,0.25\n2,40,100,forces,2\n2,40,100,outputs,"
            "0.5\n2,40,100,other,0.25\n");
  const PlainJson timings = data_of(page_of("out"))["parts"]["timings"];
  EXPECT_EQ(timings["steps"], 120);
  EXPECT_EQ(timings["seconds"], 5.0);
  EXPECT_EQ(timings["parts"][1], (PlainJson{{"first_step", 40.0}, {"last_step", 100.0}, {"seconds", 2.75}}));
  std::string names;
  for (const PlainJson& phase : timings["phases"]) names += phase["name"].get<std::string>() + " ";
  EXPECT_EQ(names, "forces inputs outputs other ");
  write("out/timings.csv", header + "1,0,60,inputs,often\n");
  EXPECT_THAT(missing_of(page_of("out")), HasSubstr("Wall time by phase: out/timings.csv: a row without its numbers"));
  write("out/timings.csv", header + "1,0,60,inputs,0.5\n1,0,60\n");
  EXPECT_THAT(missing_of(page_of("out")), HasSubstr("out/timings.csv: a row with too few or too many fields"));
}

TEST_F(Report, OfARunInProgress) {
  write("out/status.json", status("running"));
  write("out/energy.csv", std::string(kHeaderOfRun) +
                              "step,time,potential,kinetic,total,temperature\n0,0,-2,1,-1,nan\n"
                              "10,20,-3,1.5,-1.5,150\n20,40,-2.5,1,-1.");
  const std::string page = page_of("out");
  EXPECT_THAT(page, HasSubstr("<title>Run in out</title>"));
  EXPECT_THAT(page, HasSubstr("running, step 40 of 100, 1 h 6 min left"));
  EXPECT_THAT(missing_of(page), HasSubstr("there is no checkpoint yet"));
  EXPECT_EQ(data_of(page)["parts"]["energy"]["rows"], 2) << "the last row is not complete";
}

TEST_F(Report, OfADamagedTrajectorySaysSoBesideItsFirstFrame) {
  ASSERT_EQ(run("dropmd run -q run.toml --steps 20 -o out").status, 0);
  std::string frames = text("out/trajectory.xyz");
  frames[frames.size() - 2] = 'x';  // in the last number
  write("out/trajectory.xyz", frames);
  const Outcome outcome = run("dropmd report out");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, testing::StartsWith("dropmd: warning: Frames of the trajectory: out/trajectory.xyz:"));
  const std::string page = text("out/report.html");
  EXPECT_THAT(missing_of(page), HasSubstr("Frames of the trajectory: out/trajectory.xyz:"));
  EXPECT_EQ(data_of(page)["parts"]["frames"].size(), 2U);
  EXPECT_EQ(run("dropmd report out --force -q").err, "");
}

TEST_F(Report, OfAFailedRunAndOfOneThatWasKilled) {
  write("out/status.json", status("failed"));
  EXPECT_THAT(page_of("out"),
              AllOf(HasSubstr("data-state=\"failed\""), HasSubstr("failed, step 40 of 100; there is no checkpoint")));
  write("out/status.json", status("running"));
  std::filesystem::last_write_time(folder().path() / "out/status.json",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(3));
  EXPECT_THAT(page_of("out"), HasSubstr("status.json is 3 h 0 min old, so the run may have been killed"));
}

TEST_F(Report, OfDamagedFilesSaysWhatIsLeftOut) {
  ASSERT_EQ(run("dropmd run -q run.toml --steps 10 -o out").status, 0);
  write("out/energy.csv", "nonsense\n");
  write("out/droplet.csv", "");
  write("out/profile.csv", std::string(kHeaderOfRun) + "step,r,temperature\n");
  write("out/status.json", "{\"state\": ");
  write("out/checkpoint.h5", "nonsense");
  std::filesystem::remove(folder().path() / "out/checkpoint-previous.h5");
  const std::string page = page_of("out");
  EXPECT_THAT(page, HasSubstr("state not known (status.json cannot be read)"));
  EXPECT_THAT(missing_of(page),
              AllOf(HasSubstr("Energies and temperature: out/energy.csv:1: the first line is not a comment"),
                    HasSubstr("Size of the droplet: out/droplet.csv"),
                    HasSubstr("Run file, sizes of clusters and potential map: out")));
  EXPECT_EQ(data_of(page)["parts"]["profile"]["blocks"], PlainJson::array());
  EXPECT_EQ(data_of(page)["parts"]["frames"].size(), 2U) << "from the trajectory and the final structure";
}

TEST_F(Report, ThinsLongTablesAndSaysSo) {
  std::string rows = std::string(kHeaderOfRun) + "step,time,potential,kinetic,total,temperature\n";
  for (int k = 0; k < 50'000; ++k) {
    const std::string n = std::to_string(k);
    rows += n + ',' + n + ",-1," + (k == 31'234 ? "77" : "1") + ",0," + n + '\n';
  }
  write("out/energy.csv", rows);
  const PlainJson energy = data_of(page_of("out"))["parts"]["energy"];
  EXPECT_EQ(energy["rows"], 50'000);
  EXPECT_LE(energy["shown"], 4002);
  EXPECT_GE(energy["shown"], 500);
  EXPECT_LT(text("out/report.html").size(), 300'000U);
}

TEST_F(Report, NeverReplacesAFileOfTheRun) {
  ASSERT_EQ(run("dropmd run -q run.toml --steps 10 -o out").status, 0);
  for (const std::string name : {"out/energy.csv", "out/checkpoint.h5", "out/trajectory.xyz"}) {
    const std::string before = text(name);
    const Outcome outcome = run("dropmd report out --force -o " + name);
    EXPECT_NE(outcome.status, 0);
    EXPECT_THAT(outcome.err, HasSubstr(name + " is an input (choose another name for the output)"));
    EXPECT_EQ(text(name), before);
  }
}

TEST_F(Report, DoesNotOverwriteAndNamesItsMistakes) {
  ASSERT_EQ(run("dropmd run -q run.toml --steps 10 -o out").status, 0);
  ASSERT_EQ(run("dropmd report out").out, "out/report.html\n");
  const Outcome again = run("dropmd report out");
  EXPECT_EQ(again.status, 6);
  EXPECT_THAT(again.err, HasSubstr("out/report.html"));
  const std::string before = text("out/report.html");
  ASSERT_EQ(run("dropmd report out --force").status, 0);
  EXPECT_TRUE(text("out/report.html") == before) << "the same files make the same page";
  EXPECT_EQ(run("dropmd report").status, 2);
  EXPECT_EQ(run("dropmd report out out").status, 2);
  EXPECT_THAT(run("dropmd report nowhere").err, HasSubstr("nowhere: no such folder"));
  EXPECT_THAT(run("dropmd report run.toml").err, HasSubstr("run.toml: not a folder"));
  folder().write("empty/x", "");
  const Outcome empty = run("dropmd report empty");
  EXPECT_EQ(empty.status, 3);
  EXPECT_THAT(empty.err, HasSubstr("empty: no run has left its files here"));
  EXPECT_FALSE(folder().has("empty/report.html"));
}

/// A minimiser has steps, but no time, and may end early.
TEST_F(Report, OfAMinimiserHasNoTime) {
  ASSERT_EQ(run("dropmd run -q inputs/samples/lj-cluster-13.toml -o out").status, 0);
  const PlainJson parts = data_of(page_of("out"))["parts"];
  EXPECT_EQ(parts["frames"][0]["label"], "Structure at the start");
  EXPECT_THAT(parts["frames"][1]["label"].get<std::string>(), Not(HasSubstr("tau")));
  EXPECT_EQ(parts["clusters"]["sizes"], (PlainJson{{13, 1}}));
}

TEST_F(Report, HasASliceOfTheMapForEachAxis) {
  write_run_file("maps.toml", {.map = "[map]\nevery = 5\nspacing = 1\n"});
  ASSERT_EQ(run("dropmd run -q maps.toml --steps 10 -o out").status, 0);
  const PlainJson map = data_of(page_of("out"))["parts"]["map"];
  EXPECT_EQ(map["frames"], 3);
  EXPECT_EQ(map["unit"], "kcal/mol/e");
  ASSERT_EQ(map["slices"].size(), 3U);
  const PlainJson& slice = map["slices"][0];
  EXPECT_EQ(slice["axis"], "z");
  const auto points = slice["points"].get<std::vector<std::size_t>>();
  EXPECT_EQ(slice["potential"].get<std::string>().size(), (points[0] * points[1] * 4 + 2) / 3 * 4);
}

TEST_F(Report, OfAnEnsembleHasRunsAndMeans) {
  ASSERT_EQ(
      run("dropmd ensemble -q run.toml --vary integrator.temperature=100,200 --replicas 2 --steps 60 -o all").status,
      0);
  const std::string page = page_of("all");
  EXPECT_THAT(page,
              AllOf(HasSubstr("4 of 4 runs are over"), HasSubstr("4 finished"), HasSubstr("integrator.temperature")));
  const PlainJson data = data_of(page);
  EXPECT_EQ(data["keys"], (PlainJson{"integrator.temperature"}));
  EXPECT_EQ(data["quantities"]["potential"], "kcal/mol");
  ASSERT_EQ(data["runs"].size(), 4U);
  const PlainJson& third = data["runs"][2];
  EXPECT_EQ(third["values"], (PlainJson{"200"}));
  EXPECT_EQ(third["seed"], 3);
  EXPECT_TRUE(third["good"].get<bool>());
  EXPECT_EQ(third["energy"]["rows"], 13);
  EXPECT_GT(third["means"]["temperature"][0].get<double>(), 100);
  // One of its runs is a run like any other.
  EXPECT_THAT(page_of("all/0002"), HasSubstr("finished, step 60 of 60"));
}

}  // namespace
}  // namespace dropmd
