#include "forces/fields/wall.h"

#include <gtest/gtest.h>

#include <random>

#include "core/forms/form_list.h"
#include "forces/fields/any_wall.h"
#include "forces/fields/atom_force_terms.h"

namespace dropmd {
namespace {

constexpr double kRadius = 7.0, kStiffness = 0.3;

FormChoice wall(const std::string& form) { return {form, {{"radius", kRadius}, {"stiffness", kStiffness}}}; }

/// Adds the forces of the terms on one atom and returns their energy.
double apply(const FormChoices& fields, std::span<const Vec3<double>> position, std::span<Vec3<double>> force) {
  const std::vector<double> charge(position.size());
  Energies energies;
  for (const auto& term : make_atom_force_terms(Cpu{}, fields, kLjUnits, charge))
    term->evaluate({position}, Want::forces_and_energies, /*first=*/false, force, energies);
  return energies.potential();
}

AtomTermValue evaluate(const std::string& form, const Vec3<double>& x) {
  std::vector<Vec3<double>> force(1);
  const std::vector<Vec3<double>> position{x};
  const double energy = apply({{"wall", wall(form)}}, position, force);
  return {energy, force[0]};
}

/// Positions between 0.9 and 1.5 radii.
std::vector<Vec3<double>> places_around() {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> distance(0.9 * kRadius, 1.5 * kRadius);
  std::vector<Vec3<double>> places;
  for (int k = 0; k < 200; ++k) {
    const Vec3<double> direction{normal(random), normal(random), normal(random)};
    places.push_back(direction * (distance(random) / norm(direction)));
  }
  return places;
}

TEST(Wall, EnergiesAreThoseOfTheFormulas) {
  for (const Vec3<double>& x : places_around()) {
    const double r = norm(x);
    const double harmonic = r > kRadius ? 0.5 * kStiffness * std::pow(r - kRadius, 2) : 0;
    const double quartic = r > kRadius ? kStiffness / (4 * kRadius) * std::pow(r * r - kRadius * kRadius, 2) : 0;
    // r² − R² and r − R cancel: the error is 1e-16 of R², not of the difference.
    EXPECT_NEAR(evaluate("harmonic", x).energy, harmonic, 1e-14);
    EXPECT_NEAR(evaluate("quartic", x).energy, quartic, 1e-12);
  }
}

/// Central differences with step h have errors of h² U'''/6 ≤ 1e-12 and 1e-16 U/h ≤ 2e-9 (U ≤ 100). Across r = R the
/// second derivative jumps by at most 2kR = 4, which adds h · 4.
TEST(Wall, ForceIsMinusTheGradient) {
  constexpr double h = 1e-6;
  for (const char* form : {"harmonic", "quartic"})
    for (const Vec3<double>& x : places_around()) {
      const auto slope = [&](const Vec3<double>& step) {
        return (evaluate(form, x + step).energy - evaluate(form, x - step).energy) / (2 * h);
      };
      const Vec3<double> gradient{slope({h, 0, 0}), slope({0, h, 0}), slope({0, 0, h})};
      EXPECT_LT(norm(evaluate(form, x).force + gradient), 1e-5) << form << " at " << norm(x);
    }
}

TEST(Wall, QuarticForceIsThatOf2009) {
  const Vec3<double> x{6.0, 5.0, -4.0};
  const Vec3<double> expected = x * (-kStiffness * (dot(x, x) - kRadius * kRadius) / kRadius);
  EXPECT_LT(norm(evaluate("quartic", x).force - expected), 1e-14);
}

TEST(Wall, ZeroInsideAndContinuousAtTheRadius) {
  for (const char* form : {"harmonic", "quartic"})
    for (const double r : {0.0, 0.5 * kRadius, kRadius}) {
      EXPECT_EQ(evaluate(form, {0, r, 0}).energy, 0) << form << " at " << r;
      EXPECT_EQ(evaluate(form, {0, r, 0}).force, (Vec3<double>{})) << form << " at " << r;
    }
  for (const char* form : {"harmonic", "quartic"}) {
    const AtomTermValue outside = evaluate(form, {0, kRadius + 1e-9, 0});
    EXPECT_NEAR(outside.energy, 0, 1e-16);
    EXPECT_NEAR(outside.force.y, 0, 1e-8);  // curvature ≤ 2kR = 4.2
    EXPECT_LT(outside.force.y, 0) << form << " does not push back";
  }
}

/// A wall needs an entry in the list and nothing else to be available.
TEST(Wall, EveryOneOfTheListIsWhatItsStructComputes) {
  std::size_t n_forms = 0;
  const auto check = [&]<class Wall>(std::type_identity<Wall>) {
    for (const FormInfo& form : forms_of<Wall>()) {
      const FormChoice choice = wall(std::string(form.name));
      const AnyWall any(choice, kLjUnits);
      EXPECT_TRUE(any.acts());
      for (const Vec3<double>& x : places_around()) {
        const AtomTermValue expected = Wall(choice)(x), found = any({x, nullptr, 0});
        EXPECT_EQ(found.energy, expected.energy) << form.name;
        EXPECT_EQ(found.force, expected.force) << form.name;
      }
      ++n_forms;
    }
  };
  [&]<class... Walls>(std::type_identity<std::tuple<Walls...>>) {
    (check(std::type_identity<Walls>{}), ...);
  }(std::type_identity<WallForms>{});
  EXPECT_EQ(n_forms, AnyWall::forms().size());
  EXPECT_FALSE(AnyWall().acts());
  EXPECT_EQ(AnyWall()({{9, 0, 0}, nullptr, 0}).energy, 0);
}

TEST(Wall, AddsToTheForcesAndSumsTheEnergies) {
  const std::vector<Vec3<double>> position{{0, 0, 8}, {0, 0, 1}, {9, 0, 0}};
  std::vector<Vec3<double>> force(3, {1, 2, 3});
  EXPECT_DOUBLE_EQ(apply({{"wall", wall("harmonic")}}, position, force), 0.5 * kStiffness * (1 + 4));
  EXPECT_DOUBLE_EQ(force[0].z, 3 - kStiffness);
  EXPECT_EQ(force[1], (Vec3<double>{1, 2, 3}));
  EXPECT_DOUBLE_EQ(force[2].x, 1 - 2 * kStiffness);
  EXPECT_EQ(apply({}, position, force), 0);
}

TEST(Wall, AnAtomFarAwayIsPushedBackWithAFiniteForce) {
  for (const char* form : {"harmonic", "quartic"}) {
    const AtomTermValue term = evaluate(form, {1e12, 0, 0});
    EXPECT_TRUE(is_finite(term.force) && std::isfinite(term.energy));
    EXPECT_LT(term.force.x, 0);
  }
}

}  // namespace
}  // namespace dropmd
