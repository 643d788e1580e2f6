#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "core/units.h"
#include "core/vec3.h"
#include "tests/support/system/app_folder.h"

/// `dropmd map` and `dropmd ions` as a user runs them.
namespace dropmd {
namespace {

using OrderedJson = nlohmann::ordered_json;
using testing::HasSubstr;

/// The values of an OpenDX file after its header, z fastest.
std::vector<double> dx_values(const std::string& text) {
  std::istringstream in(text.substr(text.find("data follows") + 12));
  std::vector<double> values;
  for (double v = 0; in >> v;) values.push_back(v);
  return values;
}

class MapCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("pair.drop", "two charges\n2\n5\n-1 0 0 1\n1 0 0 -1\n");
    folder_.write("pair.toml",
                  "units = \"real\"\n[system]\nstructure = \"pair.drop\"\nmass = 10.0\n[coulomb]\nform = \"exact\"\n");
  }
  Outcome run(const std::string& line) const { return folder_.run("dropmd " + line); }
  std::string error_of(const std::string& line, int status) const {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.status, status) << line << '\n' << outcome.err;
    return outcome.err;
  }
  const AppFolder& folder() const { return folder_; }

 private:
  AppFolder folder_;
};

TEST_F(MapCommand, ValuesAreInThePromisedUnitAndOrder) {
  const std::string grid = " --origin=-2,-1,0 --points 3,2,2 --spacing 2,1,0.5 -q --backend cpu --precision double";
  const struct {
    const char* options;
    double k;
  } units[] = {{"", kRealUnits.coulomb},
               {" --unit V", kRealUnits.coulomb * kVoltPerEnergy},
               {" --unit kT --temperature 300", kRealUnits.coulomb / (kRealUnits.boltzmann * 300)}};
  for (const auto& [options, k] : units) {
    const Outcome outcome = run("map pair.toml -o v.dx --force" + grid + options);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const std::string text = folder().text("v.dx");
    EXPECT_THAT(text, HasSubstr("counts 3 2 2"));
    const std::vector<double> values = dx_values(text);
    ASSERT_EQ(values.size(), 12U);
    std::size_t at = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 2; ++j)
        for (int l = 0; l < 2; ++l, ++at) {
          const double x = -2 + 2 * i, yz = std::hypot(-1 + j, 0.5 * l);
          const double expected = k * (1 / std::hypot(x + 1, yz) - 1 / std::hypot(x - 1, yz));
          EXPECT_NEAR(values[at], expected, 1e-10 * k) << options << ' ' << i << j << l;
        }
  }
}

TEST_F(MapCommand, WritesEveryFileAndSaysSo) {
  for (const char* const name : {"m.dx", "m.cube", "m.mrc", "m.ccp4", "m.map", "m.vti"}) {
    const Outcome outcome = run(std::string("map pair.toml --spacing 1 --backend cpu -o ") + name);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(std::string("wrote ") + name));
    EXPECT_TRUE(folder().has(name));
  }
  EXPECT_EQ(
      run("map pair.toml --spacing 1 --backend cpu --field -o f.vti --png s.png --slice x=0.5 --radial r.csv").status,
      0);
  EXPECT_THAT(folder().text("f.vti"), HasSubstr("\"field\""));
  EXPECT_THAT(folder().text("s.png").substr(1, 3), "PNG");
  EXPECT_THAT(folder().text("r.csv"), HasSubstr("r,potential,points"));
}

TEST_F(MapCommand, JsonHasTheDocumentedFields) {
  const Outcome outcome =
      run("map pair.toml --spacing 1 --padding 1 --cutoff 4 --backend cpu --json -q --radial r.csv");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const OrderedJson json = OrderedJson::parse(outcome.out);
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"n_atoms",     "units",       "backend", "device",        "precision",
                                             "method",      "form",        "cutoff",  "mesh",          "origin",
                                             "spacing",     "points",      "unit",    "potential_min", "potential_max",
                                             "near_points", "evaluations", "seconds", "version",       "files"}));
  EXPECT_EQ(json["points"], (OrderedJson{5, 3, 3}));
  EXPECT_EQ(json["origin"], (OrderedJson{-2.0, -1.0, -1.0}));
  EXPECT_EQ(json["form"], "shift");
  EXPECT_TRUE(json["mesh"].is_null());
  EXPECT_EQ(json["near_points"], 2);
  EXPECT_EQ(json["files"], (OrderedJson{"r.csv"}));
}

TEST_F(MapCommand, AMeshSaysItsErrors) {
  const std::string droplet = "map inputs/samples/droplet-4139.toml --spacing 1 --backend cpu ";
  const Outcome outcome = run(droplet + "--method mesh --accuracy 1e-3 --json -q --radial r.csv");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const OrderedJson json = OrderedJson::parse(outcome.out);
  EXPECT_EQ(json["method"], "mesh");
  EXPECT_EQ(json["form"], "exact");
  EXPECT_TRUE(json["cutoff"].is_null());
  const OrderedJson& mesh = json["mesh"];
  EXPECT_EQ(mesh["accuracy"], 1e-3);
  EXPECT_GT(mesh["points"][0], 0) << "a mesh is cheaper than direct sums";
  EXPECT_EQ(mesh["charges_outside"], 0);
  EXPECT_LE(mesh["measured_error"], 1e-3);
  EXPECT_LE(mesh["estimated_error"], 1e-3);
  const Outcome text = run(droplet + "--accuracy 1e-2 -o m.dx");
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("particle mesh of accuracy 0.01, no distance below 0.1 A"));
  EXPECT_THAT(text.out, HasSubstr("B-splines of order"));
  EXPECT_THAT(text.out, HasSubstr("of the RMS potential (estimated "));
  const Outcome few = run("map pair.toml --method mesh --spacing 1 --backend cpu -o few.dx");
  ASSERT_EQ(few.status, 0) << few.err;
  EXPECT_THAT(few.out, HasSubstr("electrostatic potential, direct summation, "));
  EXPECT_THAT(few.out, HasSubstr("no mesh: all charges are summed directly, which is cheaper"));
  const Outcome dry = run(droplet + "--method mesh --dry-run");
  EXPECT_EQ(dry.status, 0) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr("mesh of "));
  EXPECT_THAT(dry.out, HasSubstr("estimated error "));
  EXPECT_THAT(dry.out, HasSubstr("B\n  about ")) << "the memory of the mesh";
}

TEST_F(MapCommand, ADryRunSaysSizesAndWritesNothing) {
  const Outcome outcome = run("map pair.toml --spacing 0.1 --dry-run --backend cpu -o m.dx");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("121 x 101 x 101 = 1234321 points"));
  EXPECT_THAT(outcome.out, HasSubstr("memory 9.875 MB"));
  EXPECT_THAT(outcome.out, HasSubstr("about "));
  EXPECT_FALSE(folder().has("m.dx"));
}

TEST_F(MapCommand, MistakesAreNamedBeforeAnyWork) {
  EXPECT_THAT(error_of("map pair.toml", 2), HasSubstr("needs something to write"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --unit kT", 3), HasSubstr("(--temperature T)"));
  EXPECT_THAT(error_of("map pair.toml -o m.foo", 6), HasSubstr(".vti"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --field", 6), HasSubstr(".vti"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --form shft --cutoff 3", 2), HasSubstr("shift"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --method direct --cutoff 3", 2), HasSubstr("of no use"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --cutoff 3 --dielectric 2", 2), HasSubstr("of no use"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --method mesh --cutoff 3", 2), HasSubstr("of no use"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --method direct --accuracy 1e-3", 2), HasSubstr("of no use"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --cutoff 3 --accuracy 1e-3", 2), HasSubstr("of no use"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --accuracy 1e-6", 3), HasSubstr("--precision double"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --accuracy 0.5", 3), HasSubstr("1e-10 to 1e-2"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --cutoff 0.05", 3), HasSubstr("not below its cutoff"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --spacing 0", 2),
              HasSubstr("--spacing 0 is out of range (it must be a finite number, more than 0)"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --spacing 1,-1,1", 2), HasSubstr("--spacing -1 is out of range"));
  EXPECT_THAT(error_of("map pair.toml -o m.png", 2), HasSubstr("-o m.png is for the map's numbers (--png m.png for a"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --spacing 1,2", 2), HasSubstr("three numbers"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --spacing 1e-7", 3), HasSubstr("too large"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --points 10000,10000,10000", 3), HasSubstr("needs 8000 GB of memory"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --points 0,1,1", 2), HasSubstr("too small"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --points 3,3", 2), HasSubstr("three whole numbers"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --origin 1,1,1", 2), HasSubstr("--points"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --nearest 0", 2), HasSubstr("--nearest"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --unit kT", 3), HasSubstr("temperature"));
  EXPECT_THAT(error_of("map pair.drop -o m.dx --unit V", 3), HasSubstr("real"));
  EXPECT_THAT(error_of("map pair.toml --png s.png --slice z=100", 6), HasSubstr("s.png"));
  EXPECT_THAT(error_of("map pair.toml --png s.png --slice w=1", 2), HasSubstr("z=0"));
  EXPECT_THAT(error_of("map pair.toml --png s.png --slice z=1x", 2), HasSubstr("z=0"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --slice z=1", 2), HasSubstr("--png"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --radial r.csv --radial-width abc", 2), HasSubstr("--radial-width"));
  EXPECT_THAT(error_of("map pair.toml -o m.dx --spacing 1e10", 3), HasSubstr("above 1e+09"));
  EXPECT_FALSE(folder().has("m.dx"));
  EXPECT_THAT(error_of("map pair.toml -o pair.drop.dx --png pair.toml", 6), HasSubstr("pair.toml"));
  EXPECT_THAT(error_of("map pair.toml -o no/such/m.dx", 6), HasSubstr("there is no folder no/such (mkdir -p no/such)"));
  folder().write("folder.dx/a", "");
  EXPECT_THAT(error_of("map pair.toml -o folder.dx --force", 6), HasSubstr("cannot create the file: Is a directory"));
  folder().write("m.dx", "mine");
  EXPECT_THAT(error_of("map pair.toml -o m.dx", 6), HasSubstr("exists"));
  EXPECT_EQ(folder().text("m.dx"), "mine");
}

TEST_F(MapCommand, WithoutChargesThereAreZerosAndAWarning) {
  folder().write("neutral.drop", "no charges\n2\n5\n-1 0 0 0\n1 0 0 0\n");
  const Outcome outcome = run("map neutral.drop -o z.dx --spacing 5 --backend cpu");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("no atom has a charge: the potential is zero everywhere (a run file sets the "
                                     "charges with its topology or [[species]])\n"));
  for (const double v : dx_values(folder().text("z.dx"))) EXPECT_EQ(v, 0);
}

TEST_F(MapCommand, ASignalStopsItAndNothingIsLeft) {
  ChildProcess child(folder().path(), {DROPMD_BINARY, "map", "inputs/samples/droplet-4139.toml", "--spacing", "0.2",
                                       "-o", "big.dx", "--backend", "cpu"});
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  child.send(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("nothing was written"));
  EXPECT_FALSE(folder().has("big.dx"));
}

/// The minimum for a negative charge is as near to the ion as the distance allows, and a second ion feels the first.
TEST_F(MapCommand, IonsGoWhereTheirEnergyIsLowest) {
  folder().write("anion.drop", "one charge\n1\n5\n0 0 0 -2\n");
  const Outcome outcome = run(
      "ions anion.drop --spacing 1 --distance 3 --ion-distance 2 --backend cpu --precision double --json -o with.xyz");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const OrderedJson json = OrderedJson::parse(outcome.out);
  ASSERT_EQ(json["ions"].size(), 2U) << "as many as make it neutral";
  EXPECT_EQ(json["net_charge"], 0.0);
  std::vector<Vec3<double>> place;
  for (const OrderedJson& ion : json["ions"])
    place.push_back({ion["position"][0], ion["position"][1], ion["position"][2]});
  EXPECT_EQ(norm(place[0]), 3);
  EXPECT_NEAR(json["ions"][0]["potential"], -2.0 / 3, 1e-12);
  EXPECT_EQ(place[1], -place[0]) << "opposite to the first";
  EXPECT_NEAR(json["ions"][1]["potential"], -2.0 / 3 + 1.0 / 6, 1e-12);
  const std::string xyz = folder().text("with.xyz");
  EXPECT_THAT(xyz, testing::StartsWith("3\n"));
  EXPECT_THAT(xyz, HasSubstr("ION"));
  EXPECT_EQ(run("map with.xyz --units lj --spacing 2 --backend cpu -q -o again.dx").status, 0)
      << "the result is a structure";
}

TEST_F(MapCommand, MistakesOfIonsAreNamed) {
  EXPECT_THAT(error_of("ions pair.toml --mass 5 --count 1", 2), HasSubstr("-o FILE.xyz"));
  EXPECT_THAT(error_of("ions pair.toml --mass 5 -o a.xyz", 2), HasSubstr("--count"));
  EXPECT_THAT(error_of("ions pair.toml --count 1 -o a.xyz", 2), HasSubstr("--mass"));
  EXPECT_THAT(error_of("ions pair.toml --count 1 --mass 5 --charge 0 -o a.xyz", 2), HasSubstr("'0' is not a charge"));
  EXPECT_THAT(error_of("ions pair.toml --count 1 --mass 5 -o a.foo", 6), HasSubstr(".xyz"));
  EXPECT_THAT(error_of("ions pair.toml --count 1 --mass 5 --species a\"b -o a.xyz", 2), HasSubstr("not a name"));
  folder().write("anion.drop", "one charge\n1\n5\n0 0 0 -2\n");
  EXPECT_THAT(error_of("ions anion.drop --charge 1e-300 -o a.xyz", 2), HasSubstr("too many"));
  EXPECT_THAT(error_of("ions pair.toml --count 900 --mass 5 --spacing 2 --padding 6 -o a.xyz", 3),
              HasSubstr("no place for ion"));
  EXPECT_FALSE(folder().has("a.xyz"));
}

}  // namespace
}  // namespace dropmd
