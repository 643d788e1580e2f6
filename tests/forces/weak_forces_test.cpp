#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "forces/pair/mixed_precision.h"
#include "tests/support/agreement.h"
#include "tests/support/loose_lattice.h"
#include "tests/support/pair_models.h"
#include "tests/support/traversals.h"

/// Systems whose forces are much weaker than those of atoms in contact, or differences of such forces. Every traversal
/// keeps the bounds relative to the RMS force of the system, without the least scales of agreement.h.
namespace dropmd {
namespace {

constexpr double kKcalCoulomb = 332.063713299;  // kcal Å/(mol e²)

PairModel kcal_model(const FormChoice& lj, std::optional<FormChoice> coulomb) {
  PairModel model = simple_model(lj, std::move(coulomb));
  model.lj_parameters = {{0.1, 2.5}};
  model.coulomb_constant = kKcalCoulomb;
  return model;
}

class WeakForces : public testing::TestWithParam<Traversal> {
 protected:
  void SetUp() override {
    if (const std::string reason = reason_to_skip(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }

  static void expect_bounds(const ChargedAtoms& atoms, const PairModel& model) {
    const Traversal& traversal = GetParam();
    if (!traversal.suits(model)) return;
    const Answer exact = evaluate(*make_brute_force(Cpu{1}, model, atoms.view()), atoms, Want::forces_and_energies);
    const Answer answer = evaluate(*traversal(Cpu{1}, model, atoms.view()), atoms, Want::forces_and_energies);
    ASSERT_GT(rms_of(exact.force), 0);
    const Bounds bounds = bounds_of(traversal.precision);
    const ForceError error = force_error(answer.force, exact.force);
    EXPECT_LE(error.rms, bounds.rms_force);
    EXPECT_LE(error.worst, bounds.worst_force);
    const PairScales scales = pair_scales(model, atoms.view(), atoms.position);
    EXPECT_NEAR(answer.sums.vdw, exact.sums.vdw, bounds.energy * scales.vdw);
    EXPECT_NEAR(answer.sums.coulomb, exact.sums.coulomb, bounds.energy * scales.coulomb);
  }
};
INSTANTIATE_TEST_SUITE_P(All, WeakForces, ::testing::ValuesIn(all_traversals()),
                         [](const auto& instance) { return instance.param.name; });

/// The Coulomb term of these charges ends before the next atom, so that only the tail of the Lennard-Jones term is
/// left.
TEST_P(WeakForces, APlaneOfAtomsBeyondContact) {
  std::mt19937 random(257);
  std::uniform_real_distribution<double> uniform(-1, 1);
  ChargedAtoms atoms;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      atoms.add({0, 3.15 * i + 0.1 * uniform(random), 3.15 * j + 0.1 * uniform(random)}, 0.5 * uniform(random));
  PairModel model = kcal_model(FormChoice{"cut", {{"cutoff", 8.7}}},
                               FormChoice{"reaction-field", {{"cutoff", 2.61}, {"dielectric", 78.5}}});
  model.lj_parameters = {{0.0677, 2.3238}};
  expect_bounds(atoms, model);
}

/// From contact to 3,000 times the distance, forces fall by seven orders of magnitude, both untruncated and with a
/// cutoff.
TEST_P(WeakForces, AnIonCloudHoweverThin) {
  for (const double spacing : {3.0, 30.0, 1'000.0, 8'000.0})
    for (const bool cut : {false, true}) {
      SCOPED_TRACE(spacing);
      const double cutoff = 2.3 * spacing;
      const FormChoice coulomb = cut ? FormChoice{"shift", {{"cutoff", cutoff}}} : FormChoice{"exact"};
      const FormChoice lj = cut ? FormChoice{"cut", {{"cutoff", cutoff}}} : FormChoice{"none"};
      expect_bounds(loose_lattice(8, spacing, 0.3 * spacing, 1.0), kcal_model(lj, coulomb));
    }
}

/// Lennard-Jones attraction alone falls with the seventh power of the distance.
TEST_P(WeakForces, AVapourHoweverThin) {
  for (const double spacing : {4.0, 8.0, 16.0}) {
    SCOPED_TRACE(spacing);
    const PairModel model = lj_model("cut", 2.2 * spacing);
    expect_bounds(loose_lattice(8, spacing, 0.2 * spacing, 0), model);
  }
}

/// Two atoms collide in a vapour, and their forces dominate all others.
TEST_P(WeakForces, ACollisionInAVapour) {
  ChargedAtoms atoms = loose_lattice(7, 8.0, 1.0, 0);
  atoms.position[100] = atoms.position[101] + Vec3<double>{0.4, 0.5, 0.3};
  expect_bounds(atoms, lj_model("cut", 17.0));
}

/// All pairs in the narrowest switching window that mixed precision takes, where forces change most with the distance.
TEST_P(WeakForces, PairsInANarrowSwitchingWindow) {
  const double cutoff = 2.5, from = last_mixed_switch(cutoff);
  const PairModel model = simple_model(FormChoice{"switch", {{"cutoff", cutoff}, {"switch-from", from}}});
  EXPECT_TRUE(suits_mixed_precision(model));
  expect_bounds(loose_lattice(9, 0.5 * (from + cutoff), 0.3, 0), model);
}

/// An ionic crystal near its minimum: the net forces are a hundredth of their terms, mostly at the surface.
TEST_P(WeakForces, AnIonicCrystalWhoseForcesNearlyCancel) {
  const FormChoice coulomb{"reaction-field", {{"cutoff", 9.0}, {"dielectric", 4.0}}};
  expect_bounds(loose_lattice(8, 2.62, 0.02, 1.0), kcal_model(FormChoice{"cut", {{"cutoff", 9.0}}}, coulomb));
}

}  // namespace
}  // namespace dropmd
