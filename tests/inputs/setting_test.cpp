#include "inputs/run_file/settings/setting.h"

#include <gtest/gtest.h>

#include "core/run/map_choices.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "tests/support/form_catalog.h"

/// Keys of a run file that are set on the command line.
namespace dropmd {
namespace {

const std::string kFile =
    "title = \"file\"\nunits = \"lj\"\n[system]\nstructure = \"a.xyz\"\n[run]\nsteps = 5\n"
    "[[species]]\nname = \"A.b\"\nmass = 1\nepsilon = 1\nsigma = 1\n[[species]]\nname = \"C\"\nepsilon = 2\nsigma = "
    "1\n";

RunConfig run_with(const std::vector<std::string>& texts) {
  std::vector<Setting> settings;
  for (const std::string& text : texts) settings.push_back(parse_setting("--set", text));
  return parse_run_file({"run.toml", kFile}, "run.toml", test_form_catalog(), settings);
}

std::string message_of_settings(const std::string& text) {
  try {
    run_with({text});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Setting, ReplacesAKeyOfTheFile) {
  EXPECT_EQ(run_with({}).steps, 5);
  EXPECT_EQ(run_with({"run.steps=7"}).steps, 7);
  EXPECT_EQ(run_with({"run.steps=7", "run.steps=1e3"}).steps, 1000) << "the last one counts";
  EXPECT_EQ(run_with({"title=2 drops"}).title, "2 drops");
}

TEST(Setting, AddsKeysAndSectionsWithTheirDefaults) {
  EXPECT_FALSE(run_with({}).fields.contains("wall"));
  const RunConfig config = run_with({"wall.radius=12.5", "system.temperature = 3"});
  EXPECT_EQ(config.fields.at("wall").form, "harmonic");
  EXPECT_EQ(config.fields.at("wall").at("radius"), 12.5);
  EXPECT_EQ(config.fields.at("wall").at("stiffness"), 1);
}

TEST(Setting, WordsNeedNoQuotes) {
  EXPECT_EQ(run_with({"output.final=end.xyz"}).final_file, "end.xyz");
  EXPECT_EQ(run_with({"output.final=\"end.xyz\""}).final_file, "end.xyz");
  EXPECT_EQ(run_with({"title=a=b\n[run]"}).title, "a=b\n[run]") << "no other keys come with it";
}

TEST(Setting, ListsAreTomlLists) {
  const RunConfig config = run_with({"map.origin=[1, 2.5,3]", "map.points=[4,5,6]"});
  EXPECT_EQ(config.map->choices.origin, (Vec3<double>{1, 2.5, 3}));
  EXPECT_EQ(config.map->choices.points, (Vec3<std::int32_t>{4, 5, 6}));
}

TEST(Setting, ReachesASpeciesByItsName) {
  const RunConfig config = run_with({"species.A.b.mass=4", "species.C.charge=-1"});
  EXPECT_EQ(config.species[0].mass, 4.0);
  EXPECT_EQ(config.species[1].charge, -1.0);
  EXPECT_FALSE(config.species[1].mass);
}

TEST(Setting, MistakesHaveTheOptionAsTheirPlace) {
  EXPECT_EQ(message_of_settings("run.steps=1.5"),
            "--set run.steps=1.5: 'steps' in [run] is a decimal number (expected: a whole number)");
  EXPECT_EQ(message_of_settings("run.stesp=1"),
            "--set run.stesp=1: unknown key 'stesp' in [run] (did you mean 'steps'?)");
  EXPECT_EQ(message_of_settings("rnu.steps=1"), "--set rnu.steps=1: unknown section [rnu] (did you mean [run]?)");
  EXPECT_EQ(message_of_settings("tilte=x"),
            "--set tilte=x: unknown key 'tilte' above the sections (did you mean 'title'?)");
  EXPECT_EQ(message_of_settings("wall.radius={a=1}"),
            "--set wall.radius={a=1}: 'radius' in [wall] is a table (expected: a number)");
  EXPECT_EQ(message_of_settings("species.D.mass=1"),
            "--set species.D.mass=1: there is no [[species]] named 'D' (only species in the run file can be given "
            "other values)");
  EXPECT_EQ(message_of_settings("species.mass=1"),
            "--set species.mass=1: [[species]] is a list (write species.NAME.KEY=VALUE)");
  EXPECT_EQ(message_of_settings("pair.epsilon=1"),
            "--set pair.epsilon=1: [[pair]] is a list (give its entries in the run file)");
  EXPECT_EQ(message_of_settings("steps"),
            "--set: 'steps' is not a setting (write --set SECTION.KEY=VALUE, such as --set run.steps=100)");
}

/// The forms that a run file has, and the settings that choose others.
RunConfig run_with(const std::string& sections, const std::vector<std::string>& texts) {
  std::vector<Setting> settings;
  for (const std::string& text : texts) settings.push_back(parse_setting("--set", text));
  return parse_run_file({"run.toml", "units = \"real\"\n[system]\nstructure = \"a.xyz\"\n" + sections}, "run.toml",
                        test_form_catalog(), settings);
}

TEST(Setting, AnotherFormDropsTheKeysOfTheFilesForm) {
  const std::string wall = "[wall]\nform = \"harmonic\"\nradius = 12\nstiffness = 3\n";
  EXPECT_FALSE(run_with(wall, {"wall.form=none"}).fields.contains("wall"));
  EXPECT_EQ(run_with(wall, {"wall.form=harmonic"}).fields.at("wall").at("stiffness"), 3);
  const RunConfig quartic = run_with(wall, {"wall.form=none", "wall.form=quartic"});
  EXPECT_EQ(quartic.fields.at("wall").at("radius"), 12) << "the last setting counts";
  EXPECT_EQ(quartic.fields.at("wall").at("stiffness"), 0.01) << "energy/length^2 is no stiffness of a quartic wall";

  const RunConfig langevin = run_with("[integrator]\nform = \"descent\"\nfactor = 0.1\n",
                                      {"integrator.form=langevin", "integrator.temperature=90"});
  EXPECT_EQ(langevin.integrator.form, "langevin");
  EXPECT_EQ(run_with("[integrator]\nform=\"langevin\"\ntemperature=5\ntimestep=2\n", {"integrator.form=fire"})
                .integrator.at("timestep"),
            2)
      << "both have one";
  EXPECT_EQ(run_with("[coulomb]\nform = \"dsf\"\ncutoff = 9\ndamping = 0.2\n", {"coulomb.form=exact"}).coulomb->form,
            "exact");
}

TEST(Setting, AnotherTreatmentAtTheCutoffDropsTheKeysOfTheFiles) {
  const std::string lj = "[lennard-jones]\nepsilon = 1\nsigma = 1\ncutoff = 9\n";
  EXPECT_EQ(run_with(lj, {"lennard-jones.at-cutoff=none"}).lennard_jones->treatment.form, "none");
  EXPECT_EQ(run_with(lj + "at-cutoff = \"switch\"\nswitch-from = 8\n", {"lennard-jones.at-cutoff=shift"})
                .lennard_jones->treatment.at("cutoff"),
            9);
}

TEST(Setting, OtherMapsDropTheKeysOfTheFiles) {
  const std::string map =
      "[map]\nform = \"reaction-field\"\ncutoff = 9\ndielectric = 2\nunit = \"kT\"\ntemperature = 9\n";
  EXPECT_EQ(run_with(map, {"map.form=shift"}).map->choices.coulomb.at("cutoff"), 9);
  EXPECT_EQ(run_with(map, {"map.method=direct"}).map->choices.coulomb.form, "exact");
  EXPECT_EQ(run_with(map, {"map.unit=V"}).map->choices.unit, MapUnit::volt);
}

TEST(Setting, OneSizeReplacesTheOther) {
  const RunConfig config = run_with("[lennard-jones]\nepsilon = 1\nr-min = 4\n", {"lennard-jones.sigma=3"});
  EXPECT_EQ(config.lennard_jones->sigma, 3);
  EXPECT_GT(run_with({"species.C.r-min=2"}).species[1].sigma, 1.7);
}

TEST(Setting, KeysThatTheCommandLineGivesAreStillOfUse) {
  const auto message = [](const std::string& sections, const std::vector<std::string>& texts) -> std::string {
    try {
      run_with(sections, texts);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string wall = "[wall]\nform = \"harmonic\"\nradius = 12\n";
  EXPECT_EQ(message(wall, {"wall.radius=9", "wall.form=none"}),
            "--set wall.radius=9: 'radius' in [wall] is not used by form 'none' (used by: harmonic, quartic)");
  EXPECT_EQ(message("[integrator]\nform = \"fire\"\nfactor = 1\n", {"integrator.form=velocity-verlet"}),
            "run.toml:6:1: 'factor' in [integrator] is not used by form 'velocity-verlet' (used by: descent)")
      << "a mistake of the file";
  EXPECT_EQ(message("[lennard-jones]\nepsilon = 1\n", {"lennard-jones.sigma=3", "lennard-jones.r-min=3"}),
            "--set lennard-jones.sigma=3: [lennard-jones] has both sigma and r-min (give one of them; r-min = 2^(1/6) "
            "sigma)");
}

}  // namespace
}  // namespace dropmd
