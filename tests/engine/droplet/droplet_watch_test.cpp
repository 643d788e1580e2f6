#include "engine/droplet/droplet_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "core/rayleigh_limit.h"
#include "engine/degrees_of_freedom.h"
#include "engine/population/population_change.h"
#include "engine/thermometer.h"
#include "tests/support/molecules/reference_system.h"
#include "tests/support/short_run.h"

namespace dropmd {
namespace {

DropletWatch watch_of(const System& system, const DropletSettings& droplet,
                      const std::optional<DropletState>& from = std::nullopt) {
  IntegrationSettings settings;
  settings.droplet = droplet;
  return {system, settings, from};
}

/// Atoms along x, 1 σ apart, and others at places that a test moves; the link distance is 1.5 σ.
class Line {
 public:
  Line() {
    Structure structure;
    for (int i = 0; i < 5; ++i) structure.position.push_back({static_cast<double>(i), 0, 0});
    structure.charge.assign(5, 0.0);
    structure.species.assign(5, 0);
    structure.species_names = {"Ar"};
    structure.velocity.assign(5, {});
    system = build_system(lj_run(verlet(0.01), 1), structure);
  }
  DropletWatch::Report look(DropletWatch& watch) { return watch.look(step++, 0.5, system.particles); }
  Vec3<double>& place(std::size_t i) { return system.particles.position[i]; }

  System system;
  std::int64_t step = 0;
};

std::vector<std::string> words(const std::vector<DropletEvent>& events) {
  std::vector<std::string> text;
  for (const DropletEvent& event : events)
    text.push_back(std::string(kDropletEventNames[static_cast<std::size_t>(event.kind)]) + " " +
                   std::to_string(event.molecule) + " " + std::to_string(event.molecules));
  return text;
}

TEST(DropletWatch, AMoleculeLeavesBeyondTwoLinkDistancesAndJoinsWithinOne) {
  Line line;
  DropletWatch watch = watch_of(line.system, {});
  EXPECT_TRUE(line.look(watch).events.empty()) << "the first labels are the start";
  struct Case {
    double x;
    std::vector<std::string> events;
    std::size_t molecules;
  };
  for (const Case& c : std::vector<Case>{{4.4, {}, 5},
                                         {4.6, {}, 4},  // between both distances
                                         {4.2, {}, 5},
                                         {5.9, {}, 4},
                                         {6.1, {"evaporated 5 1"}, 4},
                                         {9.0, {}, 4},
                                         {4.7, {}, 4},
                                         {4.4, {"condensed 5 1"}, 5},
                                         {5.5, {}, 4}}) {
    line.place(4).x = c.x;
    const auto report = line.look(watch);
    EXPECT_EQ(words(report.events), c.events) << c.x;
    EXPECT_EQ(report.row.molecules, c.molecules) << c.x;
    EXPECT_EQ(report.row.vapour_molecules, 5 - c.molecules) << c.x;
  }
}

TEST(DropletWatch, MoleculesThatLeaveTogetherAreOneEvent) {
  Line line;
  line.system.particles.charge = {0, 0, 0, 0.25, 1};
  line.system.particles.velocity[3] = {1, 0, 0};
  line.system.particles.velocity[4] = {0, 2, 0};
  line.system.particles.mass[4] = 3;
  DropletWatch watch = watch_of(line.system, {});
  line.look(watch);
  line.place(3) = {30, 0, 0};
  line.place(4) = {31, 0, 4e-1};
  const auto report = line.look(watch);
  ASSERT_EQ(words(report.events), std::vector<std::string>{"ejected 5 2"});
  const DropletEvent& event = report.events.front();
  EXPECT_EQ(event.step, 1);
  EXPECT_EQ(event.time, 0.5);
  EXPECT_EQ(event.name, "Ar");
  EXPECT_EQ(event.charge, 1.25);
  EXPECT_NEAR(event.centre.x, 30.75, 1e-12);
  EXPECT_NEAR(event.centre.z, 0.3, 1e-12);
  EXPECT_NEAR(event.velocity.x, 0.25, 1e-12);
  EXPECT_NEAR(event.velocity.y, 1.5, 1e-12);
  EXPECT_NEAR(event.kinetic, 0.5 + 6, 1e-12);
  EXPECT_TRUE(line.look(watch).events.empty()) << "no event twice";
}

/// Of two halves the larger one is the droplet, even if it was the smaller part before.
TEST(DropletWatch, TheLargerPartStaysTheDroplet) {
  Line line;
  DropletWatch watch = watch_of(line.system, {});
  line.look(watch);
  for (const std::size_t i : {0U, 1U}) line.place(i).x -= 50;
  const auto broken = line.look(watch);
  EXPECT_EQ(words(broken.events), std::vector<std::string>{"evaporated 1 2"});
  EXPECT_FALSE(broken.is_other_droplet);
  line.place(2).x -= 50;
  const auto other = line.look(watch);
  EXPECT_EQ(words(other.events), (std::vector<std::string>{"evaporated 4 2", "condensed 1 1", "condensed 2 1"}));
  EXPECT_TRUE(other.is_other_droplet) << "two of three molecules were no members";
  EXPECT_FALSE(line.look(watch).is_other_droplet);
}

TEST(DropletWatch, ContinuesFromAState) {
  Line line, other;
  DropletWatch whole = watch_of(line.system, {}), first = watch_of(other.system, {});
  for (Line* one : {&line, &other}) one->place(4).x = 5.0;
  line.look(whole);
  other.look(first);
  DropletWatch second = watch_of(other.system, {}, first.state());
  for (const double x : {4.4, 7.0, 4.4}) {
    line.place(4).x = other.place(4).x = x;
    EXPECT_EQ(words(line.look(whole).events), words(other.look(second).events)) << x;
    EXPECT_EQ(whole.state()->members, second.state()->members);
  }
}

/// The temperature of a droplet does not count its flight; that of all atoms at rest around the centre is the usual
/// one.
TEST(DropletWatch, TemperaturesCountDegreesOfFreedomOfMolecules) {
  RunConfig config = reference_config("tip4p2005_hydronium");
  config.temperature = 300;
  System system = reference_system("tip4p2005_hydronium", config);
  Particles& p = system.particles;
  const std::size_t n_dof = degrees_before_removal(system) - 3;
  const double expected = temperature_of(kinetic_energy(Cpu{}, p.mass, p.velocity, system.units), n_dof, system.units);
  DropletWatch watch = watch_of(system, {.link_distance = 50, .surface_tension = 0.07});
  for (Vec3<double>& v : p.velocity) v += Vec3<double>{1e-2, 0, -2e-2};
  const DropletRow row = watch.look(0, 0, p).row;
  EXPECT_NEAR(row.temperature, expected, 1e-6);
  EXPECT_EQ(row.vapour_molecules, 0U);
  EXPECT_TRUE(std::isnan(row.vapour_temperature));
  EXPECT_NEAR(row.rayleigh_share, std::abs(row.charge) / rayleigh_limit(row.radius, 0.07), 1e-12);

  IntegrationSettings settings;
  settings.droplet = {.link_distance = 50};
  settings.recenter = Recenter::droplet;
  settings.remove_momentum = RemoveMomentum::both;
  const auto degrees = static_cast<double>(n_dof);
  EXPECT_NEAR(DropletWatch(system, settings, {}).look(0, 0, p).row.temperature, expected * degrees / (degrees - 3),
              1e-6)
      << "of a droplet that does not rotate";

  auto topology = std::make_shared<Topology>(*system.topology);
  topology->constraints.push_back(topology->constraints.front());
  system.topology = topology;
  EXPECT_NEAR(watch_of(system, {.link_distance = 50}).look(0, 0, p).row.temperature, expected, 1e-6)
      << "with a constraint that is given twice";
  const DropletRow apart = watch_of(system, {.link_distance = 1e-3, .surface_tension = {}}).look(0, 0, p).row;
  EXPECT_EQ(apart.molecules, 1U);
  EXPECT_EQ(apart.clusters, apart.vapour_molecules + 1);
  EXPECT_TRUE(std::isnan(apart.rayleigh_share));
  EXPECT_GT(apart.vapour_temperature, 300) << "with the flight";
}

/// The droplet of 0, 1, 2 and 3 has its centre at 1.5.
TEST(DropletWatch, RemovesClustersThatAreFarEnoughAway) {
  Line line;
  DropletWatch watch =
      watch_of(line.system, {.link_distance = {}, .every = 1, .surface_tension = {}, .remove_beyond = 4});
  line.look(watch);
  line.place(4) = {2, 20, 0};
  const DropletRow row = line.look(watch).row;
  for (const auto& [distance, is_removed] :
       {std::pair(row.radius + 4 - 1e-9, false), std::pair(row.radius + 4 + 1e-9, true)}) {
    line.place(4) = {1.5, -distance, 0};
    const auto removal = watch.remove(line.step++, 0.25, line.system.particles);
    EXPECT_EQ(removal.atoms, is_removed ? std::vector<std::uint32_t>{5} : std::vector<std::uint32_t>{});
    EXPECT_EQ(words(removal.events), is_removed ? std::vector<std::string>{"removed 5 1"} : std::vector<std::string>{});
  }
  line.place(3) = {1.5, 40, 0};
  line.place(4) = {1.5, 41, 0};
  const auto removal = watch.remove(line.step, 0.25, line.system.particles);
  EXPECT_EQ(removal.atoms, (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(words(removal.events), (std::vector<std::string>{"evaporated 4 1", "removed 4 2"}))
      << "a member leaves the droplet before it leaves the run";
  EXPECT_EQ(removal.events.back().step, line.step);
  EXPECT_EQ(watch.state()->members, (std::vector<std::uint32_t>{1, 2, 3}));
}

/// Atoms at random around a compact part, some of which leave it, compared with the distances of all pairs.
TEST(DropletWatch, ThoseThatLeaveAreFarFromTheWholeDroplet) {
  constexpr double kLink = 1.5;
  std::mt19937 random(11);
  std::size_t n_left = 0, n_stayed = 0;
  for (const double spread : {3.0, 6.0, 9.0, 30.0}) {
    std::uniform_real_distribution<double> place(-spread, spread);
    Structure structure;
    for (int x = 0; x < 4; ++x)
      for (int y = 0; y < 4; ++y)
        for (int z = 0; z < 4; ++z) structure.position.push_back({1.1 * x, 1.1 * y, 1.1 * z});
    structure.charge.assign(64, 0.0);
    structure.species.assign(64, 0);
    structure.species_names = {"Ar"};
    System system = build_system(lj_run(verlet(0.01), 1), structure);
    DropletWatch watch = watch_of(system, {.link_distance = kLink});
    std::vector<Vec3<double>>& x = system.particles.position;
    watch.look(0, 0, system.particles);
    for (std::size_t i = 40; i < 64; ++i) x[i] = {place(random), place(random), place(random)};
    const Clusters clusters = find_clusters(molecules_of(system), x, kLink);
    std::map<std::uint32_t, bool> far;  // by cluster
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < x.size() && !clusters.in_droplet(i); ++j)
        if (clusters.in_droplet(j))
          far.try_emplace(clusters.number[i], true).first->second &= norm(x[i] - x[j]) >= 2 * kLink;
    const auto expected = static_cast<std::size_t>(
        std::count_if(far.begin(), far.end(), [](const auto& cluster) { return cluster.second; }));
    EXPECT_EQ(watch.look(1, 1, system.particles).events.size(), expected) << spread;
    n_left += expected;
    n_stayed += far.size() - expected;
  }
  EXPECT_GT(n_left, 10U);
  EXPECT_GT(n_stayed, 10U) << "between both distances";
}

TEST(DropletWatch, OfRemovedMolecules) {
  Line line;
  DropletWatch watch = watch_of(line.system, {});
  line.look(watch);
  line.system = changed(line.system, {.removed = {2}});
  watch.system_changed();
  const auto report = line.look(watch);
  EXPECT_EQ(report.row.atoms, 3U) << "3, 4 and 5";
  EXPECT_EQ(words(report.events), (std::vector<std::string>{})) << "1 is within two link distances of 3";
}

}  // namespace
}  // namespace dropmd
