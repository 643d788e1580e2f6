#include <gtest/gtest.h>

#include <cmath>

#include "inputs/run_file/run_config.h"
#include "tests/support/processors.h"

/// The Lennard-Jones dimer released at rest, and its periods (ε = σ = m = 1).
namespace dropmd {
namespace {

/// The mean period over `periods` oscillations from distance r. The distance has a maximum or minimum where its rate is
/// zero. The zero of the rate is located by cubic Hermite interpolation, whose error is of order dt⁴.
double measured_period(const Method& method, double r, double dt, int periods) {
  ChargedAtoms atoms;
  atoms.add({-0.5 * r, 0, 0});
  atoms.add({0.5 * r, 0, 0});
  const auto steps = static_cast<std::int64_t>((periods + 0.4) * 1.3 / dt);
  const RunConfig config = lj_run(verlet(dt), steps);
  System system = build_system(config, structure_of(atoms));

  struct Moment {
    double time, rate, change;  ///< of the distance: first and second time derivative
  } before{};
  std::vector<double> turns;
  run_short(system, config, method, 0, [&](const Snapshot& s) {
    const double rate = s.particles.velocity[1].x - s.particles.velocity[0].x;
    const Moment now{s.time, rate, s.force[1].x - s.force[0].x};
    if (s.step > 1 && before.rate * now.rate <= 0) {
      double low = 0, high = 1;  // bisection of the interpolated rate
      for (int k = 0; k < 60; ++k) {
        const double t = 0.5 * (low + high), u = 1 - t;
        const double value = before.rate * u * u * (1 + 2 * t) + now.rate * t * t * (3 - 2 * t) +
                             dt * t * u * (before.change * u - now.change * t);
        (value * before.rate > 0 ? low : high) = t;
      }
      turns.push_back(before.time + dt * low);
    }
    before = now;
  });
  const auto last = static_cast<std::size_t>(2 * periods - 1);
  if (turns.size() <= last) return std::nan("");
  return turns[last] / periods;
}

class Dimer : public OnProcessors {
 protected:
  /// The error falls fourfold when dt halves, to 2%: the next order is dt² ≈ 1e-6 smaller, but the reference has a
  /// limited number of digits. Not so in mixed precision, where rounding changes the period by as much as the timestep
  /// does. If forces are off by 5e-6 of max(|F|, kContactForce) at every distance, all in the worst direction, the
  /// period changes by mixed_change (first-order perturbation of the motion).
  static void expect_period(double r, double period, double dt, double tolerance, double mixed_change) {
    const double coarse = measured_period(method(), r, 2 * dt, 2) - period;
    const double fine = measured_period(method(), r, dt, 2) - period;
    if (!is_mixed()) {
      EXPECT_NEAR(coarse / fine, 4.0, 0.08) << "errors " << coarse << " and " << fine;
    }
    // Richardson's extrapolation leaves the dt⁴ term, and 5/3 of an error that both periods have.
    EXPECT_NEAR((4 * fine - coarse) / 3, 0, is_mixed() ? tolerance + 5.0 / 3 * mixed_change : tolerance)
        << "errors " << coarse << " and " << fine;
  }
};
INSTANTIATE_TEST_SUITE_P(Processors, Dimer, all_processors(), name_of_processor);

TEST_P(Dimer, PeriodFromOnePointTwo) { expect_period(1.2, 0.63224755295, 5e-4, 1e-9, 1.9e-6); }

TEST_P(Dimer, PeriodFromOneAndAHalf) { expect_period(1.5, 1.214977806682, 5e-4, 1e-8, 5.0e-6); }

TEST_P(Dimer, SmallOscillations) {
  if (is_mixed()) GTEST_SKIP() << "forces of 6e-4 at most, of which mixed precision may miss 1e-5";
  // The period grows by about 20 a² with the amplitude a: 2e-9 here.
  constexpr double kStart = 1.122462048309373 + 1e-5;
  expect_period(kStart, 0.58771975415, 5e-4, 5e-9, 0);
}

}  // namespace
}  // namespace dropmd
