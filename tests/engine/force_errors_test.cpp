#include "engine/force_errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/charged_atoms.h"
#include "tests/support/pair_models.h"

namespace dropmd {
namespace {

/// Sums for the first of two atoms with charges of 1, `distance` apart.
AtomSums sums_of_two(const PairModel& model, double distance) {
  ChargedAtoms atoms;
  atoms.add({0, 0, 0}, 1.0);
  atoms.add({distance, 0, 0}, 1.0);
  const std::uint32_t first[] = {0};
  return brute_force_atoms(Cpu{1}, model, atoms.view(), atoms.position, first).front();
}

TEST(BruteForce, KnowsHowFarPairsAtACutoffMayMoveAForce) {
  const double c = kCoulombCutoff;
  const PairModel plain = simple_model(std::nullopt, FormChoice{"cut", {{"cutoff", c}}});
  for (const double off : {-0.9e-5, -1e-9, 1e-9, 0.9e-5})
    EXPECT_NEAR(sums_of_two(plain, c + off).undecided, 1 / (c * c), 1e-12) << off;
  for (const double off : {-1.1e-5, 1.1e-5}) EXPECT_EQ(sums_of_two(plain, c + off).undecided, 0) << off;
  const PairModel smooth = simple_model(lj_treatments()[3], coulomb_choices()[3]);
  EXPECT_NEAR(sums_of_two(smooth, kLjCutoff).undecided, 0, 1e-14);
  EXPECT_NEAR(sums_of_two(smooth, kCoulombCutoff).undecided, 0, 1e-14);
}

TEST(BruteForce, TermsJumpAtTheirOwnCutoffs) {
  const PairModel model = simple_model(FormChoice{"cut", {{"cutoff", 2.0}}}, FormChoice{"cut", {{"cutoff", 3.0}}});
  const double lj = 24 * std::abs(2 * std::pow(2.0, -13) - std::pow(2.0, -7));  // 24 ε/σ [2 (σ/r)^13 − (σ/r)^7]
  EXPECT_NEAR(sums_of_two(model, 2.0).undecided, lj, 1e-12);
  EXPECT_NEAR(sums_of_two(model, 3.0).undecided, 1.0 / 9, 1e-12);
  const PairModel one_cutoff = simple_model(FormChoice{"cut", {{"cutoff", 2.0}}}, FormChoice{"cut", {{"cutoff", 2.0}}});
  EXPECT_NEAR(sums_of_two(one_cutoff, 2.0).undecided, std::abs(0.25 - lj), 1e-12) << "both jump at once";
}

/// At r_min the force vanishes, and each of its two terms is 24 ε/r_min.
TEST(BruteForce, KnowsTheSizeOfTheTermsThatCancel) {
  const double r_min = 1.122462048309373;
  const AtomSums sums = sums_of_two(simple_model(FormChoice{"none"}), r_min);
  EXPECT_NEAR(norm(sums.force), 0, 1e-12);
  EXPECT_NEAR(std::sqrt(sums.terms2), 24 / r_min, 1e-12);
  const AtomSums charged = sums_of_two(simple_model(std::nullopt, FormChoice{"exact"}), 2.0);
  EXPECT_NEAR(std::sqrt(charged.terms2), 0.25, 1e-15);
}

/// Three atoms, of which the second is not in the sample.
class ForceErrorsTest : public testing::Test {
 protected:
  ForceErrorsTest() : reference_(2) {
    reference_[0].force = {3, 0, 0};
    reference_[1].force = {0, 4, 0};
  }
  ForceErrors errors(Precision precision, double least_scale = 0) const {
    return force_errors(force_, sample_, reference_, precision, least_scale);
  }
  std::vector<Vec3<double>> force_{{3, 0, 0}, {99, 99, 99}, {0, 4, 0}};
  std::vector<AtomSums> reference_;
  std::vector<std::uint32_t> sample_{0, 2};
  double rms_ = std::sqrt(12.5);
};

TEST_F(ForceErrorsTest, AreRelativeToTheRmsForce) {
  EXPECT_EQ(errors(Precision::fp64).worst, 0);
  force_[0].x += 0.1;
  force_[2].z -= 0.2;
  const ForceErrors e = errors(Precision::fp64);
  EXPECT_NEAR(e.rms, std::sqrt(0.025) / rms_, 1e-14);
  EXPECT_NEAR(e.worst, 0.2 / rms_, 1e-14);
  EXPECT_EQ(e.worst_atom, 2U);
  EXPECT_NEAR(errors(Precision::fp64, 10.0).worst, 0.02, 1e-14);
  EXPECT_NEAR(errors(Precision::fp64, 1.0).worst, 0.2 / rms_, 1e-14);
}

TEST_F(ForceErrorsTest, LeaveOutUndecidedPairsInMixedPrecisionOnly) {
  force_[0].x += 0.1;
  reference_[0].undecided = 0.07;
  EXPECT_NEAR(errors(Precision::mixed).worst, 0.03 / rms_, 1e-14);
  EXPECT_NEAR(errors(Precision::fp64).worst, 0.1 / rms_, 1e-14);
  reference_[0].undecided = 0.2;
  EXPECT_EQ(errors(Precision::mixed).worst, 0);
}

TEST_F(ForceErrorsTest, NeverPassWhatIsNoNumber) {
  force_[0].x = std::numeric_limits<double>::quiet_NaN();
  force_[2].z += 0.1;
  for (const Precision precision : {Precision::mixed, Precision::fp64}) {
    EXPECT_FALSE(errors(precision).rms <= 1e9);
    EXPECT_FALSE(errors(precision).worst <= 1e9);
    EXPECT_EQ(errors(precision).worst_atom, 0U);
  }
}

TEST_F(ForceErrorsTest, WithoutAnyForceEveryForceIsAnError) {
  reference_.assign(2, {});
  EXPECT_TRUE(std::isinf(errors(Precision::mixed).worst));
  force_[0].x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isinf(errors(Precision::fp64).rms));
  force_.assign(3, {});
  EXPECT_EQ(errors(Precision::mixed).worst, 0);
  reference_[0].force.x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(errors(Precision::mixed).worst <= 1e9);
}

}  // namespace
}  // namespace dropmd
