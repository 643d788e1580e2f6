#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "engine/model/form_catalog.h"
#include "engine/model/initial_velocities.h"
#include "engine/step_loop.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "inputs/structures/structure.h"
#include "tests/integrators/statistics.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/force_error.h"
#include "tests/support/system/needed_file.h"
#include "tests/support/processors.h"

/// The thermostats in whole runs of Lennard-Jones clusters: degrees of freedom, equipartition, ensemble. Seeds are
/// fixed; tests/integrators/statistics.h says what p means.
namespace dropmd {
namespace {

FormChoice langevin(double timestep, double temperature, double friction) {
  return {"langevin", {{"timestep", timestep}, {"temperature", temperature}, {"friction", friction}}};
}
FormChoice csvr(double timestep, double temperature, double relaxation) {
  return {"csvr", {{"timestep", timestep}, {"temperature", temperature}, {"relaxation", relaxation}}};
}

ChargedAtoms dimer() {
  ChargedAtoms atoms;
  atoms.add({0, 0, 0});
  atoms.add({1.12, 0, 0});
  return atoms;
}

double degrees_in(const EnergyRow& row) { return 2 * row.energies.kinetic / row.temperature; }

class ThermostatTest : public OnProcessors {};
INSTANTIATE_TEST_SUITE_P(Processors, ThermostatTest, all_processors(), name_of_processor);

TEST_P(ThermostatTest, DegreesOfFreedomCountTheMomentaThatStayRemoved) {
  const auto degrees = [](const FormChoice& integrator, RemoveMomentum remove, bool drawn) {
    RunConfig config = lj_run(integrator, 3);
    config.recenter_every = 1;
    config.remove_momentum = remove;
    Structure structure = structure_of(fcc_ball(2));
    if (drawn)
      config.temperature = 0.2;
    else
      structure.velocity = maxwell_boltzmann(std::vector<double>(13, 1.0), 0.2, kLjUnits, 1);
    System system = build_system(config, structure);
    return degrees_in(run_short(system, config, method()).last);
  };
  const FormChoice noise = langevin(0.002, 0.2, 1.0), scaling = csvr(0.002, 0.2, 0.1);
  constexpr double kRounding = 1e-12;
  // Velocities are drawn without linear momentum, but Langevin's noise restores it.
  EXPECT_NEAR(degrees(verlet(0.002), RemoveMomentum::none, true), 36, 36 * kRounding);
  EXPECT_NEAR(degrees(scaling, RemoveMomentum::none, true), 36, 36 * kRounding);
  EXPECT_NEAR(degrees(noise, RemoveMomentum::none, true), 39, 39 * kRounding);
  EXPECT_NEAR(degrees(scaling, RemoveMomentum::none, false), 39, 39 * kRounding);
  // The run removes the momentum.
  EXPECT_NEAR(degrees(noise, RemoveMomentum::linear, true), 36, 36 * kRounding);
  EXPECT_NEAR(degrees(noise, RemoveMomentum::angular, true), 36, 36 * kRounding);
  EXPECT_NEAR(degrees(scaling, RemoveMomentum::angular, true), 33, 33 * kRounding);
  EXPECT_NEAR(degrees(noise, RemoveMomentum::both, true), 33, 33 * kRounding);
}

/// Kinetic energies over k_B T of a free cluster under csvr, 20 relaxation times apart: exchange with the potential
/// energy makes the correlation time of a cluster longer than that of the thermostat.
std::vector<double> kinetic_energies(const Method& method, const ChargedAtoms& atoms, RemoveMomentum remove,
                                     std::int64_t n_samples, double& n_dof) {
  const double temperature = 0.15, dt = 0.004;
  const std::int64_t apart = 100, warming = 10000;
  RunConfig config = lj_run(csvr(dt, temperature, 5 * dt), warming + apart * n_samples);
  config.temperature = temperature;
  config.remove_momentum = remove;
  if (remove != RemoveMomentum::none) {
    config.recenter = Recenter::mass;
    config.recenter_every = 1;
  }
  System system = build_system(config, structure_of(atoms));
  const RunResult run = run_short(system, config, method, apart);
  n_dof = degrees_in(run.last);
  std::vector<double> samples;
  for (const EnergyRow& row : run.rows)
    if (row.step > warming) samples.push_back(row.energies.kinetic / temperature);
  return samples;
}

/// The correlation of successive values.
double next_correlation(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (std::size_t i = 1; i < values.size(); ++i) sum += (values[i] - mean) * (values[i - 1] - mean);
  return sum / (static_cast<double>(values.size() - 1) * variance_of(values));
}

/// n_dof of 51, 36 and 1 (a vibration): odd, even, and small.
TEST_P(ThermostatTest, CsvrGivesAClusterTheKineticEnergiesOfTheCanonicalEnsemble) {
  struct Case {
    const char* name;
    ChargedAtoms atoms;
    RemoveMomentum remove;
    double n_dof;
  };
  for (const Case& c :
       {Case{"19 atoms", fcc_ball(4), RemoveMomentum::both, 51},
        Case{"13 atoms", fcc_ball(2), RemoveMomentum::none, 36}, Case{"dimer", dimer(), RemoveMomentum::both, 1}}) {
    SCOPED_TRACE(c.name);
    double n_dof = 0;
    const std::vector<double> k = kinetic_energies(method(), c.atoms, c.remove, 1000, n_dof);
    // The KS test presumes independent samples. The standard error of a correlation is 1/sqrt(n).
    EXPECT_LT(std::abs(next_correlation(k)), 3 / std::sqrt(static_cast<double>(k.size())));
    EXPECT_NEAR(n_dof, c.n_dof, 1e-9);
    EXPECT_GT(kolmogorov_smirnov_p(k, [&](double x) { return gamma_cdf(c.n_dof / 2, x); }), 0.01);
    EXPECT_LT(kolmogorov_smirnov_p(k, [&](double x) { return gamma_cdf((c.n_dof + 3) / 2, x); }), 1e-4)
        << "three more degrees of freedom are not told apart";
  }
}

/// Forces are equal and opposite except for rounding, and one factor scales all velocities. In mixed precision the
/// force on each atom is rounded independently, which gives independent kicks of 5e-6 of the RMS force. The bound is
/// five times the root mean square of their random walk.
TEST_P(ThermostatTest, CsvrKeepsATotalMomentumOfZero) {
  RunConfig config = lj_run(csvr(0.004, 0.2, 0.1), 5000);
  config.temperature = 0.05;
  System system = build_system(config, structure_of(fcc_ball(8)));
  const RunResult run = run_short(system, config, method(), 0);
  Vec3<double> momentum{};
  double speed = 0;
  for (std::size_t i = 0; i < system.particles.size(); ++i) {
    momentum += system.particles.mass[i] * system.particles.velocity[i];
    speed += norm(system.particles.velocity[i]);
  }
  EXPECT_GT(speed, 1.0);
  const double walk = 5 * bounds().rms_force * rms_of(run.force) * config.integrator.at("timestep") *
                      std::sqrt(static_cast<double>(system.particles.size()) * static_cast<double>(config.steps));
  // In double precision: 5,000 steps of rounding in 55 forces of up to 1e2, times dt.
  EXPECT_LT(norm(momentum), is_mixed() ? walk : 1e-10);
}

/// A liquid droplet of two species in a wall. Twice the kinetic energy per atom of one species along one axis is k_B T,
/// and so is that of the total momentum, P²/M. BAOAB's velocities are too cold by (ω dt)²/4, below 0.1% here. Blocks of
/// 20 τ, 40 times the correlation time of the velocities, are independent. Their spread gives the standard error, and
/// the test allows four of them.
TEST_P(ThermostatTest, LangevinSharesEnergyEqually) {
  const double temperature = 0.8, dt = 0.002;
  const std::size_t n_blocks = 16;
  const auto block_steps = static_cast<std::int64_t>(10000);
  RunConfig config = lj_run(langevin(dt, temperature, 2.0), block_steps * static_cast<std::int64_t>(n_blocks));
  config.fields["wall"] = FormChoice{"harmonic", {{"radius", 2.0}, {"stiffness", 20.0}}};
  Structure structure = structure_of(fcc_ball(2));
  for (std::size_t i = 0; i < structure.position.size(); ++i) structure.mass.push_back(i % 2 == 0 ? 1.0 : 8.0);
  System system = build_system(config, structure);

  using Columns = std::array<double, 9>;  // light x y z, heavy x y z, total momentum x y z
  std::vector<Columns> block(n_blocks + 1, Columns{});
  std::vector<double> n_samples(n_blocks + 1, 0);
  const auto look = [&](const Snapshot& s) {
    const auto b = static_cast<std::size_t>(s.step / block_steps);
    const Particles& p = s.particles;
    Vec3<double> momentum{};
    double mass = 0;
    std::array<Vec3<double>, 2> mv2{};
    std::array<double, 2> n{};
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Vec3<double>& v = p.velocity[i];
      momentum += p.mass[i] * v;
      mass += p.mass[i];
      mv2[i % 2] += p.mass[i] * Vec3<double>{v.x * v.x, v.y * v.y, v.z * v.z};
      n[i % 2] += 1;
    }
    const Vec3<double> light = (1 / n[0]) * mv2[0], heavy = (1 / n[1]) * mv2[1];
    const Columns now{light.x,
                      light.y,
                      light.z,
                      heavy.x,
                      heavy.y,
                      heavy.z,
                      momentum.x * momentum.x / mass,
                      momentum.y * momentum.y / mass,
                      momentum.z * momentum.z / mass};
    for (std::size_t c = 0; c < now.size(); ++c) block[b][c] += now[c];
    n_samples[b] += 1;
  };
  run_short(system, config, method(), 0, look, never_stop, 5);

  for (std::size_t c = 0; c < Columns{}.size(); ++c) {
    std::vector<double> means;
    for (std::size_t b = 1; b < n_blocks; ++b)
      means.push_back(block[b][c] / n_samples[b]);  // not the first: warming up
    EXPECT_NEAR(mean_of(means), temperature, 4 * standard_error(means)) << "column " << c;
    EXPECT_LT(standard_error(means), (c < 6 ? 0.03 : 0.1) * temperature) << "column " << c << " says little";
  }
}

/// The potential energies of 13 atoms in a wall, every 40 steps after 4,000 initial steps.
std::vector<double> potential_energies(const Method& method, const FormChoice& integrator, double temperature,
                                       std::int64_t n_samples) {
  const std::int64_t apart = 40, warming = 4000;
  RunConfig config = lj_run(integrator, warming + apart * n_samples);
  config.fields["wall"] = FormChoice{"harmonic", {{"radius", 1.8}, {"stiffness", 20.0}}};
  config.random_seed = 17;
  Structure structure = structure_of(fcc_ball(2));
  // Set here and not drawn by the run: with a wall the momentum does not stay zero, so all 3N degrees of freedom count.
  structure.velocity = maxwell_boltzmann(std::vector<double>(13, 1.0), temperature, kLjUnits, 2);
  System system = build_system(config, structure);
  const RunResult run = run_short(system, config, method, apart);
  std::vector<double> samples;
  for (const EnergyRow& row : run.rows)
    if (row.step > warming) samples.push_back(row.energies.potential());
  return samples;
}

/// The most likely b of ln(p_hot(U)/p_cold(U)) = a + b U for equally many samples of both: logistic regression by
/// Newton's method (Shirts, J. Chem. Theory Comput. 9, 909, 2013).
double log_ratio_slope(const std::vector<double>& cold, const std::vector<double>& hot) {
  const double centre = 0.5 * (mean_of(cold) + mean_of(hot));
  double a = 0, b = 0;
  for (int iteration = 0; iteration < 30; ++iteration) {
    double ga = 0, gb = 0, haa = 0, hab = 0, hbb = 0;
    const auto add = [&](double energy, double is_hot) {
      const double u = energy - centre, p = 1 / (1 + std::exp(-a - b * u)), w = p * (1 - p);
      ga += is_hot - p, gb += (is_hot - p) * u;
      haa += w, hab += w * u, hbb += w * u * u;
    };
    for (const double e : cold) add(e, 0);
    for (const double e : hot) add(e, 1);
    const double determinant = haa * hbb - hab * hab;
    a += (hbb * ga - hab * gb) / determinant;
    b += (haa * gb - hab * ga) / determinant;
  }
  return b;
}

/// In the canonical ensemble the slope is 1/(k_B T_cold) - 1/(k_B T_hot), whatever the potential. On the CPU, ten
/// pieces of the runs give its standard error. On a GPU the results of a run depend on the device's model, so that each
/// model draws a sample of its own instead of one whose seed is known to pass. There the slope of the whole runs
/// (pieces with so few independent samples give some per cent too much) is compared with the spread of such slopes,
/// measured with 30 seeds on the CPU. One sample in 2,000 exceeds 3.5 times that. Under csvr the angular momentum in
/// the round wall, which only the scaling changes, has a correlation time longer than a piece, so that the spread is
/// larger than the pieces suggest.
TEST_P(ThermostatTest, PotentialEnergiesOfTwoTemperaturesHaveTheRatioOfBoltzmann) {
  const double cold = 1.0, hot = 1.6, expected = 1 / cold - 1 / hot, dt = 0.004;
  const std::int64_t n_samples = 4500, n_pieces = 10;
  using Thermostat = FormChoice (*)(double, double, double);
  struct Case {
    const char* name;
    Thermostat form;
    double rate;
    double spread;  ///< standard deviation of the slope, relative
  };
  for (const Case& c : {Case{"langevin", langevin, 2.0, 0.045}, Case{"csvr", csvr, 0.1, 0.085}}) {
    SCOPED_TRACE(c.name);
    const std::vector<double> u_cold = potential_energies(method(), c.form(dt, cold, c.rate), cold, n_samples);
    const std::vector<double> u_hot = potential_energies(method(), c.form(dt, hot, c.rate), hot, n_samples);
    if (!on_cpu()) {
      EXPECT_NEAR(log_ratio_slope(u_cold, u_hot), expected, 3.5 * c.spread * expected);
      continue;
    }
    std::vector<double> slopes;
    for (std::int64_t piece = 0; piece < n_pieces; ++piece) {
      const std::int64_t begin = piece * n_samples / n_pieces, end = (piece + 1) * n_samples / n_pieces;
      slopes.push_back(log_ratio_slope({u_cold.begin() + begin, u_cold.begin() + end},
                                       {u_hot.begin() + begin, u_hot.begin() + end}));
    }
    EXPECT_NEAR(mean_of(slopes), expected, 3 * standard_error(slopes)) << "standard error " << standard_error(slopes);
    EXPECT_LT(standard_error(slopes), 0.05 * expected) << "the samples say little";
  }
}

TEST(Thermostat, SampleOfALangevinRun) {
  const auto file = source_file("inputs/samples/lj-cluster-13-langevin.toml");
  const RunConfig config = read_run_file(file, form_catalog());
  EXPECT_EQ(config.integrator.form, "langevin");
  EXPECT_EQ(config.integrator.at("temperature"), 0.25);
  EXPECT_EQ(config.integrator.at("friction"), 0.5);
  EXPECT_EQ(config.fields.at("wall").form, "harmonic");
  EXPECT_TRUE(config.warnings.empty());
}

/// Checks only what the descriptions of the keys say: temperature has no default, the others have one.
TEST(Thermostat, KeysAndDefaults) {
  const FormList forms = integrator_forms();
  for (const char* name : {"langevin", "csvr"}) {
    const FormInfo* const form = find_form(forms, name);
    ASSERT_NE(form, nullptr) << name;
    ASSERT_EQ(form->keys.size(), 3U);
    EXPECT_EQ(form->keys[0].name, "timestep");
    EXPECT_EQ(form->keys[1].name, "temperature");
    EXPECT_TRUE(form->keys[1].required);
    EXPECT_FALSE(form->keys[1].default_real);
  }
  EXPECT_EQ(find_form(forms, "langevin")->keys[2].name, "friction");
  EXPECT_EQ(find_form(forms, "langevin")->keys[2].default_real, 0.001);
  EXPECT_EQ(find_form(forms, "csvr")->keys[2].name, "relaxation");
  EXPECT_EQ(find_form(forms, "csvr")->keys[2].default_real, 100);
}

}  // namespace
}  // namespace dropmd
