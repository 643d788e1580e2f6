#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "device/device_info.h"
#include "forces/pair/brute_force.h"
#include "forces/pair/with_physics.h"
#include "inputs/run_file/run_config.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/force_error.h"
#include "tests/support/short_run.h"

/// Whether the energy drifts by more with one neighbour method than with another. A pair that is found too late, or
/// dropped too early, changes the energy whenever that is noticed.
namespace dropmd {
namespace {

constexpr double kTemperature = 0.6;  // at the start; half of it stays, and the surface of the ball melts
constexpr double kTimestep = 0.002;
constexpr std::int64_t kDriftSteps = 2000;
constexpr std::int64_t kEnergiesEvery = 5;
/// The crystal at the start of the run warms up first, which changes the error of the timestep.
constexpr double kBegin = 1.0;
constexpr double kSkin = 0.3;
/// Both terms have the same cutoff, since the longer of two would act as a skin for the other term.
const FormChoice kLj{"force-shift", {{"cutoff", 2.5}}}, kCoulomb{"smoothed", {{"cutoff", 2.5}}};

/// A warm ball of 201 atoms with charges of ±0.3; forces and energies vanish smoothly at the cutoffs.
ChargedAtoms ball() {
  ChargedAtoms atoms = fcc_ball(20);
  for (std::size_t i = 0; i < atoms.size(); ++i) atoms.charge[i] = i % 2 == 0 ? 0.3 : -0.3;
  return atoms;
}

struct Drift {
  double slope = 0;  ///< of the total energy, per time
  double error = 0;  ///< standard error of the slope
};

/// A straight line through the energies by least squares. The energies oscillate, and neighbouring values are
/// correlated, so the line is fitted to the means of blocks of 0.3 τ, whose residuals are nearly independent (with 8
/// blocks the error is the same, with 20 it is 0.7 of that).
class EnergySeries {
 public:
  static constexpr std::size_t kBlocks = 10;

  void add(double time, double energy) {
    if (time < kBegin) return;
    time_.push_back(time);
    energy_.push_back(energy);
  }

  double duration() const { return time_.back() - time_.front(); }

  Drift drift() const {
    const std::size_t length = time_.size() / kBlocks;
    std::vector<double> t(kBlocks), e(kBlocks);
    double t_mean = 0, e_mean = 0;
    for (std::size_t b = 0; b < kBlocks; ++b) {
      for (std::size_t k = b * length; k < (b + 1) * length; ++k) {
        t[b] += time_[k] / static_cast<double>(length);
        e[b] += (energy_[k] - energy_[0]) / static_cast<double>(length);
      }
      t_mean += t[b] / kBlocks;
      e_mean += e[b] / kBlocks;
    }
    double tt = 0, te = 0, residual = 0;
    for (std::size_t b = 0; b < kBlocks; ++b) {
      tt += (t[b] - t_mean) * (t[b] - t_mean);
      te += (t[b] - t_mean) * (e[b] - e_mean);
    }
    const double slope = te / tt;
    for (std::size_t b = 0; b < kBlocks; ++b) residual += std::pow(e[b] - e_mean - slope * (t[b] - t_mean), 2);
    return {slope, std::sqrt(residual / (kBlocks - 2) / tt)};
  }

 private:
  std::vector<double> time_, energy_;
};

/// Student's t with kBlocks − 2 = 8 degrees of freedom exceeds 5 once in 1,000 cases.
double noise(const Drift& a, const Drift& b) { return 5 * std::hypot(a.error, b.error); }

RunConfig drift_run() {
  RunConfig config = lj_run(verlet(kTimestep), kDriftSteps);
  config.lennard_jones->treatment = kLj;
  config.coulomb = kCoulomb;
  config.temperature = kTemperature;
  config.skin = kSkin;
  return config;
}

struct DriftOfRun {
  Drift drift;
  double duration = 0;
  double absolute_energy = 0;  ///< Σ|u| at the end
  double rms_force = 0;
};

DriftOfRun drift_of_run(const Method& method) {
  const RunConfig config = drift_run();
  System system = build_system(config, structure_of(ball()));
  const RunResult run = run_short(system, config, method, kEnergiesEvery);
  EnergySeries series;
  for (std::size_t k = 0; k < run.rows.size(); ++k)
    series.add(kTimestep * static_cast<double>(kEnergiesEvery) * static_cast<double>(k), run.rows[k].energies.total());
  const PairScales scales =
      pair_scales(system.model, {system.particles.charge, system.particles.pair_species}, system.particles.position);
  return {series.drift(), series.duration(), scales.vdw + scales.coulomb, rms_of(run.force)};
}

const DriftOfRun& reference() {
  static const DriftOfRun run = drift_of_run(fp64_method());
  return run;
}

struct DriftMethod {
  Backend backend;
  NeighborMethod neighbor;
  Precision precision;

  Method method() const {
    Method method = fp64_method(1, neighbor);
    method.backend = backend;
    method.precision = precision;
    return method;
  }
};
std::string name_of(const DriftMethod& method) {
  std::string name = std::string(method.backend == Backend::cpu ? "cpu_" : "gpu_") +
                     std::string(word_of(method.neighbor)) +
                     (method.precision == Precision::mixed ? "_mixed" : "_fp64");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
void PrintTo(const DriftMethod& method, std::ostream* out) { *out << name_of(method); }

std::vector<DriftMethod> all_methods() {
  std::vector<DriftMethod> methods;
  for (const Backend backend : {Backend::cpu, Backend::cuda})
    for (const NeighborMethod neighbor :
         {NeighborMethod::all_pairs, NeighborMethod::cells, NeighborMethod::sorted_cells, NeighborMethod::pair_list})
      for (const Precision precision : {Precision::fp64, Precision::mixed})
        methods.push_back({backend, neighbor, precision});
  return methods;
}

class EnergyDrift : public testing::TestWithParam<DriftMethod> {
 protected:
  void SetUp() override {
    if (GetParam().backend == Backend::cpu) return;
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
};

/// In mixed precision, each energy has an error of up to 1e-6 of Σ|u|, which tilts a line by 3/T times as much at most
/// (with one sign in the first half of T, and the other in the second). Also, the rounding errors of forces, 5e-6 of
/// the RMS force, do work of random sign on the atoms: a random walk. The bound is five times its root mean square.
double rounding(const DriftOfRun& run, Precision precision) {
  if (precision == Precision::fp64) return 0;
  const Bounds bounds = bounds_of(precision);
  const double speed = std::sqrt(kTemperature);  // along a force, at the initial temperature
  const double walk = bounds.rms_force * run.rms_force * speed * kTimestep *
                      std::sqrt(static_cast<double>(ball().size()) * static_cast<double>(kDriftSteps));
  return (3 * bounds.energy * run.absolute_energy + 5 * walk) / run.duration;
}

TEST_P(EnergyDrift, IsThatOfAllPairs) {
  const DriftOfRun run = drift_of_run(GetParam().method());
  EXPECT_NEAR(run.drift.slope, reference().drift.slope,
              noise(run.drift, reference().drift) + rounding(run, GetParam().precision));
}

INSTANTIATE_TEST_SUITE_P(Methods, EnergyDrift, testing::ValuesIn(all_methods()),
                         [](const auto& method) { return name_of(method.param); });

/// Forces of only those pairs that were within the cutoff at the last search: a list without a skin that is kept for
/// some steps nevertheless.
class TooShortList final : public PairForces {
 public:
  TooShortList(PairModel model, PairAtoms atoms, int life)
      : model_(std::move(model)), atoms_(atoms), life_(life), table_(model_.lj_coefficients()) {}

  PairSums evaluate(std::span<const Vec3<double>> position, std::span<Vec3<double>> force, Want) override {
    if (age_++ % life_ == 0) find(position);
    PairSums sums;
    std::fill(force.begin(), force.end(), Vec3<double>{});
    with_specialized_physics<double, Limits::none, Limits::separate>(model_, [&](const auto& physics) {
      for (const auto& [i, j] : pairs_) {
        const Vec3<double> d = position[i] - position[j];
        const auto pair = physics(squared_norm(d), table_[0], atoms_.charge[i] * atoms_.charge[j]);
        force[i] += pair.force_over_r * d;
        force[j] -= pair.force_over_r * d;
        sums.vdw += pair.vdw;
        sums.coulomb += pair.coulomb;
      }
    });
    return sums;
  }

 private:
  void find(std::span<const Vec3<double>> position) {
    pairs_.clear();
    for (std::size_t i = 0; i < position.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (norm(position[i] - position[j]) < model_.cutoff()) pairs_.emplace_back(i, j);
  }

  PairModel model_;
  PairAtoms atoms_;
  int life_, age_ = 0;
  std::vector<LjCoefficients<double>> table_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

/// The same run with these forces.
Drift drift_with(PairForces& forces, Particles& p) {
  std::vector<Vec3<double>> force(p.size());
  forces.evaluate(p.position, force, Want::forces);
  EnergySeries series;
  const auto kick = [&] {
    for (std::size_t i = 0; i < p.size(); ++i) p.velocity[i] += (0.5 * kTimestep / p.mass[i]) * force[i];
  };
  for (std::int64_t step = 1; step <= kDriftSteps; ++step) {
    kick();
    for (std::size_t i = 0; i < p.size(); ++i) p.position[i] += kTimestep * p.velocity[i];
    const PairSums sums = forces.evaluate(p.position, force, Want::forces_and_energies);
    kick();
    if (step % kEnergiesEvery != 0) continue;
    double kinetic = 0;
    for (std::size_t i = 0; i < p.size(); ++i) kinetic += 0.5 * p.mass[i] * dot(p.velocity[i], p.velocity[i]);
    series.add(kTimestep * static_cast<double>(step), sums.vdw + sums.coulomb + kinetic);
  }
  return series.drift();
}

/// The error that the bound has to detect: atoms come within the cutoff unnoticed for up to 20 steps. The drift is then
/// some 20 times as large as the noise bound.
TEST(EnergyDrift, ShowsAListThatIsTooShort) {
  const auto drift_of_life = [](int life) {
    System system = build_system(drift_run(), structure_of(ball()));
    TooShortList list(system.model, {system.particles.charge, system.particles.pair_species}, life);
    return drift_with(list, system.particles);
  };
  const Drift always = drift_of_life(1), seldom = drift_of_life(20);
  EXPECT_NEAR(always.slope, reference().drift.slope, noise(always, reference().drift))
      << "a list of every step is right";
  EXPECT_GT(std::abs(seldom.slope - reference().drift.slope),
            noise(seldom, reference().drift) + rounding(reference(), Precision::mixed));
}

}  // namespace
}  // namespace dropmd
