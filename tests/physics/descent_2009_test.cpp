#include <gtest/gtest.h>

#include <cmath>

#include "inputs/run_file/run_config.h"
#include "inputs/structures/droplet_file.h"
#include "tests/support/force_error.h"
#include "tests/support/system/needed_file.h"
#include "tests/support/processors.h"

/// The engine compared with the 2009 program simple_md_gpu, restated as a plain loop in double: descent with factor
/// 0.01, ε = 0.2, r_min = 2.5, untruncated Coulomb with k_e = 1, quartic wall with k = 0.01, geometric centre (every
/// 100 steps there, every 50 here).
namespace dropmd {
namespace {

constexpr double kEpsilon = 0.2, kRMin = 2.5, kFactor = 0.01, kWall = 0.01;
constexpr int kSteps = 100, kRecenterEvery = 50;

struct PlainEnergies {
  double vdw = 0, coulomb = 0, wall = 0;
  double vdw_size = 0, coulomb_size = 0;  ///< Σ|u|
};

class PlainProgram {
 public:
  PlainProgram(std::vector<Vec3<double>> position, std::vector<double> charge, double radius)
      : position_(std::move(position)), charge_(std::move(charge)), radius_(radius) {}

  void recenter() {
    Vec3<double> centre{};
    for (const auto& x : position_) centre += x;
    for (auto& x : position_) x -= centre * (1.0 / static_cast<double>(position_.size()));
  }

  PlainEnergies compute_forces() {
    force_.assign(position_.size(), {});
    PlainEnergies energies;
    const double r6 = std::pow(kRMin, 6);
    for (std::size_t i = 0; i < position_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Vec3<double> d = position_[i] - position_[j];
        const double r2 = dot(d, d), s = r6 / (r2 * r2 * r2), coulomb = charge_[i] * charge_[j] / std::sqrt(r2);
        const double vdw = kEpsilon * (s * s - 2 * s);
        energies.vdw += vdw;
        energies.coulomb += coulomb;
        energies.vdw_size += std::abs(vdw);
        energies.coulomb_size += std::abs(coulomb);
        const Vec3<double> f = d * ((12 * kEpsilon * (s * s - s) + coulomb) / r2);
        force_[i] += f;
        force_[j] -= f;
      }
      const double beyond = dot(position_[i], position_[i]) - radius_ * radius_;
      if (beyond <= 0) continue;
      energies.wall += kWall / (4 * radius_) * beyond * beyond;
      force_[i] -= position_[i] * (kWall * beyond / radius_);
    }
    return energies;
  }

  void move() {
    for (std::size_t i = 0; i < position_.size(); ++i) position_[i] += force_[i] * kFactor;
  }

  const std::vector<Vec3<double>>& position() const { return position_; }

 private:
  std::vector<Vec3<double>> position_, force_;
  std::vector<double> charge_;
  double radius_;
};

Structure droplet() {
  Structure structure = read_droplet_file(source_file("inputs/samples/droplet-4139.drop"));
  // The atoms are off-centre and the wall is well inside the droplet, so that recentring and wall matter.
  for (Vec3<double>& x : structure.position) x += {1.0, -2.0, 0.5};
  structure.radius = 20.0;
  return structure;
}

struct PlainRun {
  std::vector<PlainEnergies> energies;  ///< [kSteps + 1]
  std::vector<Vec3<double>> position;   ///< after the last step
};

/// Computed once, as the reference for all processors.
const PlainRun& plain_run() {
  static const PlainRun made = [] {
    const Structure structure = droplet();
    PlainProgram plain(structure.position, structure.charge, *structure.radius);
    PlainRun run;
    for (int step = 0; step <= kSteps; ++step) {
      if (step % kRecenterEvery == 0) plain.recenter();
      run.energies.push_back(plain.compute_forces());
      if (step < kSteps) plain.move();
    }
    run.position = plain.position();
    return run;
  }();
  return made;
}

/// In mixed precision, forces have an error of 5e-6 of the RMS force. If all errors of the run had the same direction,
/// they would add up to 3e-6, since the RMS forces times kFactor add up to 0.59. The descent doubles a random
/// displacement of the start (measured with this droplet; in the direction that grows most, the factor is 22). That
/// gives 6e-6, plus a margin.
constexpr double kMixedRms = 1e-5;
/// Upper bounds on the RMS forces of the terms in this run: a displacement changes the energy by at most N · RMS force
/// · its RMS.
constexpr double kVdwForce = 0.6, kCoulombForce = 0.006, kWallForce = 0.9;

/// The allowed differences of energies.
PlainEnergies allowed(const PlainEnergies& expected, bool mixed) {
  // Sums of 8.6 million pairs in another order; the Coulomb terms cancel to about a tenth.
  PlainEnergies error{.vdw = 1e-12 * std::abs(expected.vdw),
                      .coulomb = 1e-11 * std::abs(expected.coulomb),
                      .wall = 1e-12 * std::abs(expected.wall)};
  if (mixed) {
    const double moved = static_cast<double>(plain_run().position.size()) * kMixedRms;
    const double rounding = bounds_of(Precision::mixed).energy;
    error.vdw = rounding * expected.vdw_size + kVdwForce * moved;
    error.coulomb = rounding * expected.coulomb_size + kCoulombForce * moved;
    error.wall += kWallForce * moved;
  }
  return error;
}

class Descent2009 : public OnProcessors {};
INSTANTIATE_TEST_SUITE_P(Processors, Descent2009, all_processors(), name_of_processor);

TEST_P(Descent2009, EngineFollowsThePlainProgram) {
  const Structure structure = droplet();
  RunConfig config = lj_run({"descent", {{"factor", kFactor}}}, kSteps);
  config.lennard_jones =
      LennardJonesConfig{.epsilon = kEpsilon, .sigma = kRMin / std::pow(2.0, 1.0 / 6.0), .treatment = {"none"}};
  config.coulomb = FormChoice{"exact"};
  config.fields["wall"] = FormChoice{"quartic", {{"stiffness", kWall}}};
  config.recenter = Recenter::geometric;
  config.recenter_every = kRecenterEvery;
  System system = build_system(config, structure);
  const RunResult run = run_short(system, config, method(2));
  ASSERT_EQ(run.rows.size(), std::size_t{kSteps} + 1);

  const PlainRun& plain = plain_run();
  for (std::size_t step = 0; step < plain.energies.size(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    const PlainEnergies& expected = plain.energies[step];
    const PlainEnergies error = allowed(expected, is_mixed());
    const Energies& found = run.rows[step].energies;
    EXPECT_NEAR(found.of("vdw"), expected.vdw, error.vdw);
    EXPECT_NEAR(found.of("coulomb"), expected.coulomb, error.coulomb);
    EXPECT_NEAR(found.of("wall"), expected.wall, error.wall);
  }
  EXPECT_GT(run.rows.back().energies.of("wall"), 1.0) << "no atom reached the wall";
  std::vector<Vec3<double>> difference = system.particles.position;
  double worst = 0;
  for (std::size_t i = 0; i < difference.size(); ++i) {
    difference[i] -= plain.position[i];
    worst = std::max(worst, norm(difference[i]));
  }
  if (is_mixed()) {
    EXPECT_LT(rms_of(difference), kMixedRms);
  } else {
    EXPECT_LT(worst, 1e-9);
  }
}

}  // namespace
}  // namespace dropmd
