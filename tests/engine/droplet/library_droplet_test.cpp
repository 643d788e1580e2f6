#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/library/simulation.h"
#include "engine/model/form_catalog.h"
#include "inputs/run_file/run_file.h"
#include "inputs/structures/structure.h"
#include "tests/support/processors.h"

/// Simulations that label clusters, follow their droplet and lose what is far from it.
namespace dropmd {
namespace {

using testing::HasSubstr;

RunConfig run_of(const std::string& sample, const std::vector<std::string>& settings) {
  std::vector<Setting> parsed;
  for (const std::string& text : settings) parsed.push_back(parse_setting("test", text));
  return read_run_file(std::string(DROPMD_SOURCE_DIR) + "/inputs/samples/" + sample, form_catalog(), parsed);
}

class LibraryDroplet : public OnProcessors {
 protected:
  static RunConfig on_processor(RunConfig config) {
    const Method on = method();
    config.backend = on.backend;
    config.precision = on.precision;
    return config;
  }
  /// A cluster that boils in the open, in a run in which everything follows the droplet.
  static RunConfig boiling() {
    return on_processor(run_of("lj-cluster-13-langevin.toml",
                               {"droplet.every=10", "droplet.remove-beyond=4", "droplet.profile-every=50",
                                "wall.form=\"none\"", "integrator.temperature=1.0", "integrator.applies-to=\"droplet\"",
                                "run.recenter=\"droplet\"", "run.recenter-every=10", "run.remove-momentum=\"both\""}));
  }
  static Simulation simulation(const RunConfig& config) { return {read_system(config), config}; }
  /// Continues from a state in a simulation of its own.
  static Simulation continued(Simulation& from, const RunConfig& config) {
    const RunState state = from.state();
    Simulation next(from.system(), config);
    next.restore(state);
    return next;
  }
};
INSTANTIATE_TEST_SUITE_P(Processors, LibraryDroplet, all_processors(), name_of_processor);

bool same_bytes(std::span<const Vec3<double>> a, std::span<const Vec3<double>> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

void expect_same(Simulation& a, Simulation& b) {
  EXPECT_EQ(a.step_number(), b.step_number());
  EXPECT_EQ(a.n_atoms(), b.n_atoms());
  EXPECT_TRUE(same_bytes(a.positions(), b.positions()));
  EXPECT_TRUE(same_bytes(a.velocities(), b.velocities()));
  EXPECT_EQ(a.conserved(), b.conserved());
  EXPECT_EQ(a.state().droplet, b.state().droplet);
}

std::vector<std::string> lines_of(const std::vector<DropletEvent>& events) {
  std::vector<std::string> lines;
  for (const DropletEvent& e : events)
    lines.push_back(std::to_string(e.step) + " " + std::string(kDropletEventNames[static_cast<std::size_t>(e.kind)]) +
                    " " + std::to_string(e.molecule) + " " + std::to_string(e.molecules));
  return lines;
}

constexpr int kSteps = 2200;

TEST_P(LibraryDroplet, StepsAndEventsAreTheSameHoweverTheyAreDivided) {
  const RunConfig config = boiling();
  Simulation whole = simulation(config), parts = simulation(config);
  whole.step(kSteps);
  std::vector<DropletEvent> events;
  for (const int n : {1, 9, 10, 0, 15, 1330, 5, 530, kSteps - 1900}) {
    parts.step(n);
    for (DropletEvent& event : parts.take_events()) events.push_back(event);
  }
  expect_same(whole, parts);
  const std::vector<std::string> lines = lines_of(whole.take_events());
  EXPECT_EQ(lines, lines_of(events));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("removed")));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("evaporated")));
  EXPECT_LT(whole.n_atoms(), 13U);
  EXPECT_NE(whole.ledger().of(Cause::removed), 0);
  EXPECT_TRUE(whole.take_events().empty());
}

/// Also from a step with labels, at which distant clusters are still present.
TEST_P(LibraryDroplet, ContinuesFromItsState) {
  const RunConfig config = boiling();
  for (const int step : {0, 10, 1365, 1900}) {
    Simulation one = simulation(config);
    one.step(step);
    Simulation other = continued(one, config);
    one.take_events();
    EXPECT_TRUE(other.take_events().empty());
    one.step(kSteps - step);
    other.step(kSteps - step);
    expect_same(one, other);
    EXPECT_EQ(lines_of(one.take_events()), lines_of(other.take_events()));
  }
}

TEST_P(LibraryDroplet, PositionsThatAreSetKeepItsMembers) {
  const RunConfig config = boiling();
  Simulation droplet = simulation(config);
  droplet.step(1365);
  const std::optional<DropletState> before = droplet.state().droplet;
  droplet.set_positions(std::vector(droplet.positions().begin(), droplet.positions().end()));
  EXPECT_EQ(droplet.state().droplet, before);
  droplet.step(20);
}

/// A water whose oxygen is new stays in the droplet, and so do molecules between which a proton moves.
TEST_P(LibraryDroplet, MoleculesThatBecomeOthersStayItsMembers) {
  const RunConfig config =
      on_processor(run_of("hydronium.toml", {"droplet.every=1000", "integrator.applies-to=\"droplet\""}));
  Simulation one = simulation(config);
  one.step(2);
  const std::size_t n_members = one.state().droplet->members.size();
  const std::uint32_t donor = 801, acceptor = 5, other = 9;
  const auto place = [&](std::uint32_t id) { return one.positions()[id - 1]; };
  const Vec3<double> o = place(acceptor), a = place(acceptor + 1) - o, b = place(acceptor + 2) - o;
  const Vec3<double> normal = cross(a, b), axis = a + b;
  const Vec3<double> way = (0.9 / norm(normal)) * normal - (0.5 / norm(axis)) * axis;
  const std::vector<MoleculeReplacement> transfer{
      {.molecule = donor, .kind = "SOL", .ids = {donor, donor + 1, donor + 3, donor + 4}},
      {.molecule = acceptor,
       .kind = "H3O",
       .ids = {acceptor, acceptor + 1, acceptor + 2, donor + 2, acceptor + 3},
       .placed = {{.name = "HW3", .position = o + (0.9686 / norm(way)) * way}}}};
  one.replace(std::vector<MoleculeReplacement>{{.molecule = other,
                                                .kind = "SOL",
                                                .ids = {0, other + 1, other + 2, other + 3},
                                                .placed = {{.name = "OW", .position = place(other)}}}});
  one.step(1);
  one.replace(transfer);
  EXPECT_EQ(one.state().droplet->members.size(), n_members);
  Simulation next = continued(one, config);
  one.step(5), next.step(5);
  expect_same(one, next);
}

TEST(LibraryClusters, AreTakenOnRequest) {
  Structure structure;
  for (const double x : {0.0, 1.1, 2.2, 10.0, 11.2, 30.0}) structure.position.push_back({x, 0, 0});
  structure.species.assign(6, 0);
  structure.species_names = {"X"};
  RunConfig config = lj_run(verlet(0.001), 1);
  config.backend = Backend::cpu;
  Simulation line(build_system(config, structure), config);
  const ClusterCensus census = line.clusters();
  EXPECT_EQ(census.link_distance, 1.5);
  EXPECT_THAT(census.clusters.size, testing::ElementsAre(3, 2, 1));
  EXPECT_THAT(census.clusters.number, testing::ElementsAre(0, 0, 0, 1, 1, 2));
  EXPECT_EQ(census.droplet.molecules, 3U);
  EXPECT_NEAR(census.droplet.centre.x, 1.1, 1e-12);
  EXPECT_THAT(line.clusters(1.0).clusters.size, testing::ElementsAre(1, 1, 1, 1, 1, 1));
  for (const double distance : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(line.clusters(distance), std::invalid_argument);
  line.step(1);
  EXPECT_TRUE(line.take_events().empty()) << "nothing is labelled without [droplet]";
  config.droplet = DropletSettings{.link_distance = 10.0};
  Simulation linked(build_system(config, structure), config);
  EXPECT_THAT(linked.clusters().clusters.size, testing::ElementsAre(5, 1));
}

}  // namespace
}  // namespace dropmd
