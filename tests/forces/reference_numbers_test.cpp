#include <gtest/gtest.h>

#include "core/units.h"
#include "inputs/structures/droplet_file.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/force_error.h"
#include "tests/support/pair_models.h"
#include "tests/support/system/needed_file.h"
#include "tests/support/traversals.h"

/// Energies that anyone can recompute (formulas: docs/physics.md). They are stated to 10 to 15 digits. fp64
/// sums meet a relative tolerance of 1e-12 where the number has that many digits; otherwise its last digit counts.
namespace dropmd {
namespace {

struct Expected {
  double vdw, coulomb;
  std::uint64_t pairs;
  double last_digit;  ///< half a unit of the last digit stated
};

/// Checks brute force and every suitable traversal.
void expect_energies(const ChargedAtoms& atoms, const PairModel& model, const Expected& expected) {
  const Cpu cpu{2};
  std::vector<Vec3<double>> reference(atoms.size());
  const PairSums exact =
      make_brute_force(cpu, model, atoms.view())->evaluate(atoms.position, reference, Want::forces_and_energies);
  const auto near = [&](double stated) { return std::max(1e-12 * std::abs(stated), expected.last_digit); };
  EXPECT_NEAR(exact.vdw, expected.vdw, near(expected.vdw));
  EXPECT_NEAR(exact.coulomb, expected.coulomb, near(expected.coulomb));
  EXPECT_EQ(exact.pairs_within_cutoff, expected.pairs);

  const PairScales scales = pair_scales(model, atoms.view(), atoms.position);
  for (const Traversal& traversal : all_traversals()) {
    if (!traversal.suits(model) || !reason_to_skip(traversal).empty()) continue;
    SCOPED_TRACE(traversal.name);
    std::vector<Vec3<double>> force(atoms.size());
    const PairSums sums =
        traversal(cpu, model, atoms.view())->evaluate(atoms.position, force, Want::forces_and_energies);
    const Bounds bounds = bounds_of(traversal.precision);
    EXPECT_NEAR(sums.vdw, exact.vdw, bounds.energy * scales.vdw);
    EXPECT_NEAR(sums.coulomb, exact.coulomb, bounds.energy * scales.coulomb);
    const std::uint64_t undecided = traversal.precision == Precision::mixed ? scales.near_cutoff : 0;
    EXPECT_LE(std::max(sums.pairs_within_cutoff, exact.pairs_within_cutoff) -
                  std::min(sums.pairs_within_cutoff, exact.pairs_within_cutoff),
              undecided);
    const ForceError error = force_error(force, reference);
    EXPECT_LE(error.rms, bounds.rms_force);
    EXPECT_LE(error.worst, bounds.worst_force);
  }
}

TEST(ReferenceNumbers, LennardJonesPairAtOneAndAHalf) {
  ChargedAtoms atoms;
  atoms.add({0, 0, 0});
  atoms.add({0, 1.5, 0});
  expect_energies(atoms, lj_model("none"), {-0.3203365942785746, 0, 1, 5e-17});
}

TEST(ReferenceNumbers, FccBallOf177) {
  const ChargedAtoms ball = fcc_ball(18);
  ASSERT_EQ(ball.size(), 177U);
  expect_energies(ball, lj_model("none"), {-1034.1553220863, 0, 177 * 176 / 2, 5e-11});
  expect_energies(ball, lj_model("cut"), {-996.0852764114, 0, 3006, 5e-11});
  expect_energies(ball, lj_model("shift"), {-947.0367016566, 0, 3006, 5e-11});
  expect_energies(ball, lj_model("force-shift"), {-858.0942612235, 0, 3006, 5e-11});
}

TEST(ReferenceNumbers, FccBallOf767) {
  const ChargedAtoms ball = fcc_ball(50);
  ASSERT_EQ(ball.size(), 767U);
  expect_energies(ball, lj_model("none"), {-5196.2480975499, 0, 767 * 766 / 2, 5e-11});
  expect_energies(ball, lj_model("cut"), {-4926.3962211452, 0, 15816, 5e-11});
  expect_energies(ball, lj_model("shift"), {-4668.3282709382, 0, 15816, 5e-11});
  expect_energies(ball, lj_model("force-shift"), {-4212.8567459121, 0, 15816, 5e-11});
}

TEST(ReferenceNumbers, CoulombCubes) {
  const PairModel model = simple_model(std::nullopt, FormChoice{"exact"});
  expect_energies(alternating_cube(2), model, {0, -5.824119702520, 28, 5e-13});
  expect_energies(alternating_cube(4), model, {0, -52.119142125363, 64 * 63 / 2, 5e-13});
}

class Droplet4139 : public ::testing::Test {
 protected:
  void SetUp() override {
    Structure structure = read_droplet_file(source_file("inputs/samples/droplet-4139.drop"));
    atoms_ = {std::move(structure.position), std::move(structure.charge), std::move(structure.species)};
    ASSERT_EQ(atoms_.size(), 4139U);
    model_.coulomb_constant = kRealUnits.coulomb;
    model_.lj_parameters = {{0.2, 2.5 / std::pow(2.0, 1.0 / 6.0)}};
  }

  ChargedAtoms atoms_;
  PairModel model_;
};

TEST_F(Droplet4139, NoCutoff) {
  model_.lj = {"none"};
  model_.coulomb = {"exact"};
  expect_energies(atoms_, model_, {-4123.36915699157, -18577.5244827717, std::uint64_t{4139} * 4138 / 2, 5e-11});
}

TEST_F(Droplet4139, CutAndReactionField) {
  model_.lj = {"cut", {{"cutoff", 12.0}}};
  model_.coulomb = {"reaction-field", {{"cutoff", 12.0}, {"dielectric", 1.0}}};
  expect_energies(atoms_, model_, {-4105.59107286909, -17734.320312735, 728991, 5e-10});
}

TEST_F(Droplet4139, ForceShiftAndReactionField) {
  model_.lj = {"force-shift", {{"cutoff", 12.0}}};
  model_.coulomb = {"reaction-field", {{"cutoff", 12.0}, {"dielectric", 1.0}}};
  // The stated number is the sum with the Coulomb energy of the test above.
  expect_energies(atoms_, model_, {-21776.3462445517 + 17734.320312735, -17734.320312735, 728991, 6e-10});
}

}  // namespace
}  // namespace dropmd
