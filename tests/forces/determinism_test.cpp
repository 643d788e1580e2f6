#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "tests/support/agreement.h"
#include "tests/support/pair_models.h"
#include "tests/support/random_droplets.h"
#include "tests/support/traversals.h"

/// What must not change the result, and what may change it by rounding only.
namespace dropmd {
namespace {

constexpr std::size_t kLiquidAtoms = 1500;

class Determinism : public ::testing::TestWithParam<Traversal> {
 protected:
  void SetUp() override {
    if (const std::string reason = reason_to_skip(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }

  static PairModel model() { return GetParam().model_of(lj_treatments()[3], coulomb_choices()[4]); }

  Answer evaluate(const ChargedAtoms& atoms, int threads = 1) {
    return dropmd::evaluate(*GetParam()(Cpu{threads}, model(), atoms.view()), atoms);
  }

  void expect_same_but_for_rounding(const Answer& a, const Answer& b, const ChargedAtoms& atoms) {
    const Bounds bounds = bounds_of(GetParam().precision);
    const PairScales scales = pair_scales(model(), atoms.view(), atoms.position);
    EXPECT_NEAR(a.sums.vdw, b.sums.vdw, 2 * bounds.energy * scales.vdw);
    EXPECT_NEAR(a.sums.coulomb, b.sums.coulomb, 2 * bounds.energy * scales.coulomb);
    const ForceError error = force_error(a.force, b.force);
    EXPECT_LE(error.rms, 2 * bounds.rms_force);
    EXPECT_LE(error.worst, 2 * bounds.worst_force);
  }
};

/// Otherwise the steps between two outputs would depend on the output interval.
TEST_P(Determinism, AskingForEnergiesDoesNotChangeAForce) {
  for (const std::size_t n_species : {1, 2})
    for (const NamedModel& named : all_models(n_species)) {
      if (!GetParam().suits(named.model)) continue;
      const ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 300, 3), n_species);
      const auto forces = GetParam()(Cpu{1}, named.model, atoms.view());
      std::vector<Vec3<double>> with(atoms.size()), without(atoms.size());
      forces->evaluate(atoms.position, with, Want::forces_and_energies);
      forces->evaluate(atoms.position, without, Want::forces);
      EXPECT_EQ(std::memcmp(with.data(), without.data(), atoms.size() * sizeof with[0]), 0) << named.name;
    }
}

TEST_P(Determinism, SameBytesForEveryNumberOfThreads) {
  for (const Regime regime : {Regime::liquid, Regime::clustered}) {
    const ChargedAtoms atoms = with_species(random_droplet(regime, kLiquidAtoms, 1), 1);
    const Answer one = evaluate(atoms, 1);
    for (const int threads : {2, 3, 5, 8}) {
      const Answer many = evaluate(atoms, threads);
      EXPECT_EQ(std::memcmp(one.force.data(), many.force.data(), kLiquidAtoms * sizeof one.force[0]), 0) << threads;
      EXPECT_EQ(std::memcmp(&one.sums, &many.sums, sizeof one.sums), 0) << threads;
    }
  }
}

TEST_P(Determinism, AnotherNumberingOfTheAtomsIsTheSameDroplet) {
  const ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, kLiquidAtoms, 2), 1);
  std::vector<std::size_t> place(kLiquidAtoms);
  std::iota(place.begin(), place.end(), std::size_t{0});
  std::shuffle(place.begin(), place.end(), std::mt19937(3));
  ChargedAtoms shuffled;
  for (const std::size_t i : place) shuffled.add(atoms.position[i], atoms.charge[i]);
  const Answer straight = evaluate(atoms);
  Answer other = evaluate(shuffled);
  EXPECT_EQ(other.sums.pairs_within_cutoff, straight.sums.pairs_within_cutoff);
  std::vector<Vec3<double>> back(kLiquidAtoms);
  for (std::size_t k = 0; k < kLiquidAtoms; ++k) back[place[k]] = other.force[k];
  other.force = std::move(back);
  expect_same_but_for_rounding(other, straight, atoms);
}

TEST_P(Determinism, ADropletFarFromTheOriginIsTheSameDroplet) {
  // Positions that fp64 represents exactly at 1e7, too (multiples of 2⁻²⁸), so that the move itself rounds nothing.
  ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, kLiquidAtoms, 4), 1);
  for (Vec3<double>& x : atoms.position)
    for (double* c : {&x.x, &x.y, &x.z}) *c = std::round(std::ldexp(*c, 28)) * 0x1p-28;
  const ChargedAtoms far = moved(atoms, {1e7, -1e7, 1e7});
  const Answer here = evaluate(atoms), there = evaluate(far);
  EXPECT_EQ(here.sums.pairs_within_cutoff, there.sums.pairs_within_cutoff);
  expect_same_but_for_rounding(there, here, atoms);
}

INSTANTIATE_TEST_SUITE_P(All, Determinism, ::testing::ValuesIn(all_traversals()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace dropmd
