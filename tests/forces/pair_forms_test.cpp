#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/lanes/simd_lanes.h"
#include "forces/pair/with_physics.h"
#include "tests/support/pair_models.h"

/// Each pair form compared with a plain restatement of docs/physics.md, and with its own derivative.
namespace dropmd {
namespace {

constexpr double kCharges = -0.7;  // k_e q_i q_j of the pair

/// ε[(r_min/r)¹² − 2 (r_min/r)⁶] with ε = σ = 1, and its derivative.
double plain_lj(double r) {
  const double s = std::pow(std::pow(2.0, 1.0 / 6.0) / r, 6);
  return s * s - 2 * s;
}
double plain_lj_derivative(double r) {
  const double s = std::pow(std::pow(2.0, 1.0 / 6.0) / r, 6);
  return -12 / r * (s * s - s);
}

double plain_lj(const FormChoice& form, double r) {
  if (form.form == "none") return plain_lj(r);
  const double c = form.at("cutoff");
  if (r >= c) return 0;
  if (form.form == "cut") return plain_lj(r);
  if (form.form == "shift") return plain_lj(r) - plain_lj(c);
  if (form.form == "force-shift") return plain_lj(r) - plain_lj(c) - (r - c) * plain_lj_derivative(c);
  const double on = form.at("switch-from"), x = (r - on) / (c - on);
  return plain_lj(r) * (r <= on ? 1 : 1 - 6 * std::pow(x, 5) + 15 * std::pow(x, 4) - 10 * std::pow(x, 3));
}

double plain_coulomb(const FormChoice& form, double r) {
  if (form.form == "exact") return 1 / r;
  const double c = form.at("cutoff");
  if (r >= c) return 0;
  if (form.form == "cut") return 1 / r;
  if (form.form == "shift") return std::pow(1 - r * r / (c * c), 2) / r;
  if (form.form == "smoothed")
    return 1 / r - (15.0 / 8 - 5.0 / 4 * std::pow(r / c, 2) + 3.0 / 8 * std::pow(r / c, 4)) / c;
  if (form.form == "reaction-field") {
    const double e = form.at("dielectric");
    const double k = (std::isinf(e) ? 0.5 : (e - 1) / (2 * e + 1)) / (c * c * c);
    return 1 / r + k * r * r - (1 / c + k * c * c);
  }
  const double a = form.at("damping");
  const double slope = std::erfc(a * c) / (c * c) + 2 * a / std::sqrt(std::acos(-1.0)) * std::exp(-a * a * c * c) / c;
  return std::erfc(a * r) / r - std::erfc(a * c) / c + slope * (r - c);
}

struct Terms {
  double vdw, coulomb, force;  ///< force: −dU/dr
};

/// One pair, computed by a compiled physics in the lane type's arithmetic.
template <class Lane, class Physics>
Terms terms_of(const Physics& physics, const PairModel& model, double r) {
  using Real = LaneReal<Lane>;
  const auto c = model.lj_coefficients()[0];
  const auto real = [](double x) { return Lane(static_cast<Real>(x)); };
  const LjCoefficients<Lane> table{real(c.f12), real(c.f6), real(c.shift), real(c.slope)};
  const Real r_rounded = static_cast<Real>(r);
  const PairResult<Lane> pair = physics(Lane(r_rounded * r_rounded), table, real(kCharges));
  const auto last = [](const Lane& x) {
    if constexpr (LaneTraits<Lane>::kWidth > 1)
      return static_cast<double>(x[LaneTraits<Lane>::kWidth - 1]);
    else
      return static_cast<double>(x);
  };
  return {last(pair.vdw), last(pair.coulomb), last(pair.force_over_r) * r};
}

/// Uses the physics specialised for the model's forms. kEnd: for terms with a cutoff.
template <class Lane, Limits kEnd = Limits::separate>
Terms evaluate(const PairModel& model, double r) {
  Terms terms{};
  with_specialized_physics<LaneReal<Lane>, Limits::none, kEnd>(
      model, [&](const auto& physics) { terms = terms_of<Lane>(physics, model, r); });
  return terms;
}

/// Uses the physics whose forms are chosen at run time.
template <class Lane>
Terms evaluate_generally(const PairModel& model, double r) {
  Terms terms{};
  with_general_physics<LaneReal<Lane>>(model, [&]<class Physics>(const Physics& physics) {
    if constexpr (std::is_same_v<CoefficientsOf<Physics, double>, LjCoefficients<double>>)
      terms = terms_of<Lane>(physics, model, r);
  });
  return terms;
}

/// Models with one form each.
std::vector<PairModel> single_forms() {
  std::vector<PairModel> models;
  for (FormChoice& form : lj_treatments()) models.push_back(simple_model(std::move(form)));
  for (FormChoice& form : coulomb_choices()) models.push_back(simple_model(std::nullopt, std::move(form)));
  return models;
}

std::string name_of(const PairModel& model) {
  return model.lj ? "LJ " + model.lj->form : "Coulomb " + model.coulomb->form;
}

double energy_at(const PairModel& model, double r) {
  const Terms terms = evaluate<double>(model, r);
  return terms.vdw + terms.coulomb;
}

TEST(PairForms, EnergiesAreThoseOfTheFormulas) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> distance(0.8, 3.5);
  for (const NamedModel& named : all_models(1)) {
    SCOPED_TRACE(named.name);
    const PairModel& model = named.model;
    for (int k = 0; k < 200; ++k) {
      const double r = distance(random);
      const Terms terms = evaluate<double>(model, r);
      const double vdw = model.lj ? plain_lj(*model.lj, r) : 0;
      const double coulomb = model.coulomb ? kCharges * plain_coulomb(*model.coulomb, r) : 0;
      // Near a cutoff, terms of the size of the bare potential cancel; 1e-13 is relative to that size.
      EXPECT_NEAR(terms.vdw, vdw,
                  1e-13 * std::max({std::abs(vdw), std::pow(r, -12.0) * 4, std::pow(r, -6.0) * 4, 0.1}));
      EXPECT_NEAR(terms.coulomb, coulomb, 1e-13 * std::max(std::abs(coulomb), 1 / r));
    }
  }
}

/// Central differences with step h have an error of h² U'''/6 + 1e-16 U/h. With h = 1e-5 and r ≥ 0.95 the first term is
/// at most 1e-10/6 · 2184·4/0.95¹⁵ = 3e-7, the second 1e-10.
TEST(PairForms, ForceIsMinusTheDerivativeOfTheEnergy) {
  constexpr double h = 1e-5;
  for (const PairModel& model : single_forms()) {
    SCOPED_TRACE(name_of(model));
    const double c = std::isinf(model.cutoff()) ? 3.0 : model.cutoff();
    std::vector<double> places{0.95, 1.0, 1.2, 1.7, 1.99, 2.1, 2.3};
    for (const double edge : {kSwitchFrom, c}) {
      places.push_back(edge - 2 * h);
      places.push_back(edge + 2 * h);
    }
    for (const double r : places) {
      const double derivative = (energy_at(model, r + h) - energy_at(model, r - h)) / (2 * h);
      EXPECT_NEAR(evaluate<double>(model, r).force, -derivative, 1e-6) << "r = " << r;
    }
  }
}

TEST(PairForms, FormsThatPromiseItAreContinuousAtTheCutoff) {
  constexpr double kInside = 1e-9;  // relative to the cutoff
  for (const PairModel& model : single_forms()) {
    const std::string name = name_of(model);
    if (std::isinf(model.cutoff()) || name == "LJ cut" || name == "Coulomb cut") continue;
    SCOPED_TRACE(name);
    const double r = model.cutoff() * (1 - kInside);
    // |U| just inside is at most |U'| times the distance; |U'| ≤ 1 here.
    EXPECT_NEAR(energy_at(model, r), 0, model.cutoff() * kInside);
    // The force vanishes, too, where the form is made for it; for the reaction field, only with an infinite dielectric
    // constant.
    const bool force_vanishes = name == "LJ force-shift" || name == "LJ switch" || name == "Coulomb shift" ||
                                name == "Coulomb smoothed" || name == "Coulomb dsf" ||
                                (name == "Coulomb reaction-field" && std::isinf(model.coulomb->at("dielectric")));
    const double force = std::abs(evaluate<double>(model, r).force);
    EXPECT_EQ(force < 10 * kInside, force_vanishes) << force;
  }
}

TEST(PairForms, ZeroAtAndBeyondTheCutoff) {
  for (const PairModel& model : single_forms()) {
    const double c = model.cutoff();
    if (std::isinf(c)) continue;
    SCOPED_TRACE(name_of(model));
    for (const double r : {c, std::nextafter(c, 10.0), c + 1e-6, 2 * c, 1e6}) {
      const Terms fp64 = evaluate<double>(model, r), fp32 = evaluate<float>(model, std::max(r, c));
      EXPECT_EQ(fp64.vdw, 0);
      EXPECT_EQ(fp64.coulomb, 0);
      EXPECT_EQ(fp64.force, 0);
      EXPECT_EQ(fp32.vdw, 0);
      EXPECT_EQ(fp32.coulomb, 0);
      EXPECT_EQ(fp32.force, 0);
    }
    EXPECT_NE(evaluate<double>(model, 0.99 * c).force, 0);
  }
}

/// fp32 rounds to 6e-8. r² and up to a dozen operations on terms of the size of the bare potential, with r⁻¹² raising
/// the error of r sixfold, stay within 40 roundings.
TEST(PairForms, FloatLanesFollowDouble) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> distance(0.9F, 3.5F);
  for (const NamedModel& named : all_models(1)) {
    SCOPED_TRACE(named.name);
    for (int k = 0; k < 100; ++k) {
      const double r = static_cast<double>(distance(random));
      const Terms exact = evaluate<double>(named.model, r), rounded = evaluate<float>(named.model, r);
      const double bare = 4 * std::pow(r, -12.0) + 4 * std::pow(r, -6.0) + 1 / r;
      EXPECT_NEAR(rounded.vdw, exact.vdw, 40 * 6e-8 * bare);
      EXPECT_NEAR(rounded.coulomb, exact.coulomb, 40 * 6e-8 * bare);
      EXPECT_NEAR(rounded.force, exact.force, 40 * 6e-8 * 12 * bare / r);
    }
  }
}

/// A lane of a pack does the arithmetic of a scalar. double: the same operations, except for how the compiler fuses
/// them and for the library's erfc and exp, a few 1e-16. float: the estimated reciprocal root adds an error of 2^-22.
TEST(PairForms, PacksFollowScalars) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> distance(0.9F, 3.5F);
  for (const NamedModel& named : all_models(1)) {
    SCOPED_TRACE(named.name);
    for (int k = 0; k < 50; ++k) {
      const double r = static_cast<double>(distance(random));
      const double bare = 4 * std::pow(r, -12.0) + 4 * std::pow(r, -6.0) + 1 / r;
      const auto expect_near = [&](const Terms& a, const Terms& b, double rounding) {
        EXPECT_NEAR(a.vdw, b.vdw, rounding * bare);
        EXPECT_NEAR(a.coulomb, b.coulomb, rounding * bare);
        EXPECT_NEAR(a.force, b.force, rounding * 12 * bare / r);
      };
      expect_near(evaluate<Pack<double>>(named.model, r), evaluate<double>(named.model, r), 20 * 1.1e-16);
      expect_near(evaluate<Pack<float>>(named.model, r), evaluate<float>(named.model, r), 20 * 2.4e-7);
    }
  }
}

TEST(PairForms, ReactionFieldLimits) {
  const auto field = [](double dielectric) {
    return simple_model(std::nullopt, FormChoice{"reaction-field", {{"cutoff", 3.0}, {"dielectric", dielectric}}});
  };
  // A dielectric constant of 1 is no medium: 1/r shifted by 1/r_c.
  EXPECT_NEAR(energy_at(field(1.0), 2.0), kCharges * (1 / 2.0 - 1 / 3.0), 1e-15);
  EXPECT_NEAR(evaluate<double>(field(1.0), 2.0).force, kCharges / 4.0, 1e-15);
  // An infinite one is the limit of large ones: k_rf = (1 − 3/(2ε + 1))/(2 r_c³) = 1/(2 r_c³) to 1e-9 relative.
  EXPECT_NEAR(energy_at(field(std::numeric_limits<double>::infinity()), 2.0), energy_at(field(1e9), 2.0), 1e-9);
}

TEST(PairForms, UndampedDsfIsShiftedForce) {
  const PairModel model = simple_model(std::nullopt, FormChoice{"dsf", {{"cutoff", 3.0}, {"damping", 0.0}}});
  EXPECT_NEAR(energy_at(model, 2.0), kCharges * (1 / 2.0 - 1 / 3.0 + (2.0 - 3.0) / 9.0), 1e-15);
}

/// In units of ε and σ every form without charges is the same: U(r; ε, σ, r_c) = ε U(r/σ; 1, 1, r_c/σ).
TEST(PairForms, EnergiesScaleWithEpsilonAndSigma) {
  constexpr double kEpsilon = 0.3, kSigma = 1.7;
  for (const FormChoice& form : lj_treatments()) {
    SCOPED_TRACE(form.form);
    PairModel scaled = simple_model(form);
    scaled.lj_parameters = {{kEpsilon, kSigma}};
    for (auto& [key, length] : scaled.lj->values) length *= kSigma;
    for (const double r : {0.95, 1.1, 1.7, 2.2, 2.45, 2.6}) {
      const double bare = 4 * (std::pow(r, -12.0) + std::pow(r, -6.0));
      const Terms one = evaluate<double>(simple_model(form), r), other = evaluate<double>(scaled, kSigma * r);
      EXPECT_NEAR(other.vdw, kEpsilon * one.vdw, 1e-14 * bare);
      EXPECT_NEAR(other.force, kEpsilon / kSigma * one.force, 1e-13 * bare / r);
    }
  }
}

TEST(PairForms, RMinIsTheMinimum) {
  const LjParameters p{0.2, 3.4};
  EXPECT_NEAR(lj_energy(p, p.r_min()), -p.epsilon, 1e-15);
  EXPECT_NEAR(lj_derivative(p, p.r_min()), 0, 1e-15);
}

/// Which comparison is compiled for a model: none, one for both terms, or one for each.
TEST(PairForms, LimitsFollowTheCutoffsOfTheTerms) {
  const FormChoice none{"none"}, exact{"exact"}, cut_lj{"cut", {{"cutoff", 2.5}}}, cut{"cut", {{"cutoff", 2.5}}};
  const FormChoice longer{"cut", {{"cutoff", 3.0}}};
  EXPECT_EQ(limits_of(simple_model(none, exact)), Limits::none);
  EXPECT_EQ(limits_of(simple_model(none)), Limits::none);
  EXPECT_EQ(limits_of(simple_model(std::nullopt, exact)), Limits::none);
  EXPECT_EQ(limits_of(simple_model(cut_lj)), Limits::shared);
  EXPECT_EQ(limits_of(simple_model(std::nullopt, cut)), Limits::shared);
  EXPECT_EQ(limits_of(simple_model(cut_lj, cut)), Limits::shared);
  EXPECT_EQ(limits_of(simple_model(cut_lj, longer)), Limits::separate);
  EXPECT_EQ(limits_of(simple_model(none, cut)), Limits::separate);
  EXPECT_EQ(limits_of(simple_model(cut_lj, exact)), Limits::separate);
}

/// One comparison for both terms, or for the only one, gives the same as a comparison for each: the same terms inside,
/// and nothing at the cutoff and beyond.
TEST(PairForms, OneLimitForBothTermsGivesTheSame) {
  for (const bool with_lj : {true, false})
    for (const bool with_coulomb : {true, false}) {
      if (!with_lj && !with_coulomb) continue;
      PairModel model;
      if (with_lj) model = lj_model("force-shift", 2.5);
      if (with_coulomb) model.coulomb = FormChoice{"smoothed", {{"cutoff", 2.5}}};
      for (const double r : {0.9, 1.7, 2.49, 2.5, 2.6}) {
        SCOPED_TRACE(testing::Message() << with_lj << with_coulomb << " at " << r);
        const Terms shared = evaluate<double, Limits::shared>(model, r), separate = evaluate<double>(model, r);
        EXPECT_EQ(shared.vdw, separate.vdw);
        EXPECT_EQ(shared.coulomb, separate.coulomb);
        EXPECT_EQ(shared.force, separate.force);
        EXPECT_EQ(shared.force == 0, r >= 2.5);
      }
    }
}

/// So that results do not depend on which kernels are specialised.
TEST(PairForms, GeneralPhysicsGivesTheBitsOfTheSpecialised) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> distance(0.8, 3.5);
  const auto expect_same = [](const Terms& general, const Terms& special) {
    EXPECT_EQ(general.vdw, special.vdw);
    EXPECT_EQ(general.coulomb, special.coulomb);
    EXPECT_EQ(general.force, special.force);
  };
  for (const NamedModel& named : all_models(1)) {
    SCOPED_TRACE(named.name);
    for (int k = 0; k < 100; ++k) {
      const double r = distance(random);
      expect_same(evaluate_generally<double>(named.model, r), evaluate<double>(named.model, r));
      expect_same(evaluate_generally<float>(named.model, r), evaluate<float>(named.model, r));
      expect_same(evaluate_generally<Pack<double>>(named.model, r), evaluate<Pack<double>>(named.model, r));
      expect_same(evaluate_generally<Pack<float>>(named.model, r), evaluate<Pack<float>>(named.model, r));
    }
  }
}

TEST(PairForms, AModelWhosePhysicsIsNotCompiledIsRefused) {
  const PairModel model = lj_model("cut");
  const auto ignore = [](const auto&) {};
  EXPECT_THROW((with_specialized_physics<double, Limits::none>(model, ignore)), std::logic_error);
  EXPECT_NO_THROW((with_specialized_physics<double, Limits::shared>(model, ignore)));
}

/// The energies in a table are the ε of their pairs, r_min counts only where ε > 0, and the larger cutoff is the
/// model's.
TEST(PairForms, WhatAModelSaysOfItself) {
  PairModel model = simple_model(FormChoice{"cut", {{"cutoff", 2.0}}}, FormChoice{"cut", {{"cutoff", 3.0}}});
  EXPECT_EQ(model.cutoff(), 3.0);
  model.lj->values["cutoff"] = 4.0;
  EXPECT_EQ(model.cutoff(), 4.0);
  EXPECT_EQ(lj_model("cut", 0.5).cutoff(), 0.5) << "a term that is left out has none";
  model.n_species = 2;
  model.lj_parameters = {{1.0, 2.0}, {0.5, 1.5}, {0.5, 1.5}, {0.0, 0.1}};
  EXPECT_DOUBLE_EQ(model.smallest_r_min().value(), 1.5 * std::pow(2.0, 1.0 / 6.0));
  EXPECT_EQ(model.lj_coefficients()[1].shift, 0);
  EXPECT_EQ(model.lj_coefficients()[1].slope, 0);
  model.lj.reset();
  EXPECT_EQ(model.smallest_r_min(), std::nullopt);
}

TEST(PairForms, AnUnknownFormIsRefused) {
  EXPECT_THROW(simple_model(FormChoice{"no-such-form"}).lj_coefficients(), std::invalid_argument);
}

}  // namespace
}  // namespace dropmd
