#include "forces/mesh/mesh_potential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "forces/mesh/mesh_box.h"

namespace dropmd {
namespace {

/// Charges, and the potential and gradient of the smooth part at each of them by direct summation.
struct Charges {
  std::vector<Vec3<double>> position;
  std::vector<double> charge;

  Vec3<double> low() const {
    return corner([](double a, double b) { return std::min(a, b); });
  }
  Vec3<double> high() const {
    return corner([](double a, double b) { return std::max(a, b); });
  }
  double extent() const { return norm(high() - low()); }

  void direct(const CoulombSplit& split, std::vector<double>& potential, std::vector<Vec3<double>>& gradient) const {
    potential.assign(position.size(), 0), gradient.assign(position.size(), {});
    for (std::size_t i = 0; i < position.size(); ++i)
      for (std::size_t j = 0; j < position.size(); ++j) {
        const Vec3<double> d = position[i] - position[j];
        const double r = norm(d);
        potential[i] += charge[j] * split.smooth(r);
        if (i != j) gradient[i] -= (charge[j] * split.smooth_force_over_r(r)) * d;
      }
  }

 private:
  template <class Choose>
  Vec3<double> corner(const Choose& choose) const {
    Vec3<double> at = position.front();
    for (const Vec3<double>& x : position) at = {choose(at.x, x.x), choose(at.y, x.y), choose(at.z, x.z)};
    return at;
  }
};

Charges random_charges(std::size_t n, const Vec3<double>& size, const Vec3<double>& centre, unsigned seed) {
  Charges charges;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  for (std::size_t i = 0; i < n; ++i) {
    charges.position.push_back(
        centre + Vec3<double>{size.x * uniform(random), size.y * uniform(random), size.z * uniform(random)});
    charges.charge.push_back(2 * uniform(random) + 0.1);
  }
  return charges;
}

struct PotentialErrors {
  double potential, gradient;  ///< RMS of the error over that of the smooth potential and gradient
};

PotentialErrors errors_of(const Charges& charges, const CoulombSplit& split, double spacing, int order,
                          int threads = 1) {
  const MeshBox box = MeshBox::around(charges.low(), charges.high(), spacing, order);
  MeshPotential mesh({threads}, split, box, order, charges.extent());
  const std::size_t n = charges.position.size();
  std::vector<double> potential(n, NAN), exact;
  std::vector<Vec3<double>> gradient(n, {NAN, NAN, NAN}), exact_gradient;
  mesh.evaluate({threads}, charges.position, charges.charge, potential, gradient);
  charges.direct(split, exact, exact_gradient);
  double error = 0, error_of_gradient = 0, of_potential = 0, of_gradient = 0;
  for (std::size_t i = 0; i < n; ++i) {
    error += std::pow(potential[i] - exact[i], 2);
    of_potential += exact[i] * exact[i];
    const Vec3<double> d = gradient[i] - exact_gradient[i];
    error_of_gradient += dot(d, d);
    of_gradient += dot(exact_gradient[i], exact_gradient[i]);
  }
  return {std::sqrt(error / of_potential), std::sqrt(error_of_gradient / of_gradient)};
}

/// The bounds are about three times what was seen for these charges, since another standard library may draw others.
TEST(MeshPotential, AgreesWithDirectSums) {
  const Charges charges = random_charges(300, {30, 24, 27}, {3, -2, 1}, 1);
  struct Case {
    int order;
    double spacing, gradient, potential;
  };
  for (const Case& c : {Case{4, 1.0, 2e-3, 3.2e-5}, Case{5, 1.5, 1.5e-3, 4e-5}, Case{6, 1.5, 4e-4, 1.1e-5},
                        Case{7, 1.5, 1.2e-4, 3.1e-6}, Case{8, 1.5, 4e-5, 1.1e-6}, Case{8, 0.9, 2.4e-6, 2.2e-8}}) {
    SCOPED_TRACE(c.order);
    const PotentialErrors errors = errors_of(charges, CoulombSplit(9, 15), c.spacing, c.order);
    EXPECT_LT(errors.gradient, c.gradient);
    EXPECT_LT(errors.potential, c.potential);
  }
}

TEST(MeshPotential, ReachesTenDigits) {
  const Charges charges = random_charges(60, {12, 10, 11}, {}, 2);
  const PotentialErrors errors = errors_of(charges, CoulombSplit(12, 26.2), 0.4, 8);
  EXPECT_LT(errors.gradient, 1e-9);    // 2.8e-10 was seen
  EXPECT_LT(errors.potential, 1e-11);  // 2.8e-12 was seen
}

TEST(MeshPotential, IsTheSameAtEveryPlaceAndForEveryNumberOfThreads) {
  const CoulombSplit split(9, 15);
  const Charges near = random_charges(200, {20, 20, 20}, {}, 3);
  Charges far = near;
  const double spacing = 1.25;
  // A whole number of spacings that fp64 adds exactly to most digits of the positions.
  for (Vec3<double>& x : far.position) x += Vec3<double>{spacing * 800000, -spacing * 400000, 0};
  const PotentialErrors at_origin = errors_of(near, split, spacing, 6), far_away = errors_of(far, split, spacing, 6);
  EXPECT_NEAR(far_away.gradient, at_origin.gradient, 1e-8);
  const MeshBox box = MeshBox::around(near.low(), near.high(), spacing, 6);
  std::vector<Vec3<double>> gradient[2];
  for (int k = 0; k < 2; ++k) {
    MeshPotential mesh({1 + 2 * k}, split, box, 6, near.extent());
    std::vector<double> potential(200);
    gradient[k].resize(200);
    mesh.evaluate({1 + 2 * k}, near.position, near.charge, potential, gradient[k]);
  }
  EXPECT_EQ(std::memcmp(gradient[0].data(), gradient[1].data(), 200 * sizeof(Vec3<double>)), 0);
}

/// A truncation radius without r_c would put the edge of the truncated potential into such boxes.
TEST(MeshPotential, IsRightInSmallFineAndElongatedBoxes) {
  const CoulombSplit split(12, 15);
  const Charges corners{{{0, 0, 0}, {20, 20, 20}}, {1, 1}};
  // The truncation of the split's transform leaves e^(3.2 - 15) of the field at r_c, which is 8.3 times that of the
  // other corner.
  EXPECT_LT(errors_of(corners, split, 0.5, 6).gradient, 6.3e-5);
  const Charges long_one = random_charges(50, {120, 8, 5}, {}, 4);
  EXPECT_LT(errors_of(long_one, split, 1.2, 8).gradient, 1e-4);
  const Charges one{{{1.3, 2.2, -0.7}}, {2}};
  EXPECT_LT(errors_of(one, split, 1.0, 6).potential, 1e-4);
}

/// An influence function, a fifth of the memory, is the run's. Rows and lines are filled to whole packs, and a thread
/// has a plane, which for these boxes is less than a sixth together.
TEST(MeshPotential, TakesTheMemoryThatIsStated) {
  for (const std::array<int, 3>& points : {std::array{60, 60, 60}, std::array{40, 50, 60}}) {
    const MeshBox box{1, points, {}};
    MeshPotential mesh({1}, CoulombSplit(5, 11), box, 6, box.diagonal());
    const std::vector<Vec3<double>> position{{20, 20, 20}};
    std::vector<double> potential(1);
    std::vector<Vec3<double>> gradient(1);
    mesh.evaluate({1}, position, std::vector<double>{1}, potential, gradient);
    const auto stated = static_cast<double>(MeshPotential::bytes(points));
    EXPECT_GE(static_cast<double>(mesh.bytes()), 0.8 * stated);
    EXPECT_LE(static_cast<double>(mesh.bytes()), 0.95 * stated);
  }
}

TEST(MeshPotential, HasTheGradientOfItsOwnEnergy) {
  const CoulombSplit split(9, 12);
  Charges charges = random_charges(40, {10, 12, 9}, {}, 5);
  const MeshBox box =
      MeshBox::around(charges.low() - Vec3<double>{1, 1, 1}, charges.high() + Vec3<double>{1, 1, 1}, 1.5, 6);
  MeshPotential mesh({1}, split, box, 6, charges.extent() + 4);
  std::vector<double> potential(40);
  std::vector<Vec3<double>> gradient(40), unused(40);
  const auto energy = [&](std::vector<Vec3<double>>& slope) {
    mesh.evaluate({1}, charges.position, charges.charge, potential, slope);
    double sum = 0;
    for (std::size_t i = 0; i < 40; ++i) sum += 0.5 * charges.charge[i] * potential[i];
    return sum;
  };
  energy(gradient);
  constexpr double kStep = 1e-3;
  for (const std::size_t i : {0U, 7U, 39U}) {
    double at[4];
    const double x = charges.position[i].y;
    for (int k = 0; k < 4; ++k) {
      charges.position[i].y = x + kStep * (k < 2 ? k - 2 : k - 1);
      at[k] = energy(unused);
    }
    charges.position[i].y = x;
    const double slope = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * kStep);
    // ½ Σ qφ of a bilinear form has the slope qᵢ ∇φ(xᵢ); the rest is the error of the difference.
    EXPECT_NEAR(charges.charge[i] * gradient[i].y, slope, 1e-8);
  }
}

/// The spacings and positions are multiples of a power of two that fp64 holds at both places, so a sum that loses no
/// digit is the same to the last bit. Places that were rounded in units of the spacing from the origin would leave
/// 1e-10 of the field.
TEST(MeshPotential, LosesNoDigitFarFromTheOrigin) {
  constexpr double kSpacing = 1.25, kGrain = 0x1p-30;
  Charges charges = random_charges(200, {20, 20, 20}, {}, 3);
  for (Vec3<double>& x : charges.position)
    x = {kGrain * std::round(x.x / kGrain), kGrain * std::round(x.y / kGrain), kGrain * std::round(x.z / kGrain)};
  std::vector<Vec3<double>> gradient[2];
  std::vector<double> potential[2];
  for (int k = 0; k < 2; ++k) {
    if (k == 1)
      for (Vec3<double>& x : charges.position) x += Vec3<double>{kSpacing * 800'000, -kSpacing * 400'000, 0};
    const MeshBox box = MeshBox::around(charges.low(), charges.high(), kSpacing, 6);
    MeshPotential mesh({1}, CoulombSplit(9, 15), box, 6, charges.extent());
    potential[k].resize(200), gradient[k].resize(200);
    mesh.evaluate({1}, charges.position, charges.charge, potential[k], gradient[k]);
  }
  EXPECT_EQ(potential[0], potential[1]);
  EXPECT_EQ(std::memcmp(gradient[0].data(), gradient[1].data(), 200 * sizeof(Vec3<double>)), 0);
}

TEST(MeshBox, PlacesAreExactFarFromTheOrigin) {
  for (const double spacing : {0.7, 1.0, 2.692})
    for (const double at : {0.0, -37.3, 1e6, -3e7, 1e9}) {
      const Vec3<double> low{at, at - 20, at + 3};
      const MeshBox box = MeshBox::around(low, low + Vec3<double>{50, 50, 50}, spacing, 6);
      for (int k = 0; k < 100; ++k) {
        const double x = low.x + 0.5 * k;
        const long double exact = (x - static_cast<long double>(box.first[0]) * spacing) / spacing;
        // A distance and its quotient by the spacing are rounded once each; long double rounds the product.
        const double rounding = 0x1p-52 * (1 + std::abs(static_cast<double>(exact))) + 0x1p-63 * std::abs(at / spacing);
        EXPECT_NEAR(box.place({x, low.y, low.z}).x, static_cast<double>(exact), rounding) << spacing << ' ' << x;
      }
    }
}

/// The corners of maps are at such places.
TEST(MeshBox, HoldsCornersAtPoints) {
  for (const double spacing : {0.1, 0.7, 1.0 / 3, 2.692})
    for (int order = 4; order <= 8; ++order)
      for (const long long k : {-7LL, 0LL, 3LL, 12'345LL, 10'000'019LL})
        for (const double half : {0.0, 0.5}) {
          const double at = (static_cast<double>(k) + half) * spacing, other = at + 9 * spacing;
          const MeshBox box = MeshBox::around({at, -at, at}, {other, -at + 9 * spacing, other}, spacing, order);
          EXPECT_TRUE(box.holds({at, -at, at}, order)) << spacing << ' ' << order << ' ' << at;
          EXPECT_TRUE(box.holds({other, -at + 9 * spacing, other}, order)) << spacing << ' ' << order << ' ' << at;
          EXPECT_LE(box.points[0], 9 + order + 3);
        }
}

TEST(MeshBox, HoldsTheSplinesOfItsCorners) {
  for (const double spacing : {0.7, 1.0, 2.3})
    for (int order = 4; order <= 8; ++order) {
      const Vec3<double> low{-3.1, 2, 1e6}, high{4.5, 2, 1e6 + 9};
      const MeshBox box = MeshBox::around(low, high, spacing, order);
      const Vec3<double> a = box.place(low), b = box.place(high);
      const double from[3] = {a.x, a.y, a.z}, to[3] = {b.x, b.y, b.z};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_GE(std::floor(from[axis] - 0.5 * order) + 1, 0);
        EXPECT_LE(std::floor(to[axis] - 0.5 * order) + order, box.points[axis] - 1);
      }
    }
}

TEST(MeshBox, KnowsFastLengths) {
  EXPECT_EQ(fast_length(-1), 2);  // of a box without points
  EXPECT_EQ(fast_length(1), 2);
  EXPECT_EQ(fast_length(2), 2);
  EXPECT_EQ(fast_length(61), 64);
  EXPECT_EQ(fast_length(97), 100);
  EXPECT_EQ(fast_length(241), 250);
}

}  // namespace
}  // namespace dropmd
