#include <gtest/gtest.h>

#include <cmath>

#include "integrators/fire.h"
#include "integrators/integrator.h"

namespace dropmd {
namespace {

constexpr Cpu kCpu{};

Particles one_atom(double mass) {
  Particles p;
  p.position = {{1, 2, 3}};
  p.velocity = {{0.1, 0, -0.2}};
  p.mass = {mass};
  return p;
}

using Forces = std::vector<Vec3<double>>;

TEST(VelocityVerlet, OneStepInUnitsReal) {
  const auto integrator = make_integrator({"velocity-verlet", {{"timestep", 2.0}}}, kRealUnits, {});
  Particles p = one_atom(20.0);
  const Vec3<double> before{6, -4, 2}, after{1, 1, 1};  // kcal/mol/Å
  integrator->move(kCpu, p, Forces{before}, 1, {});
  const double a = 4.184e-4 / 20.0;  // Å/fs² of a unit force
  const Vec3<double> half = Vec3<double>{0.1, 0, -0.2} + a * before;
  EXPECT_LT(norm(p.position[0] - (Vec3<double>{1, 2, 3} + 2.0 * half)), 1e-14);
  integrator->finish(kCpu, p, Forces{after}, 1);
  integrator->couple(kCpu, p, Forces{after}, 1, {});
  EXPECT_LT(norm(p.velocity[0] - (half + a * after)), 1e-16);
  EXPECT_EQ(integrator->timestep(), 2.0);
  EXPECT_FALSE(integrator->is_minimizer());
  EXPECT_EQ(integrator->converged(0), std::nullopt) << "it seeks no minimum";
}

TEST(Descent, MovesByFactorTimesForce) {
  const auto integrator = make_integrator({"descent", {{"factor", 0.01}}}, kRealUnits, {});
  Particles p = one_atom(20.0);
  const auto velocity = p.velocity;
  integrator->move(kCpu, p, Forces{{100, 0, -50}}, 1, {});
  integrator->finish(kCpu, p, Forces{{7, 7, 7}}, 1);
  integrator->couple(kCpu, p, Forces{{7, 7, 7}}, 1, {});
  EXPECT_LT(norm(p.position[0] - Vec3<double>{2, 2, 2.5}), 1e-15);
  EXPECT_EQ(p.velocity, velocity);
  EXPECT_EQ(integrator->timestep(), 0);
  EXPECT_TRUE(integrator->is_minimizer());
}

FormChoice fire() { return {"fire", {{"timestep", 0.01}, {"force-tolerance", 1e-3}}}; }

TEST(Fire, ConvergesWhereTheLargestForceIsBelowTheTolerance) {
  const auto integrator = make_integrator(fire(), kLjUnits, {});
  EXPECT_TRUE(integrator->is_minimizer());
  EXPECT_EQ(integrator->converged(0.9e-3), true);
  EXPECT_EQ(integrator->converged(1.1e-3), false);
  EXPECT_EQ(integrator->converged(std::nan("")), false) << "NaN is no minimum";
}

/// An anisotropic well: F = −(1, 30, 0.5) x.
TEST(Fire, FindsTheBottomOfAWell) {
  const auto integrator = make_integrator(fire(), kLjUnits, {});
  Particles p = one_atom(1.0);
  p.velocity = {{}};
  const auto force = [&] { return Forces{{-p.position[0].x, -30 * p.position[0].y, -0.5 * p.position[0].z}}; };
  std::uint64_t steps = 0;
  for (Forces f = force(); integrator->converged(norm(f[0])) == false && steps < 5000;) {
    integrator->move(kCpu, p, f, ++steps, {});
    f = force();
    integrator->finish(kCpu, p, f, steps);
    integrator->couple(kCpu, p, f, steps, {});
  }
  EXPECT_LT(steps, 5000U);
  EXPECT_LT(norm(p.position[0]), 2e-3 + 1e-12);  // 1e-3 over the weakest spring constant
}

TEST(Fire, NoForceHoweverLargeThrowsAnAtomFar) {
  const auto integrator = make_integrator(fire(), kLjUnits, {});
  Particles p = one_atom(1.0);
  integrator->move(kCpu, p, Forces{{1e15, -1e15, 1e15}}, 1, {});
  EXPECT_LT(norm(p.position[0] - Vec3<double>{1, 2, 3}), 0.1 + 1e-12);
}

TEST(Fire, StopsWhereItRunsUphill) {
  const auto integrator = make_integrator(fire(), kLjUnits, {});
  Particles p = one_atom(1.0);
  integrator->finish(kCpu, p, Forces{{-5, 0, 10}}, 1);  // against the velocity, even after the half kick
  integrator->couple(kCpu, p, Forces{{-5, 0, 10}}, 1, {});
  EXPECT_EQ(p.velocity[0], (Vec3<double>{}));
}

/// The rules of Bitzek et al. 2006 restated for the sums that decide the direction: timestep and mixing over eight
/// steps downhill, one uphill and one downhill again.
TEST(Fire, TimestepAndMixingFollowThePaper) {
  Fire motion(fire(), kLjUnits, {});
  const MotionSums downhill{1, 4, 0.5, 25}, level{1, 4, 0, 25};
  const auto expect_internal_state = [&](double dt, double mixing, double n_downhill) {
    EXPECT_DOUBLE_EQ(motion.internal_state()[0], dt);
    EXPECT_DOUBLE_EQ(motion.internal_state()[1], mixing);
    EXPECT_EQ(motion.internal_state()[2], n_downhill);
  };
  expect_internal_state(0.01, 0.1, 0);
  for (int n = 1; n <= 5; ++n) {
    motion.couple(downhill, 1);
    expect_internal_state(0.01, 0.1, n);  // no acceleration before five downhill steps
  }
  motion.couple(downhill, 1);
  expect_internal_state(0.01 * 1.1, 0.1 * 0.99, 6);

  // v becomes (1 - α) v + α |v| F/|F|, with α as it was before this step changed it. Here |v| = 2 and |F| = 5.
  motion.couple(downhill, 1);
  MovingAtom atom{{}, {1, 0, -2}, {3, 4, 0}, 1.0, 0};
  motion.apply_coupling(atom);
  const double alpha = 0.1 * 0.99;
  EXPECT_LT(norm(atom.velocity - ((1 - alpha) * Vec3<double>{1, 0, -2} + alpha * 2 / 5 * Vec3<double>{3, 4, 0})),
            1e-15);

  motion.couple(level, 1);  // zero power does not count as downhill
  expect_internal_state(0.01 * 1.1 * 1.1 * 0.5, 0.1, 0);
  motion.apply_coupling(atom);
  EXPECT_EQ(atom.velocity, (Vec3<double>{}));
  motion.couple(downhill, 1);
  expect_internal_state(0.01 * 1.1 * 1.1 * 0.5, 0.1, 1);
}

TEST(Fire, TheTimestepStaysBetweenAFiftiethOfTheGivenOneAndTenTimesIt) {
  Fire motion(fire(), kLjUnits, {});
  for (int n = 0; n < 100; ++n) motion.couple({1, 1, 1, 1}, 1);
  EXPECT_DOUBLE_EQ(motion.internal_state()[0], 0.1);
  for (int n = 0; n < 100; ++n) motion.couple({1, 1, -1, 1}, 1);
  EXPECT_DOUBLE_EQ(motion.internal_state()[0], 0.01 * 0.02);
}

/// Velocity Verlet with the timestep of its internal state and the acceleration of its units. A long move is shortened
/// to 0.1 in its direction, a shorter one is left as it is.
TEST(Fire, MovesAtomsAsVelocityVerletDoes) {
  Fire motion(fire(), kRealUnits, {});
  motion.load_internal_state({0.04, 0.1, 0});
  const double half = 0.5 * 0.04 * 4.184e-4 / 20.0;
  MovingAtom atom{{1, 2, 3}, {0.1, 0, -0.2}, {6, -4, 2}, 20.0, 0};
  motion.move(atom, 1);
  const Vec3<double> kicked = Vec3<double>{0.1, 0, -0.2} + half * Vec3<double>{6, -4, 2};
  EXPECT_LT(norm(atom.velocity - kicked), 1e-16);
  EXPECT_LT(norm(atom.position - (Vec3<double>{1, 2, 3} + 0.04 * kicked)), 1e-15);
  motion.finish(atom, 1);
  EXPECT_LT(norm(atom.velocity - (kicked + half * Vec3<double>{6, -4, 2})), 1e-16);

  MovingAtom fast{{}, {30, 0, -40}, {}, 20.0, 0};  // 0.04 · 50 = 2
  motion.move(fast, 1);
  EXPECT_LT(norm(fast.position - Vec3<double>{0.06, 0, -0.08}), 1e-15);
  MovingAtom slower{{}, {0, 2.49, 0}, {}, 20.0, 0};
  motion.move(slower, 1);
  EXPECT_DOUBLE_EQ(slower.position.y, 0.04 * 2.49);
}

/// Two atoms in a well, downhill and uphill.
struct WellDescent {
  std::unique_ptr<Integrator> integrator = make_integrator(fire(), kLjUnits, {});
  Particles p = start();
  std::uint64_t steps = 0;

  static Particles start() {
    Particles p;
    p.position = {{3, 2, -1}, {-0.5, 1e-3, 2}};
    p.velocity = {{}, {}};
    p.mass = {1.0, 2.5};
    return p;
  }
  Forces force() const {
    Forces f;
    for (const Vec3<double>& x : p.position) f.push_back({-x.x, -30 * x.y, -0.5 * x.z});
    return f;
  }
  void step() {
    integrator->move(kCpu, p, force(), ++steps, {});
    integrator->finish(kCpu, p, force(), steps);
    integrator->couple(kCpu, p, force(), steps, {});
  }
};

TEST(Fire, ItsInternalStateCarriesOverToAnotherOne) {
  constexpr std::size_t kSteps = 200, kLater = 10;
  std::vector<Particles> seen;
  std::vector<std::vector<double>> internal_state;
  WellDescent whole;
  for (std::size_t step = 0; step <= kSteps + kLater; ++step) {
    if (step > 0) whole.step();
    seen.push_back(whole.p);
    internal_state.push_back(whole.integrator->internal_state());
    ASSERT_EQ(internal_state.back().size(), 3U);
  }
  int uphill = 0, unlike_fresh = 0;
  for (std::size_t stop = 0; stop <= kSteps; ++stop) {
    SCOPED_TRACE(stop);
    uphill += stop > 0 && internal_state[stop][2] == 0 ? 1 : 0;
    WellDescent loaded, fresh;
    for (WellDescent* const next : {&loaded, &fresh}) next->p = seen[stop], next->steps = stop;
    loaded.integrator->load_internal_state(internal_state[stop]);
    EXPECT_EQ(loaded.integrator->internal_state(), internal_state[stop]);
    for (std::size_t step = stop + 1; step <= stop + kLater; ++step) {
      loaded.step();
      fresh.step();
      ASSERT_EQ(loaded.p.position, seen[step].position);
      ASSERT_EQ(loaded.p.velocity, seen[step].velocity);
      ASSERT_EQ(loaded.integrator->internal_state(), internal_state[step]);
    }
    unlike_fresh += fresh.p.position == loaded.p.position ? 0 : 1;
  }
  EXPECT_GT(uphill, 0);
  EXPECT_GT(unlike_fresh, static_cast<int>(kSteps / 2)) << "the internal state is needed";
}

TEST(Fire, NumbersThatNoStateHasAreRefused) {
  const auto integrator = make_integrator(fire(), kLjUnits, {});
  const std::vector<double> good{0.02, 0.05, 3};
  integrator->load_internal_state(good);
  const double nan = std::nan(""), infinity = INFINITY;
  const std::vector<std::vector<double>> bad{
      {},
      {0.02, 0.05},
      {0.02, 0.05, 3, 0},
      {0.02, 0.05, -1},
      {0.02, 0.05, 1e300},
      {0.02, 0.05, 1e9 + 1},  // an int must hold many more steps
      {0.02, 0.05, nan},
      {0.02, -0.01, 3},
      {0.02, 0.11, 3},
      {0.02, nan, 3},
      {0.11, 0.05, 3},     // more than ten times its first timestep
      {0.00019, 0.05, 3},  // less than a fiftieth of it
      {-0.02, 0.05, 3},
      {0, 0.05, 3},
      {nan, 0.05, 3},
      {infinity, 0.05, 3},
  };
  for (const std::vector<double>& numbers : {std::vector<double>{0.1, 0.1, 1e9}, {0.0002, 0, 0}, good}) {
    integrator->load_internal_state(numbers);  // the limits of a valid state are accepted
    EXPECT_EQ(integrator->internal_state(), numbers);
  }
  for (const std::vector<double>& numbers : bad) {
    EXPECT_THROW(integrator->load_internal_state(numbers), std::invalid_argument) << testing::PrintToString(numbers);
    EXPECT_EQ(integrator->internal_state(), good) << "and it is as it was";
  }
}

TEST(Integrators, OthersHaveNoInternalState) {
  const FormChoice choices[] = {{"velocity-verlet", {{"timestep", 1.0}}},
                                {"descent", {{"factor", 0.01}}},
                                {"langevin", {{"timestep", 1.0}, {"temperature", 1.0}, {"friction", 0.1}}},
                                {"csvr", {{"timestep", 1.0}, {"temperature", 1.0}, {"relaxation", 1.0}}}};
  ASSERT_EQ(std::size(choices) + 1, integrator_forms().size()) << "a new integrator: does it have an internal state?";
  for (const FormChoice& choice : choices) {
    const auto integrator = make_integrator(choice, kLjUnits, {});
    EXPECT_TRUE(integrator->internal_state().empty()) << choice.form;
    EXPECT_NO_THROW(integrator->load_internal_state({}));
    EXPECT_THROW(integrator->load_internal_state(std::vector<double>{0.02, 0.05, 3}), std::invalid_argument)
        << choice.form;
  }
}

TEST(Integrators, SumsOverAtomsAddTermByTerm) {
  const MovingAtom atom{{}, {1, -2, 2}, {3, 4, 0}, 0.5, 0};
  MotionSums sums = motion_sums(atom);
  sums += MotionSums{100, 200, 300, 400};
  EXPECT_EQ(sums.mv2, 104.5);
  EXPECT_EQ(sums.v2, 209);
  EXPECT_EQ(sums.power, 295);
  EXPECT_EQ(sums.f2, 425);
}

TEST(Integrators, AnUnknownFormIsRefused) {
  EXPECT_THROW(make_integrator({"leapfrog"}, kLjUnits, {}), std::invalid_argument);
  EXPECT_THROW(keeps_momentum({"leapfrog"}), std::invalid_argument);
}

TEST(Integrators, OnlyNoiseOnEveryAtomBreaksTheMomentum) {
  for (const FormInfo& form : integrator_forms())
    EXPECT_EQ(keeps_momentum({std::string(form.name)}), form.name != "langevin") << form.name;
}

}  // namespace
}  // namespace dropmd
