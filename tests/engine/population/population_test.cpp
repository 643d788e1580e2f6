#include "engine/population/population_change.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/errors.h"
#include "engine/library/simulation.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/processors.h"

/// Atoms that leave a droplet or are added to it.
namespace dropmd {
namespace {

using Ids = std::vector<std::uint32_t>;

Structure charged_ball() {
  Structure structure = structure_of(fcc_ball(6));
  for (std::size_t i = 0; i < structure.charge.size(); ++i) structure.charge[i] = i % 2 == 0 ? 0.25 : -0.5;
  return structure;
}

class Population : public OnProcessors {
 protected:
  static RunConfig settings(FormChoice integrator = verlet(0.004)) {
    RunConfig config = lj_run(std::move(integrator), 60);
    config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
    config.coulomb = FormChoice{"smoothed", {{"cutoff", 2.5}}};
    config.temperature = 0.3;
    config.backend = method().backend;
    config.precision = method().precision;
    return config;
  }
  static Simulation simulation(const RunConfig& config, const Structure& structure = charged_ball()) {
    return {build_system(config, structure), config};
  }
};
INSTANTIATE_TEST_SUITE_P(Processors, Population, all_processors(), name_of_processor);

Ids ids_of(const Simulation& simulation) {
  Ids ids;
  for (std::size_t i = 0; i < simulation.n_atoms(); ++i) ids.push_back(simulation.system().particles.id_of(i));
  return ids;
}

/// An atom beyond all others, without neighbours.
NewAtom lonely(double x, double charge = 0.5) {
  return {.position = {x, 0, 0}, .velocity = {0.1, 0.2, 0.3}, .mass = 2, .charge = charge, .species = "X"};
}

TEST_P(Population, IdsAreNeverUsedTwice) {
  Simulation droplet = simulation(settings());
  const auto n = static_cast<std::uint32_t>(droplet.n_atoms());
  droplet.step(5);
  EXPECT_EQ(droplet.remove(Ids{n, 2, 5}).id, (Ids{2, 5, n}));
  EXPECT_EQ(droplet.n_atoms(), n - 3);
  const NewAtom atoms[] = {lonely(20), lonely(30)};
  EXPECT_EQ(droplet.add(atoms).id, (Ids{n + 1, n + 2})) << "that of the last atom, which has left, is used up";
  droplet.remove(Ids{n + 2});
  EXPECT_EQ(droplet.add(std::span(atoms).last(1)).id, (Ids{n + 3}));
  Ids expected{1, 3, 4};
  for (std::uint32_t id = 6; id < n; ++id) expected.push_back(id);
  expected.insert(expected.end(), {n + 1, n + 3});
  EXPECT_EQ(ids_of(droplet), expected);
  EXPECT_EQ(droplet.step_number(), 5);
  droplet.step(5);
  EXPECT_EQ(droplet.step_number(), 10);
  EXPECT_DOUBLE_EQ(droplet.time(), 0.04);
}

TEST_P(Population, WhatLeavesAndComesIsBooked) {
  Simulation droplet = simulation(settings());
  droplet.step(5);
  const double whole = droplet.energies().total();
  const PopulationBooking left = droplet.remove(Ids{1, 4});
  EXPECT_EQ(left.cause, Cause::removed);
  EXPECT_EQ(left.step, 5);
  EXPECT_DOUBLE_EQ(left.mass, 2);
  EXPECT_DOUBLE_EQ(left.charge, 0.25 - 0.5);
  const double rounding = 1e-5 * std::abs(whole);
  EXPECT_NEAR(left.energy, droplet.energies().total() - whole, rounding);
  EXPECT_GT(std::abs(left.energy), 1) << "they were bound";
  const NewAtom atom = lonely(40);
  const PopulationBooking came = droplet.add({&atom, 1});
  EXPECT_EQ(came.cause, Cause::added);
  EXPECT_DOUBLE_EQ(came.mass, 2);
  EXPECT_DOUBLE_EQ(came.charge, 0.5);
  EXPECT_NEAR(came.energy, 0.5 * 2 * (0.01 + 0.04 + 0.09), rounding) << "nobody is near: its kinetic energy";
}

/// The conserved energy stays the same within rounding: the energy of atoms that leave or enter is booked, and earlier
/// bookings stay.
TEST_P(Population, ConservedDoesNotNoticeAChange) {
  RunConfig config = settings({"langevin", {{"timestep", 0.004}, {"temperature", 0.6}, {"friction", 0.5}}});
  config.recenter_every = 10;
  config.remove_momentum = RemoveMomentum::both;
  Simulation droplet = simulation(config);
  droplet.step(50);
  EXPECT_FALSE(droplet.ledger().causes.has(Cause::removed));
  double size = std::abs(droplet.energies().total()), conserved = droplet.conserved();
  const Ledger before = droplet.ledger();
  const auto expect_continued = [&](double change) {
    size += std::abs(change) + std::abs(droplet.energies().total());
    const double rounding = (is_mixed() ? 1e-6 : 1e-12) * size;
    EXPECT_NEAR(droplet.conserved(), conserved, rounding);
    for (const Cause cause : {Cause::bath, Cause::momentum})
      EXPECT_NEAR(droplet.ledger().of(cause), before.of(cause), 1e-12 * size);
  };
  const double left = droplet.remove(Ids{1, 4, 5, 9}).energy;
  expect_continued(left);
  EXPECT_EQ(droplet.ledger().of(Cause::removed), left);
  EXPECT_GT(std::abs(left), 1) << "they were bound";
  const NewAtom near{.position = {3.2, 0.3, 0.1}, .velocity = {-0.4, 0, 0}, .charge = 0.3, .species = "X"};
  const double came = droplet.add({&near, 1}).energy;
  expect_continued(came);
  EXPECT_EQ(droplet.ledger().of(Cause::added), came);
  EXPECT_NE(came, 0);
  conserved = droplet.conserved();
  const RunState state = droplet.state();
  droplet.step(30);
  EXPECT_NEAR(droplet.conserved(), conserved, 0.2) << "the integrator's error";
  const Ledger whole = droplet.ledger();
  droplet.restore(state);
  droplet.step(30);
  EXPECT_EQ(droplet.ledger().booked, whole.booked);
  EXPECT_TRUE(droplet.ledger().causes == whole.causes);
}

/// The atoms that stay move as a droplet that never had the others.
TEST_P(Population, TheRestIsADropletOfItsOwn) {
  const RunConfig config = settings();
  Simulation droplet = simulation(config);
  droplet.step(20);
  droplet.remove(Ids{3, 4, 5});
  Structure rest = charged_ball();
  for (auto* const values : {&rest.charge}) values->erase(values->begin() + 2, values->begin() + 5);
  rest.species.resize(rest.charge.size());
  rest.position.assign(droplet.positions().begin(), droplet.positions().end());
  rest.velocity.assign(droplet.velocities().begin(), droplet.velocities().end());
  Simulation other = simulation(config, rest);
  droplet.step(10);
  other.step(10);
  const double bound = is_mixed() ? 1e-4 : 1e-9;
  for (std::size_t i = 0; i < other.n_atoms(); ++i)
    EXPECT_LT(norm(droplet.positions()[i] - other.positions()[i]), bound) << i;
  EXPECT_NEAR(droplet.temperature(), other.temperature(), 1e-4) << "degrees of freedom are those of the rest";
}

/// Atoms that do not interact: each keeps its own noise, whichever others are present.
TEST_P(Population, NoiseFollowsTheId) {
  Structure apart = structure_of(ChargedAtoms{});
  for (int i = 0; i < 12; ++i) apart.position.push_back({10.0 * i, 0, 0});
  apart.charge.assign(12, 0.0);
  apart.species.assign(12, 0);
  const RunConfig config = settings({"langevin", {{"timestep", 0.004}, {"temperature", 1.0}, {"friction", 0.5}}});
  Simulation all = simulation(config, apart), fewer = simulation(config, apart);
  all.step(10);
  fewer.step(10);
  const std::vector<double> heat = fewer.state().booked.of(Cause::bath);
  fewer.remove(Ids{1, 6});
  all.step(30);
  fewer.step(30);
  for (std::size_t i = 0; i < fewer.n_atoms(); ++i) {
    const std::uint32_t id = fewer.system().particles.id_of(i);
    EXPECT_EQ(fewer.positions()[i], all.positions()[id - 1]) << id;
    EXPECT_EQ(fewer.velocities()[i], all.velocities()[id - 1]) << id;
    EXPECT_EQ(fewer.state().booked.of(Cause::bath)[i], all.state().booked.of(Cause::bath)[id - 1]) << id;
  }
  EXPECT_EQ(fewer.state().carried.of(Cause::bath), heat[0] + heat[5]) << "of those that left";
}

TEST_P(Population, AllMayLeave) {
  Simulation droplet = simulation(settings());
  droplet.step(3);
  droplet.remove(ids_of(droplet));
  droplet.step(3);
  EXPECT_EQ(droplet.n_atoms(), 0U);
  EXPECT_EQ(droplet.energies().total(), 0);
  const NewAtom atom = lonely(1);
  droplet.add({&atom, 1});
  droplet.step(10);
  EXPECT_NEAR(droplet.positions()[0].x, 1 + 10 * 0.004 * 0.1, 1e-12) << "free flight";
}

TEST_P(Population, WhatCannotBeLeavesTheSimulationAsItWas) {
  Simulation droplet = simulation(settings());
  droplet.step(5);
  const RunState before = droplet.state();
  EXPECT_THROW(droplet.remove(Ids{0}), std::invalid_argument);
  EXPECT_THROW(droplet.remove(Ids{7, 7}), std::invalid_argument);
  EXPECT_THROW(droplet.remove(Ids{100'000}), std::invalid_argument);
  const auto add = [&](NewAtom atom) { droplet.add({&atom, 1}); };
  NewAtom atom = lonely(20);
  atom.species = "Y";
  EXPECT_THROW(add(atom), std::invalid_argument);
  atom = lonely(20);
  atom.mass = 0;
  EXPECT_THROW(add(atom), std::invalid_argument);
  EXPECT_THROW(add(lonely(20, std::numeric_limits<double>::infinity())), std::invalid_argument);
  EXPECT_THROW(add(lonely(std::numeric_limits<double>::quiet_NaN())), std::invalid_argument);
  atom = lonely(20);
  atom.position = before.position[3];
  EXPECT_THROW(add(atom), PhysicsError) << "there is one already";
  EXPECT_EQ(droplet.state().position, before.position);
  Simulation other = simulation(settings());
  other.remove(Ids{1});
  EXPECT_THROW(other.restore(before), std::invalid_argument) << "of other atoms";
}

TEST(Molecules, AreNotCut) {
  const RunConfig config = lj_run(verlet(0.004), 1);
  System system = build_system(config, structure_of(fcc_ball(2)));
  Topology topology;
  topology.molecule.resize(system.particles.size());
  for (std::size_t i = 0; i < system.particles.size(); ++i)
    topology.molecule[i] = static_cast<std::uint32_t>(3 * (i / 3) + 1);
  system.topology = std::make_shared<const Topology>(topology);
  EXPECT_THROW(changed(system, {.removed = {4, 5}}), std::invalid_argument);
  const System left = changed(system, {.removed = {4, 6, 5}, .added = {lonely(9)}});
  EXPECT_EQ(left.topology->molecule_of(left.particles.id_of(3) - 1), 7U) << "the next one keeps its id";
  EXPECT_EQ(left.topology->molecule_of(left.particles.id.back() - 1), left.particles.id.back()) << "one of its own";
  EXPECT_THROW(changed(left, {.removed = {7}}), std::invalid_argument);
}

TEST(AtomIds, RunOut) {
  System system = build_system(lj_run(verlet(0.004), 1), structure_of(fcc_ball(2)));
  system = changed(system, {.removed = {1}});
  system.particles.next_id = kMostAtomIds;
  system = changed(system, {.added = {lonely(9)}});
  EXPECT_EQ(system.particles.id.back(), kMostAtomIds);
  EXPECT_THROW(changed(system, {.added = {lonely(19)}}), std::length_error);
}

}  // namespace
}  // namespace dropmd
