#include <gtest/gtest.h>

#include "core/units.h"
#include "integrators/constraints/cpu_constraints.h"
#include "integrators/integrator.h"
#include "tests/integrators/constraints/test_clusters.h"

/// Velocity Verlet with constrained positions and velocities (RATTLE: Andersen, J. Comput. Phys. 52, 24, 1983), in the
/// order of a step: move, constrain positions, forces, finish, constrain velocities.
namespace dropmd {
namespace {

class RigidDynamics : public testing::TestWithParam<TestCluster> {
 protected:
  explicit RigidDynamics() { start(0.0); }

  /// Sets up a cluster that turns and flies in a field of springs to the origin, each atom with a spring constant of
  /// its own, which exerts torques. springs: 0 for free flight.
  void start(double springs) {
    topology_ = {};
    particles_ = {};
    Positions position;
    append(GetParam(), GetParam().position, topology_, position, particles_.mass);
    particles_.position = position;
    particles_.velocity.clear();
    for (const auto& x : position)
      particles_.velocity.push_back(Vec3<double>{1e-4, -2e-4, 3e-4} + cross({0.012, -0.021, 0.017}, x - position[0]));
    constraints_.emplace(plan_constraints(topology_, particles_.mass));
    RandomVectors random(3);
    const Positions sideways = random.vectors(position.size(), 0.003);
    for (std::size_t i = 0; i < position.size(); ++i) particles_.velocity[i] += sideways[i];
    EXPECT_FALSE(constraints_->velocities({}, particles_.position, particles_.velocity));
    springs_ = springs;
    update_forces();
  }

  void update_forces() {
    force_.clear();
    for (std::size_t i = 0; i < particles_.size(); ++i)
      force_.push_back((-springs_ * static_cast<double>(i + 1)) * particles_.position[i]);
  }

  void steps(double dt, int n) {
    const auto integrator = make_integrator({"velocity-verlet", {{"timestep", dt}}}, kRealUnits, {});
    for (int s = 0; s < n; ++s) {
      const Positions reference = particles_.position;
      integrator->move({}, particles_, force_, 1, {});
      ASSERT_FALSE(constraints_->positions({}, reference, particles_.position, particles_.velocity, dt));
      update_forces();
      integrator->finish({}, particles_, force_, 1);
      integrator->couple({}, particles_, force_, 1, {});
      ASSERT_FALSE(constraints_->velocities({}, particles_.position, particles_.velocity));
    }
  }

  /// In kcal/mol.
  double energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      const auto &x = particles_.position[i], &v = particles_.velocity[i];
      sum += 0.5 * particles_.mass[i] * dot(v, v) / kRealUnits.acceleration;
      sum += 0.5 * springs_ * static_cast<double>(i + 1) * dot(x, x);
    }
    return sum;
  }

  /// Largest change of the energy over 400 fs.
  double energy_error(double dt) {
    start(20.0);
    const double before = energy();
    double worst = 0;
    const int n = static_cast<int>(std::lround(400 / dt));
    for (int s = 0; s < n; ++s) {
      steps(dt, 1);
      worst = std::max(worst, std::fabs(energy() - before));
    }
    return worst / before;
  }

  Topology topology_;
  Particles particles_;
  std::optional<CpuConstraints> constraints_;
  Positions force_;
  double springs_ = 0;
};

TEST_P(RigidDynamics, TheErrorOfTheEnergyFallsWithTheSquareOfTheTimestep) {
  const double coarse = energy_error(1.0), middle = energy_error(0.5), fine = energy_error(0.25);
  RecordProperty("error_1fs", testing::PrintToString(coarse));
  EXPECT_LT(coarse, 0.01);
  EXPECT_NEAR(coarse / middle, 4, 0.5);
  EXPECT_NEAR(middle / fine, 4, 0.3);
}

TEST_P(RigidDynamics, FreeFlightKeepsMomentumAndAngularMomentum) {
  const auto moments = [&] {
    Vec3<double> momentum, angular;
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      momentum += particles_.mass[i] * particles_.velocity[i];
      angular += particles_.mass[i] * cross(particles_.position[i], particles_.velocity[i]);
    }
    return std::pair(momentum, angular);
  };
  const auto [momentum, angular] = moments();
  const double before = energy();
  steps(1.0, 2000);
  const auto [p, l] = moments();
  EXPECT_LT(norm(p - momentum), 1e-12 * norm(momentum) + 1e-13);
  EXPECT_LT(norm(l - angular), 1e-11 * norm(angular));
  EXPECT_NEAR(energy() / before, 1, 1e-3);
  EXPECT_LT(length_error(topology_, particles_.position), 1e-12);
  EXPECT_LT(velocity_along(topology_, particles_.position, particles_.velocity), 1e-13);
}

TEST_P(RigidDynamics, TurningTheVelocitiesRoundLeadsBackToTheStart) {
  start(20.0);
  const Positions before = particles_.position;
  steps(1.0, 500);
  for (auto& v : particles_.velocity) v *= -1;
  steps(1.0, 500);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_LT(norm(particles_.position[i] - before[i]), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Constraints, RigidDynamics, testing::ValuesIn(all_clusters()), name_of_cluster);

}  // namespace
}  // namespace dropmd
