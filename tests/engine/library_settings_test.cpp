#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "engine/library/simulation.h"
#include "engine/model/form_catalog.h"
#include "inputs/run_file/form_reader.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/short_run.h"

/// Settings made in code have the same ranges as those of a run file, with the same messages.
namespace dropmd {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

RunConfig good_run() {
  RunConfig config = lj_run(verlet(0.004), 10);
  config.file.clear();
  config.lennard_jones->treatment = {"switch", {{"cutoff", 2.5}, {"switch-from", 2.0}}};
  config.coulomb = FormChoice{"reaction-field", {{"cutoff", 2.5}, {"dielectric", kInfinity}}};
  config.fields["wall"] = FormChoice{"harmonic", {{"radius", 9.0}, {"stiffness", 1.0}}};
  config.fields["field"] =
      FormChoice{"uniform", {{"strength.x", 0}, {"strength.y", 0}, {"strength.z", 0.1}, {"frequency", 0.0}}};
  config.backend = Backend::cpu;
  return config;
}

/// The error of building and starting a simulation, or an empty string if there is none.
std::string refusal(const RunConfig& config, const Structure& structure = structure_of(fcc_ball(2))) {
  try {
    const Simulation made(build_system(config, structure), config);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(LibrarySettings, WhatARunFileMayHaveIsTaken) { EXPECT_EQ(refusal(good_run()), ""); }

struct BadSetting {
  const char* message;
  std::function<void(RunConfig&)> change;
};

const BadSetting kBadSettings[] = {
    {"'timestep' in [integrator] is -0.5 (it must be greater than 0)",
     [](RunConfig& c) { c.integrator.values["timestep"] = -0.5; }},
    {"'timestep' in [integrator] is nan (it must be a number)",
     [](RunConfig& c) { c.integrator.values["timestep"] = kNan; }},
    {"'timestep' in [integrator] is inf (it must be finite)",
     [](RunConfig& c) { c.integrator.values["timestep"] = kInfinity; }},
    {"form 'velocity-verlet' in [integrator] needs 'timestep' (a number, greater than 0; unit: time)",
     [](RunConfig& c) { c.integrator.values.clear(); }},
    {"'time-step' in [integrator] is not used by 'velocity-verlet' (did you mean 'timestep'?)",
     [](RunConfig& c) { c.integrator.values["time-step"] = 1; }},
    {"unknown form 'verlet' in [integrator] ", [](RunConfig& c) { c.integrator.form = "verlet"; }},
    {"'temperature' in [integrator] is -1 (it must be at least 0)",
     [](RunConfig& c) {
       c.integrator = {"langevin", {{"timestep", 0.004}, {"temperature", -1}, {"friction", 1}}};
     }},
    {"'mass' in [system] is 0 (it must be greater than 0)", [](RunConfig& c) { c.mass = 0; }},
    {"'temperature' in [system] is -1 (it must be at least 0)", [](RunConfig& c) { c.temperature = -1; }},
    {"'epsilon' in [lennard-jones] is -1 (it must be at least 0)", [](RunConfig& c) { c.lennard_jones->epsilon = -1; }},
    {"'sigma' in [lennard-jones] is 0 (it must be greater than 0)", [](RunConfig& c) { c.lennard_jones->sigma = 0; }},
    {"[lennard-jones] has no 'sigma'", [](RunConfig& c) { c.lennard_jones->sigma.reset(); }},
    {"'cutoff' in [lennard-jones] is -2.5 (it must be greater than 0)",
     [](RunConfig& c) { c.lennard_jones->treatment.values["cutoff"] = -2.5; }},
    {"'switch-from' in [lennard-jones] is 2.5 (it must be less than the cutoff, 2.5)",
     [](RunConfig& c) { c.lennard_jones->treatment.values["switch-from"] = 2.5; }},
    {"unknown at-cutoff 'shifted' in [lennard-jones] (did you mean 'shift'?)",
     [](RunConfig& c) { c.lennard_jones->treatment.form = "shifted"; }},
    {"'cutoff' in [coulomb] is not used by 'exact' (which has no values)",
     [](RunConfig& c) {
       c.coulomb = FormChoice{"exact", {{"cutoff", 2.5}}};
     }},
    {"'dielectric' in [coulomb] is 0 (it must be greater than 0)",
     [](RunConfig& c) { c.coulomb->values["dielectric"] = 0; }},
    {"'radius' in [wall] is -9 (it must be greater than 0)",
     [](RunConfig& c) { c.fields["wall"].values["radius"] = -9; }},
    {"form 'harmonic' in [wall] needs 'stiffness'", [](RunConfig& c) { c.fields["wall"].values.erase("stiffness"); }},
    {"'strength.z' in [field] is inf (it must be finite)",
     [](RunConfig& c) { c.fields["field"].values["strength.z"] = kInfinity; }},
    {"form 'uniform' in [field] needs 'strength.y'",
     [](RunConfig& c) { c.fields["field"].values.erase("strength.y"); }},
    {"no wall or field is called 'walls' (did you mean 'wall'?)",
     [](RunConfig& c) { c.fields["walls"] = c.fields["wall"]; }},
    {"'skin' in [neighbor] is -0.1 (it must be at least 0)", [](RunConfig& c) { c.skin = -0.1; }},
    {"'threads' in [engine] is -1 (it must be from 0 to 2147483647)", [](RunConfig& c) { c.threads = -1; }},
    {"'device' in [engine] is -1 (it must be from 0 to 2147483647)", [](RunConfig& c) { c.device = -1; }},
    {"'recenter-every' in [run] is -5 (it must be at least 0)", [](RunConfig& c) { c.recenter_every = -5; }},
    {"'recenter' follows the droplet, for which clusters must be labelled (set [droplet], which may be empty)",
     [](RunConfig& c) { c.recenter = Recenter::droplet; }},
    {"'applies-to' follows the droplet, for which", [](RunConfig& c) { c.applies_to = kVapourAtoms; }},
    {"'link-distance' in [droplet] is -1 (it must be greater than 0)",
     [](RunConfig& c) { c.droplet = DropletSettings{.link_distance = -1.0}; }},
    {"'profile-every' in [droplet] is 50 (it must be a multiple of 'every', 20)",
     [](RunConfig& c) { c.droplet = DropletSettings{.every = 20, .profile_every = 50}; }},
    {"[born-mayer] cannot be combined with [lennard-jones]",
     [](RunConfig& c) { c.born_mayer = BornMayerConfig{.values = BornMayerValues{}, .treatment = {"none"}}; }},
};

TEST(LibrarySettings, WhatARunFileMayNotHaveIsRefused) {
  for (const BadSetting& bad : kBadSettings) {
    RunConfig config = good_run();
    bad.change(config);
    EXPECT_THAT(refusal(config), HasSubstr(bad.message));
  }
}

RunConfig run_of_species() {
  RunConfig config = good_run();
  config.lennard_jones->epsilon.reset();
  config.lennard_jones->sigma.reset();
  config.species = {{.name = "X", .mass = 1.0, .charge = 0.5, .epsilon = 1, .sigma = 1},
                    {.name = "Y", .mass = 2.0, .charge = {}, .epsilon = 0.5, .sigma = 1.2}};
  config.pairs = {{.first = "X", .second = "Y", .epsilon = 0.7, .sigma = 1.1}};
  return config;
}

const BadSetting kBadSpecies[] = {
    {"'mass' in [[species]] is -2 (it must be greater than 0)", [](RunConfig& c) { c.species[1].mass = -2; }},
    {"'charge' in [[species]] is nan (it must be a number)", [](RunConfig& c) { c.species[0].charge = kNan; }},
    {"'epsilon' in [[species]] is -1 (it must be at least 0)", [](RunConfig& c) { c.species[1].epsilon = -1; }},
    {"'sigma' in [[pair]] is 0 (it must be greater than 0)", [](RunConfig& c) { c.pairs[0].sigma = 0; }},
    {"'epsilon' in [lennard-jones] cannot be combined with species",
     [](RunConfig& c) { c.lennard_jones->epsilon = 1; }},
    {"a second species 'X'", [](RunConfig& c) { c.species[1].name = "X"; }},
    {"species 'Z' of a pair has no entry of `species`", [](RunConfig& c) { c.pairs[0].second = "Z"; }},
    {"a second pair of 'Y' and 'X'",
     [](RunConfig& c) {
       c.pairs.push_back(c.pairs[0]);
       std::swap(c.pairs[1].first, c.pairs[1].second);
     }},
};

TEST(LibrarySettings, SpeciesAndPairsLikewise) {
  EXPECT_EQ(refusal(run_of_species()), "");
  for (const BadSetting& bad : kBadSpecies) {
    RunConfig config = run_of_species();
    bad.change(config);
    EXPECT_THAT(refusal(config), HasSubstr(bad.message));
  }
}

TEST(LibrarySettings, BornMayerValuesLikewise) {
  RunConfig config = good_run();
  config.lennard_jones.reset();
  config.coulomb.reset();
  config.born_mayer = BornMayerConfig{.values = BornMayerValues{.a = 1000, .rho = 0.1}, .treatment = {"none"}};
  EXPECT_EQ(refusal(config), "");
  config.born_mayer->values->rho = 0;
  EXPECT_EQ(refusal(config), "'rho' in [born-mayer] is 0 (it must be greater than 0)");
  config.born_mayer->values.reset();
  EXPECT_THAT(refusal(config), HasSubstr("[born-mayer] has no values"));
}

/// Every form checks its keys against the ranges that it declares.
TEST(LibrarySettings, EveryFormKeepsItsRanges) {
  const FormCatalog catalog = form_catalog();
  for (const FormInfo& form : catalog.integrator) {
    RunConfig config = good_run();
    config.integrator = form_with_defaults(catalog.integrator, form.name, config.units);
    for (const FormKey& key : form.keys) config.integrator.values.try_emplace(std::string(key.name), 1.0);
    EXPECT_EQ(refusal(config), "") << form.name;
    for (const FormKey& key : form.keys) {
      if (key.range == Range::any) continue;
      RunConfig bad = config;
      bad.integrator.values[std::string(key.name)] = -1;
      EXPECT_THAT(refusal(bad), HasSubstr("'" + std::string(key.name) + "' in [integrator] is -1")) << form.name;
    }
  }
}

struct BadAtoms {
  const char* message;
  std::function<void(Structure&)> change;
};

const BadAtoms kBadAtoms[] = {
    {"'position' of atom 2 is (nan, ", [](Structure& s) { s.position[1].x = kNan; }},
    {"'velocity' of atom 1 is (0, inf, 0) (it must be finite)",
     [](Structure& s) {
       s.velocity.assign(s.position.size(), {});
       s.velocity[0].y = kInfinity;
     }},
    {"'momentum' of atom 3 is (0, 0, nan) (it must be finite)",
     [](Structure& s) {
       s.momentum.assign(s.position.size(), {});
       s.momentum[2].z = kNan;
     }},
    {"'charge' of atom 3 is nan (it must be a number)", [](Structure& s) { s.charge[2] = kNan; }},
    {"'mass' of atom 1 is 0 (it must be greater than 0)", [](Structure& s) { s.mass.assign(s.position.size(), 0.0); }},
    {"but 'velocity' has 1 elements (give one for each atom, or none at all)", [](Structure& s) { s.velocity = {{}}; }},
    {"but 'momentum' has 1 elements", [](Structure& s) { s.momentum = {{}}; }},
    {"but 'charge' has 1 elements", [](Structure& s) { s.charge = {1}; }},
    {"but 'mass' has 1 elements", [](Structure& s) { s.mass = {1}; }},
    {"but 'species' has 0 elements (give one for each atom)", [](Structure& s) { s.species.clear(); }},
    {"'species' of atom 1 is 0, but 'species_names' has 0", [](Structure& s) { s.species_names.clear(); }},
    {"'radius' of the structure is -4 (it must be greater than 0)", [](Structure& s) { s.radius = -4; }},
};

TEST(LibrarySettings, AStructureThatCannotBeIsRefused) {
  for (const BadAtoms& bad : kBadAtoms) {
    Structure structure = structure_of(fcc_ball(2));
    structure.charge.assign(structure.position.size(), 0.1);
    bad.change(structure);
    EXPECT_THAT(refusal(good_run(), structure), HasSubstr(bad.message));
  }
}

/// A system may be changed before it is simulated.
TEST(LibrarySettings, ParticlesThatCannotBeAreRefused) {
  const RunConfig config = good_run();
  const auto refusal_of = [&](const auto& change) -> std::string {
    System system = build_system(config, structure_of(fcc_ball(2)));
    change(system.particles);
    try {
      const Simulation made(std::move(system), config);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(refusal_of([](Particles& p) { p.velocity.pop_back(); }), HasSubstr("'velocity'"));
  EXPECT_THAT(refusal_of([](Particles& p) { p.pair_species.clear(); }), HasSubstr("'pair_species'"));
  EXPECT_THAT(refusal_of([](Particles& p) { p.mass[1] = -1; }), HasSubstr("'mass' of atom 2 is -1"));
  EXPECT_THAT(refusal_of([](Particles& p) { p.pair_species[0] = 9; }), HasSubstr("'pair_species' has 9"));
  EXPECT_EQ(refusal_of([](Particles& p) {
              p.id.resize(p.size());
              std::iota(p.id.begin(), p.id.end(), 5U);
              p.next_id = 100;
            }),
            "");
  EXPECT_THAT(refusal_of([](Particles& p) {
                p.id.assign(p.size(), 1);
                p.next_id = 100;
              }),
              HasSubstr("two atoms have the id 1"));
  EXPECT_THAT(refusal_of([](Particles& p) {
                p.id.resize(p.size());
                std::iota(p.id.begin(), p.id.end(), 5U);
                p.next_id = 6;
              }),
              HasSubstr("'next_id' is 6"));
}

}  // namespace
}  // namespace dropmd
