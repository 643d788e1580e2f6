#include "engine/rotation.h"

#include <gtest/gtest.h>

#include <random>

#include "core/ordered_sum.h"
#include "engine/centre.h"

/// Removal of angular momentum from bodies that rotate as a whole: only the motion of the centre of mass is left.
namespace dropmd {
namespace {

constexpr Cpu kOneThread{1};
const Vec3<double> kDrift{0.4, -1.1, 0.7};

/// Atoms of different masses at positions d from a centre away from the origin, moving with kDrift + rate × d.
Particles turning(const std::vector<Vec3<double>>& place, const Vec3<double>& rate) {
  Particles p;
  for (std::size_t i = 0; i < place.size(); ++i) {
    p.position.push_back(place[i] + Vec3<double>{4, -3, 5});
    p.velocity.push_back(kDrift + cross(rate, place[i]));
    p.mass.push_back(1 + static_cast<double>(i % 3));
  }
  return p;
}

/// Shifts the positions so that their centre of mass is at the origin.
std::vector<Vec3<double>> centred(const std::vector<Vec3<double>>& place) {
  Particles p = turning(place, {});
  const Vec3<double> centre = centre_of(kOneThread, p, Recenter::mass) - Vec3<double>{4, -3, 5};
  std::vector<Vec3<double>> moved = place;
  for (Vec3<double>& d : moved) d -= centre;
  return moved;
}

Vec3<double> random_vector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const double x = normal(random), y = normal(random);
  return {x, y, normal(random)};
}

double largest_departure(const Particles& p) {
  double largest = 0;
  for (const Vec3<double>& v : p.velocity) largest = std::max(largest, norm(v - kDrift));
  return largest;
}

/// Positions about 7 from the origin have rounding errors of 1e-15; the bodies have sizes of 1 to 3 and rotate at rates
/// of 1 to 3. The bound allows for some 10 such roundings.
constexpr double kRotationRounding = 1e-13;

TEST(Rotation, OfABodyGoesAltogether) {
  std::mt19937 random(3);
  for (const std::size_t n : {3U, 4U, 50U})
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<Vec3<double>> place(n);
      for (Vec3<double>& d : place) d = random_vector(random);
      Particles p = turning(centred(place), random_vector(random));
      ASSERT_GT(largest_departure(p), 1e-2);
      remove_momentum(kOneThread, p, RemoveMomentum::angular);
      // Three atoms may nearly lie on a line: down to 1e-3 of the inertia, which loses as many digits.
      EXPECT_LT(largest_departure(p), n > 4 ? kRotationRounding : 1e3 * kRotationRounding);
    }
}

/// The component of the rate along the line moves no atom, and must not affect the result.
TEST(Rotation, OfALineGoesAltogether) {
  std::mt19937 random(5);
  for (const std::size_t n : {2U, 3U, 20U})
    for (int repeat = 0; repeat < 50; ++repeat) {
      // One line lies along an axis, where the inertia tensor is diagonal.
      const Vec3<double> direction = repeat == 0 ? Vec3<double>{0, 0, 1} : random_vector(random);
      std::vector<Vec3<double>> place(n);
      for (std::size_t i = 0; i < n; ++i) place[i] = (static_cast<double>(i) / static_cast<double>(n)) * direction;
      Particles p = turning(centred(place), random_vector(random));
      ASSERT_GT(largest_departure(p), 1e-3);
      remove_momentum(kOneThread, p, RemoveMomentum::angular);
      EXPECT_LT(largest_departure(p), kRotationRounding) << n << " atoms";
    }
}

TEST(Rotation, OneAtomHasNone) {
  Particles p = turning({{0.3, 0.2, 0.1}}, {});
  remove_momentum(kOneThread, p, RemoveMomentum::angular);
  EXPECT_LT(largest_departure(p), kRotationRounding);
}

/// A cross of atoms with radius `thickness` around a line of length 2. Its inertia about that line is about thickness²
/// of the largest. Above the bound of 1e-12 the rotation is removed (up to rounding times the ratio of largest to
/// smallest inertia), below it stays.
TEST(Rotation, AboutAnAxisWithoutInertiaStays) {
  const auto left = [](double thickness) {
    const double t = thickness;
    // The cross lies along (1, 1, 1), so that no element of the inertia tensor is 0.
    const double h = 1 / std::sqrt(3.0), a = 1 / std::sqrt(2.0), b = 1 / std::sqrt(6.0);
    const Vec3<double> along{h, h, h}, u{a, -a, 0}, v{b, b, -2 * b};
    RotationSums sums;
    const Vec3<double> rate = 2.0 * along;
    for (const Vec3<double>& d : {along, -along, t * u, -t * u, t * v, -t * v})
      sums += RotationSums(1.5, d, cross(rate, d));
    return norm(sums.rate() - rate);
  };
  EXPECT_LT(left(1), kRotationRounding);
  EXPECT_LT(left(1e-2), 1e-10);
  EXPECT_LT(left(1e-5), 1e-4);
  EXPECT_NEAR(left(1e-7), 2, 1e-6);
  EXPECT_NEAR(left(0), 2, 1e-6);
}

TEST(Rotation, OfWhatIsNotFiniteIsNone) {
  RotationSums sums(1, {1, 0, 0}, {0, 1, 0});
  sums.inertia.xy = std::nan("");
  EXPECT_EQ(sums.rate(), (Vec3<double>{}));
}

}  // namespace
}  // namespace dropmd
