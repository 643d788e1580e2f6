#include "engine/ledger/host_ledger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/actions/action.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/short_run.h"

/// What actions book on the host, compared with energies that are computed here.
namespace dropmd {
namespace {

constexpr Cpu kCpu{2};
constexpr std::size_t kAtoms = 3000;

FormChoice oscillating(double frequency) {
  FormChoice field{"uniform", {{"frequency", frequency}}};
  field.set_vector("strength", {0.3, -0.2, 0.5});
  return field;
}

/// Atoms of random masses and charges in a moving, rotating, off-centre cloud, most of them beyond the wall.
System cloud(RunConfig& config) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(1, 30);
  Structure structure;
  for (std::size_t i = 0; i < kAtoms; ++i) {
    const double x = 5 * normal(random) + 4, y = 3 * normal(random) - 2, z = 8 * normal(random);
    structure.position.push_back({x, y, z});
    structure.velocity.push_back({normal(random) + 0.5, normal(random) - 0.2 * z, normal(random) + 0.1 * x});
    structure.mass.push_back(uniform(random));
    structure.charge.push_back(normal(random));
    structure.species.push_back(0);
  }
  structure.species_names = {"X"};
  config.lennard_jones.reset();
  return build_system(config, structure);
}

RunConfig with_all_actions() {
  RunConfig config = lj_run({"langevin", {{"timestep", 0.01}, {"temperature", 1}, {"friction", 1}}}, 10);
  config.fields["wall"] = FormChoice{"harmonic", {{"radius", 3.0}, {"stiffness", 2.0}}};
  config.fields["field"] = oscillating(0.7);
  config.recenter_every = 5;
  config.recenter = Recenter::mass;
  config.remove_momentum = RemoveMomentum::both;
  return config;
}

/// Sums with more digits than a booking has.
struct Change {
  long double sum = 0, absolute = 0;
  void add(long double change) { sum += change, absolute += std::abs(change); }
  void expect(double booked) const {
    EXPECT_GT(absolute, 1);
    EXPECT_LE(std::abs(booked - sum), 1e-12L * absolute);
  }
};

long double square(const Vec3<double>& a) {
  const long double x = a.x, y = a.y, z = a.z;
  return x * x + y * y + z * z;
}
long double wall_energy(const Vec3<double>& x) {
  const long double beyond = std::sqrt(square(x)) - 3;
  return beyond > 0 ? beyond * beyond : 0;  // ½ · 2
}
constexpr long double kTurn = 2 * 3.14159265358979323846264338L;
long double field_energy(const Vec3<double>& x, double charge, long double time) {
  return -charge * std::cos(kTurn * 0.7L * time) * (0.3L * x.x - 0.2L * x.y + 0.5L * x.z);
}

TEST(HostLedger, RemovalOfMomentumIsTheChangeOfTheKineticEnergy) {
  for (const RemoveMomentum which : {RemoveMomentum::linear, RemoveMomentum::angular, RemoveMomentum::both}) {
    RunConfig config = with_all_actions();
    config.remove_momentum = which;
    System system = cloud(config);
    HostLedger ledger(kCpu, config, system);
    const std::vector<Vec3<double>> before = system.particles.velocity;
    const MomentumRemoval removal{5, which};
    ledger.book(removal, system.particles, 0, [&] { removal.on_host(kCpu, system.particles); });
    Change change;
    for (std::size_t i = 0; i < kAtoms; ++i)
      change.add(0.5L * system.particles.mass[i] * (square(system.particles.velocity[i]) - square(before[i])));
    change.expect(ledger.totals().of(Cause::momentum));
    EXPECT_LT(change.sum, 0) << "what is removed is gone";
  }
}

TEST(HostLedger, RecentringIsTheChangeOfTheEnergyInWallAndField) {
  RunConfig config = with_all_actions();
  System system = cloud(config);
  HostLedger ledger(kCpu, config, system);
  const std::vector<Vec3<double>> before = system.particles.position;
  const double time = 0.3;
  const Recentring recentring{5, Recenter::geometric};
  ledger.book(recentring, system.particles, time, [&] { recentring.on_host(kCpu, system.particles); });
  Change change;
  for (std::size_t i = 0; i < kAtoms; ++i) {
    const Vec3<double>& after = system.particles.position[i];
    const double q = system.particles.charge[i];
    change.add(wall_energy(after) - wall_energy(before[i]) + field_energy(after, q, time) -
               field_energy(before[i], q, time));
  }
  change.expect(ledger.totals().of(Cause::recentring));
}

TEST(HostLedger, AFieldGivesWhatItsChangeIsWorthWhereTheAtomsAre) {
  RunConfig config = with_all_actions();
  System system = cloud(config);
  HostLedger ledger(kCpu, config, system);
  const std::vector<Vec3<double>> before = system.particles.position;
  ledger.book_move(system.particles, 0.5, 0.6, [&] {
    for (Vec3<double>& x : system.particles.position) x += {0.01, -0.02, 0.005};
  });
  Change change;
  for (std::size_t i = 0; i < kAtoms; ++i) {
    const double q = system.particles.charge[i];
    for (const Vec3<double>& x : {before[i], system.particles.position[i]})
      change.add(0.5L * (field_energy(x, q, 0.6L) - field_energy(x, q, 0.5L)));
  }
  change.expect(ledger.totals().of(Cause::field));
}

TEST(HostLedger, ARunHasTheCausesOfItsActions) {
  const auto causes_with = [](const std::function<void(RunConfig&)>& change) {
    RunConfig config = lj_run(verlet(0.01), 10);
    config.recenter_every = 5;
    config.recenter = Recenter::mass;
    change(config);
    const System system = cloud(config);
    std::string names;
    const CauseSet causes = causes_of(config, system);
    for (std::size_t k = 0; k < kCauses; ++k)
      if (causes.has(static_cast<Cause>(k))) names.append(kCauseNames[k]).append(" ");
    EXPECT_EQ(causes.any(), !names.empty());
    return names;
  };
  const FormChoice wall{"harmonic", {{"radius", 3.0}, {"stiffness", 2.0}}};
  EXPECT_EQ(causes_with([](RunConfig&) {}), "") << "in empty space recentring changes no energy";
  EXPECT_EQ(causes_with([&](RunConfig& c) { c.fields["wall"] = wall; }), "recentring ");
  EXPECT_EQ(causes_with([&](RunConfig& c) { c.fields["wall"] = wall, c.recenter = Recenter::none; }), "");
  EXPECT_EQ(causes_with([&](RunConfig& c) { c.fields["wall"] = wall, c.recenter.reset(); }), "")
      << "beside a wall nothing is recentred unless one asks";
  EXPECT_EQ(causes_with([](RunConfig& c) { c.remove_momentum = RemoveMomentum::linear; }), "momentum ");
  EXPECT_EQ(causes_with([](RunConfig& c) { c.remove_momentum = RemoveMomentum::both, c.recenter_every = 0; }), "");
  EXPECT_EQ(causes_with([](RunConfig& c) { c.fields["field"] = oscillating(0), c.recenter = Recenter::none; }), "");
  EXPECT_EQ(causes_with([](RunConfig& c) { c.fields["field"] = oscillating(2), c.recenter = Recenter::none; }),
            "field ");
  EXPECT_EQ(causes_with([](RunConfig& c) { c = with_all_actions(); }), "bath field recentring momentum ");
  EXPECT_EQ(causes_with([](RunConfig& c) {
              c = with_all_actions();
              c.integrator = {"descent", {{"factor", 0.01}}};
            }),
            "")
      << "minimisers have no ledger";
  RunConfig all = with_all_actions();
  const System system = cloud(all);
  const auto may_change = [&](const RunConfig& config) {
    return causes_of(config, system, /*population_changes=*/true);
  };
  EXPECT_TRUE(may_change(all).has(Cause::removed));
  EXPECT_TRUE(may_change(all).has(Cause::added));
  EXPECT_FALSE(may_change(lj_run({"descent", {{"factor", 0.01}}}, 10)).any());
}

TEST(HostLedger, ThreadsChangeNoTotal) {
  RunConfig config = with_all_actions();
  std::vector<double> booked[2];
  for (int k = 0; k < 2; ++k) {
    System system = cloud(config);
    HostLedger ledger(Cpu{1 + 2 * k}, config, system);
    const MomentumRemoval removal{5, RemoveMomentum::both};
    const Recentring recentring{5, Recenter::mass};
    ledger.book(removal, system.particles, 0, [&] { removal.on_host(kCpu, system.particles); });
    ledger.book(recentring, system.particles, 0.1, [&] { recentring.on_host(kCpu, system.particles); });
    const Ledger totals = ledger.totals();
    booked[k].assign(totals.booked.begin(), totals.booked.end());
  }
  EXPECT_EQ(booked[0], booked[1]);
}

}  // namespace
}  // namespace dropmd
