#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/short_run.h"

/// The Lennard-Jones dimer released at rest: periods of docs/physics.md (ε = σ = m = 1).
namespace dropmd {
namespace {

/// Mean period over `periods` oscillations from distance r. The distance returns to a maximum or minimum where its
/// rate vanishes; the rate's sign change is placed by cubic Hermite interpolation, whose error is of order dt⁴.
double measured_period(double r, double dt, int periods) {
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
  run_short(system, config, fp64_method(), 0, [&](const Snapshot& s) {
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

/// The error falls fourfold when dt halves, to 2 %: the next order is dt² ≈ 1e-6 smaller, but the reference has its
/// digits.
void expect_period(double r, double period, double dt, double tolerance) {
  const double coarse = measured_period(r, 2 * dt, 2) - period;
  const double fine = measured_period(r, dt, 2) - period;
  EXPECT_NEAR(coarse / fine, 4.0, 0.08) << "errors " << coarse << " and " << fine;
  // Richardson's extrapolation leaves the dt⁴ term.
  EXPECT_NEAR((4 * fine - coarse) / 3, 0, tolerance);
}

TEST(Dimer, PeriodFromOnePointTwo) { expect_period(1.2, 0.63224755295, 5e-4, 1e-9); }

TEST(Dimer, PeriodFromOneAndAHalf) { expect_period(1.5, 1.214977806682, 5e-4, 1e-8); }

TEST(Dimer, SmallOscillations) {
  // The period grows with the square of the amplitude a, by about 20 a²: 2e-9 here.
  constexpr double kStart = 1.122462048309373 + 1e-5;
  expect_period(kStart, 0.58771975415, 5e-4, 5e-9);
}

}  // namespace
}  // namespace dropmd
