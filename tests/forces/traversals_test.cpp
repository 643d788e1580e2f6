#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/support/force_error.h"
#include "tests/support/pair_models.h"
#include "tests/support/random_droplets.h"
#include "tests/support/traversals.h"

/// Every traversal on every processor in every precision against brute force in fp64.
namespace dropmd {
namespace {

/// Around the widths of packs, tiles and blocks.
constexpr std::size_t kSizes[] = {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000};

/// The bounds are relative to RMS force and Σ|u|, which mean something where many pairs are near contact. In few atoms
/// all forces may nearly vanish while the rounding of a pair's terms does not: below kManyAtoms the scales are at least
/// a tenth of the Lennard-Jones force at r = σ, 24 ε/σ, and an energy ε per atom (ε, σ and charges are about 1 here).
constexpr std::size_t kManyAtoms = 1000;
double contact_force(const ChargedAtoms& atoms) { return atoms.size() < kManyAtoms ? 2.4 : 0.0; }
double contact_energy(const ChargedAtoms& atoms) {
  return atoms.size() < kManyAtoms ? static_cast<double>(atoms.size()) : 0.0;
}

struct Answer {
  std::vector<Vec3<double>> force;
  PairSums sums;
};

/// The output is poisoned first: a place that is not written shows.
Answer evaluate(PairForces& forces, const ChargedAtoms& atoms, Want want) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Answer answer{std::vector<Vec3<double>>(atoms.size(), {nan, nan, nan}), {}};
  answer.sums = forces.evaluate(atoms.position, answer.force, want);
  return answer;
}

bool same_bytes(const std::vector<Vec3<double>>& a, const std::vector<Vec3<double>>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

/// ΣF against Σ|F|. In double each pair is computed twice from one r², so that only the rounding of sums is left. In
/// mixed precision a pair's vector is exact, but products with the charges round differently from the two sides and
/// distant pairs see different origins: the force bound itself is what holds.
void expect_newtons_third_law(const std::vector<Vec3<double>>& force, const std::vector<Vec3<double>>& reference,
                              Precision precision) {
  Vec3<double> sum{};
  double magnitude = 0;
  for (const Vec3<double>& f : force) sum += f;
  for (const Vec3<double>& f : reference) magnitude += std::max(norm(f), 1.0);
  const double bound = precision == Precision::fp64 ? 1e-13 : bounds_of(precision).rms_force;
  EXPECT_LE(norm(sum), bound * magnitude);
}

class Traversals : public ::testing::TestWithParam<Traversal> {
 protected:
  void SetUp() override {
    if (const std::string reason = reason_to_skip(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }

  void expect_agreement(const ChargedAtoms& atoms, const PairModel& model) {
    const Traversal& traversal = GetParam();
    if (!traversal.suits(model)) return;
    const Answer exact = evaluate(*make_brute_force(kCpu, model, atoms.view()), atoms, Want::forces_and_energies);
    const auto forces = traversal(kCpu, model, atoms.view());
    const Answer answer = evaluate(*forces, atoms, Want::forces_and_energies);
    const Answer again = evaluate(*forces, atoms, Want::forces_and_energies);
    const Answer only_forces = evaluate(*forces, atoms, Want::forces);

    const Bounds bounds = bounds_of(traversal.precision);
    const PairScales scales = pair_scales(model, atoms.view(), atoms.position);
    const ForceError error = force_error(answer.force, exact.force, contact_force(atoms));
    EXPECT_LE(error.rms, bounds.rms_force);
    EXPECT_LE(error.worst, bounds.worst_force);
    EXPECT_NEAR(answer.sums.vdw, exact.sums.vdw, bounds.energy * (scales.vdw + contact_energy(atoms)));
    EXPECT_NEAR(answer.sums.coulomb, exact.sums.coulomb, bounds.energy * (scales.coulomb + contact_energy(atoms)));
    expect_pair_counts(answer.sums, exact.sums, scales.near_cutoff);
    expect_newtons_third_law(answer.force, exact.force, traversal.precision);

    EXPECT_TRUE(same_bytes(answer.force, again.force)) << "a second call gives other forces";
    EXPECT_EQ(std::memcmp(&answer.sums, &again.sums, sizeof again.sums), 0) << "a second call gives other sums";
    const ForceError without = force_error(only_forces.force, exact.force, contact_force(atoms));
    EXPECT_LE(without.rms, bounds.rms_force) << "forces without energies";
    EXPECT_LE(without.worst, bounds.worst_force) << "forces without energies";
    EXPECT_EQ(only_forces.sums.vdw, 0);
    EXPECT_EQ(only_forces.sums.coulomb, 0);
    EXPECT_EQ(only_forces.sums.pairs_examined, answer.sums.pairs_examined);
  }

 private:
  static constexpr Cpu kCpu{1};  // more threads: determinism_test.cpp

  void expect_pair_counts(const PairSums& sums, const PairSums& exact, std::uint64_t near_cutoff) {
    const std::uint64_t undecided = GetParam().precision == Precision::mixed ? near_cutoff : 0;
    EXPECT_LE(std::max(sums.pairs_within_cutoff, exact.pairs_within_cutoff) -
                  std::min(sums.pairs_within_cutoff, exact.pairs_within_cutoff),
              undecided);
    EXPECT_GE(sums.pairs_examined + undecided, sums.pairs_within_cutoff);
    EXPECT_LE(sums.pairs_examined, exact.pairs_examined);
  }
};

TEST_P(Traversals, EverySizeAndRegime) {
  for (const NamedModel& named : representative_models())
    for (const Regime regime : kAllRegimes)
      for (const std::size_t n : kSizes) {
        SCOPED_TRACE(named.name + ", " + name_of(regime) + ", n = " + std::to_string(n));
        expect_agreement(with_species(random_droplet(regime, n, 1), named.model.n_species), named.model);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Traversals, EveryPairOfForms) {
  for (const std::size_t n_species : {1U, 3U})
    for (const NamedModel& named : all_models(n_species)) {
      SCOPED_TRACE(named.name);
      expect_agreement(with_species(random_droplet(Regime::liquid, 300, 2), n_species), named.model);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Traversals, CutoffLargerThanTheDropletAndSmallerThanAnyDistance) {
  const ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 200, 3), 1);
  expect_agreement(atoms, lj_model("cut", 1e4));
  expect_agreement(atoms, lj_model("cut", 0.5));
}

/// Squared distances beyond the range of fp32.
TEST_P(Traversals, AnAtomHoweverFarDoesNotDisturbTheOthers) {
  for (const double distance : {1e2, 1e4, 1e20, 1e150})
    for (const NamedModel& named : representative_models()) {
      SCOPED_TRACE(named.name + ", 10^" + std::to_string(std::log10(distance)));
      ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 100, 5), named.model.n_species);
      atoms.position[42] = {distance, -distance, 1.0};
      expect_agreement(atoms, named.model);
    }
}

TEST_P(Traversals, OneObjectFollowsMovingAtoms) {
  const PairModel model = simple_model(lj_treatments()[3], coulomb_choices()[3]);
  ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 400, 4), 1);
  const auto forces = GetParam()(Cpu{1}, model, atoms.view());
  for (int move = 0; move < 4; ++move) {
    for (Vec3<double>& x : atoms.position) x *= 1.07;
    atoms.position[7] += {100.0, 0, 0};
    const Answer kept = evaluate(*forces, atoms, Want::forces_and_energies);
    const Answer fresh = evaluate(*GetParam()(Cpu{1}, model, atoms.view()), atoms, Want::forces_and_energies);
    EXPECT_TRUE(same_bytes(kept.force, fresh.force)) << "calls before change the result";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Traversals, ::testing::ValuesIn(all_traversals()),
                         [](const auto& instance) { return instance.param.name; });

TEST(Cells, WithoutACutoffAreAnInputError) {
  const ChargedAtoms atoms = random_droplet(Regime::liquid, 10, 1);
  EXPECT_THROW(make_cells(Cpu{}, Precision::fp64, lj_model("none"), atoms.view()), InputError);
  EXPECT_THROW(make_cells(Cpu{}, Precision::mixed, simple_model(lj_treatments()[1], FormChoice{"exact"}), atoms.view()),
               InputError);
}

/// Charges of 0.01 and one of 30: sums of forces must stay fine enough for the atoms that feel the ion least.
TEST_P(Traversals, OneIonAmongNearlyNeutralAtoms) {
  ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 1000, 77), 1);
  for (double& q : atoms.charge) q = q < 0 ? -0.01 : 0.01;
  atoms.charge[500] = 30;
  expect_agreement(atoms, simple_model(lj_treatments()[3], coulomb_choices()[3]));
}

}  // namespace
}  // namespace dropmd
