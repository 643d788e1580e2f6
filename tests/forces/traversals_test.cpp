#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support/agreement.h"
#include "tests/support/pair_models.h"
#include "tests/support/random_droplets.h"
#include "tests/support/traversals.h"

/// Every traversal on every processor in every precision, compared with brute force in fp64.
namespace dropmd {
namespace {

/// Sizes around the widths of packs, tiles and blocks.
constexpr std::size_t kSizes[] = {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000};

bool same_bytes(const std::vector<Vec3<double>>& a, const std::vector<Vec3<double>>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

/// Compares ΣF with Σ|F|. In double precision each pair is computed twice from one r², so that only the rounding of
/// sums is left. In mixed precision a pair's vector is exact, but products with the charges round differently on the
/// two sides, and distant pairs see different origins, so that the force bound itself applies.
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
    dropmd::expect_agreement(answer, exact, scales, atoms, traversal.precision);
    expect_newtons_third_law(answer.force, exact.force, traversal.precision);

    EXPECT_TRUE(same_bytes(answer.force, again.force)) << "a second call gives other forces";
    EXPECT_EQ(std::memcmp(&answer.sums, &again.sums, sizeof again.sums), 0) << "a second call gives other sums";
    const ForceError without = force_error(only_forces.force, exact.force, contact_force(atoms));
    EXPECT_LE(without.rms, bounds.rms_force) << "forces without energies";
    EXPECT_LE(without.worst, bounds.worst_force) << "forces without energies";
    EXPECT_EQ(only_forces.sums.vdw, 0);
    EXPECT_EQ(only_forces.sums.coulomb, 0);
    EXPECT_EQ(only_forces.sums.candidate_pairs, answer.sums.candidate_pairs);
  }

  /// Checks atoms whose positions are that far apart.
  void expect_agreement_at(double distance, const ChargedAtoms& atoms, const PairModel& model) {
    if (distance <= GetParam().exact_up_to) return expect_agreement(atoms, model);
    if (!GetParam().suits(model)) return;
    const Answer answer = evaluate(*GetParam()(kCpu, model, atoms.view()), atoms, Want::forces_and_energies);
    for (std::size_t i = 0; i < atoms.size(); ++i) EXPECT_TRUE(is_finite(answer.force[i])) << i;
    EXPECT_TRUE(std::isfinite(answer.sums.vdw));
    EXPECT_TRUE(std::isfinite(answer.sums.coulomb));
  }

 private:
  static constexpr Cpu kCpu{1};  // more threads: determinism_test.cpp
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

TEST_P(Traversals, BornMayerWithEveryCoulombForm) {
  for (const std::size_t n_species : {1U, 3U})
    for (const NamedModel& named : all_born_mayer_models(n_species)) {
      SCOPED_TRACE(named.name);
      expect_agreement(with_species(random_droplet(Regime::liquid, 300, 2), n_species), named.model);
      if (HasFatalFailure()) return;
    }
}

/// As the hydrogens of many water models; a traversal may leave the term out for them.
TEST_P(Traversals, SpeciesWithoutVanDerWaalsTerm) {
  for (const std::vector<std::size_t>& without : {std::vector<std::size_t>{1}, {0, 2}, {0, 1, 2}})
    for (NamedModel& named : all_models(3)) {
      SCOPED_TRACE(named.name + ", " + std::to_string(without.size()) + " of them without");
      for (const std::size_t a : without)
        for (std::size_t b = 0; b < 3; ++b)
          named.model.lj_parameters[3 * a + b].epsilon = named.model.lj_parameters[3 * b + a].epsilon = 0;
      expect_agreement(with_species(random_droplet(Regime::liquid, 300, 7), 3), named.model);
      if (HasFatalFailure()) return;
    }
}

/// As water of four sites, whose atoms have a van der Waals term or a charge, beside ions, which have both, or atoms
/// that have neither. A traversal may leave out pairs that do not interact.
TEST_P(Traversals, SpeciesWithoutChargeOrWithoutVanDerWaalsTerm) {
  for (const bool neither : {false, true}) {
    PairModel model = simple_model(lj_treatments(3.0)[3], coulomb_choices(3.0)[3]);
    model.n_species = 3;
    model.lj_parameters = lj_table(3);
    for (std::size_t b = 0; b < 3; ++b)
      for (const std::size_t a : neither ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{1})
        model.lj_parameters[3 * a + b].epsilon = model.lj_parameters[3 * b + a].epsilon = 0;
    for (const std::size_t n : {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000, 3001}) {
      SCOPED_TRACE((neither ? "neither, n = " : "both, n = ") + std::to_string(n));
      ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, n, 21), 3);
      for (std::size_t i = 0; i < n; ++i)
        if (atoms.species[i] == 0 || (neither && atoms.species[i] == 2)) atoms.charge[i] = 0;
      expect_agreement(atoms, model);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Traversals, CutoffLargerThanTheDropletAndSmallerThanAnyDistance) {
  const ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 200, 3), 1);
  expect_agreement(atoms, lj_model("cut", 1e4));
  expect_agreement(atoms, lj_model("cut", 0.5));
}

/// Squared distances are beyond the range of fp32.
TEST_P(Traversals, AnAtomHoweverFarDoesNotDisturbTheOthers) {
  for (const double distance : {1e2, 1e4, 1e20, 1e150})
    for (const NamedModel& named : representative_models()) {
      SCOPED_TRACE(named.name + ", 10^" + std::to_string(std::log10(distance)));
      ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 100, 5), named.model.n_species);
      atoms.position[42] = {distance, -distance, 1.0};
      expect_agreement(atoms, named.model);
    }
}

/// Two lost atoms, first and last in any spatial order, share packs and tiles with few others.
TEST_P(Traversals, LostAtomsDoNotTakeTheirTilesAlong) {
  const PairModel model = GetParam().model_of(lj_treatments()[3], coulomb_choices()[3]);
  for (const std::size_t n : {3U, 65U, 66U, 67U, 130U, 194U, 258U}) {
    SCOPED_TRACE(n);
    ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, n, 9), 1);
    atoms.position[n / 2] = {1e12, 1e12, 1e12};
    expect_agreement(atoms, model);
    atoms.position[n / 3] = {-1e12, -1e12, -1e12};
    expect_agreement(atoms, model);
  }
}

/// Atoms in contact, beyond what fp32 and the indices of cells can represent, where fp64 positions have a resolution of
/// 1e-9 to 1e-3 length units. Brute force takes differences of the same positions, so that the bounds hold for these
/// atoms, too.
constexpr double kFarDistances[] = {1e7, 3e7, 1e9, 4e9, 7e9, 1e12, 5e12};

TEST_P(Traversals, AtomsInContactHoweverFarAreAsAnyOthers) {
  for (const NamedModel& named : representative_models())
    for (const double distance : kFarDistances) {
      SCOPED_TRACE(named.name + ", 10^" + std::to_string(std::log10(distance)));
      ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 120, 6), named.model.n_species);
      for (std::size_t i = 0; i < 40; ++i) atoms.position[i] += Vec3<double>{distance, 0, -0.3 * distance};
      expect_agreement_at(distance, atoms, named.model);
    }
}

/// Most of the atoms are far away.
TEST_P(Traversals, AtomsInContactFarFromMostOthersAreAsAnyOthers) {
  const PairModel model = GetParam().model_of(lj_treatments()[3], coulomb_choices()[3]);
  for (const double distance : kFarDistances) {
    SCOPED_TRACE("10^" + std::to_string(std::log10(distance)));
    ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 120, 7), 1);
    for (std::size_t i = 0; i < 80; ++i) atoms.position[i] += Vec3<double>{-distance, distance, 5};
    expect_agreement_at(distance, atoms, model);
  }
}

/// Many cells beyond the range of their indices, each with some touching atoms.
TEST_P(Traversals, ManyFarPlacesAreToldApart) {
  const PairModel model = GetParam().model_of(lj_treatments()[3], coulomb_choices()[3]);
  ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 60, 8), 1);
  double distance = 1e10;
  for (int place = 0; place < 12; ++place, distance *= 3) {
    atoms.add({distance, 2, -distance}, 0.5);
    atoms.add({distance, 3.1, -distance}, -0.5);
    atoms.add({distance, 2, -1.5 * distance}, 0.5);
  }
  atoms.add({1e20, 0, 1});
  atoms.add({1e150, -1e150, 0});
  expect_agreement_at(distance, atoms, model);
}

/// Two pairs: each is far from the other, and neither has most of the atoms.
TEST_P(Traversals, TwoPairsATrillionApart) {
  constexpr double kApart = 1e12;
  for (const double cutoff : {2.4, 6.0}) {
    ChargedAtoms atoms;
    for (const double x : {0.0, kApart}) {
      atoms.add({x + 0.0123, 0.7071, 0.01}, 0.3);
      atoms.add({x + 1.0345, 0.2345, 0.02}, -0.3);
    }
    expect_agreement_at(kApart, atoms, GetParam().model_of(lj_treatments(cutoff)[1], coulomb_choices(cutoff)[2]));
  }
}

TEST_P(Traversals, OneObjectFollowsMovingAtoms) {
  const PairModel model = GetParam().model_of(lj_treatments()[3], coulomb_choices()[3]);
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
  EXPECT_THROW(make_cells(Cpu{}, Precision::fp64, lj_model("none"), atoms.view(), 0), InputError);
  EXPECT_THROW(
      make_cells(Cpu{}, Precision::mixed, simple_model(lj_treatments()[1], FormChoice{"exact"}), atoms.view(), 0),
      InputError);
}

/// Charges of 0.01 and one of 30: sums of forces must stay accurate enough for the atoms that feel the ion least.
TEST_P(Traversals, OneIonAmongNearlyNeutralAtoms) {
  ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 1000, 77), 1);
  for (double& q : atoms.charge) q = q < 0 ? -0.01 : 0.01;
  atoms.charge[500] = 30;
  expect_agreement(atoms, simple_model(lj_treatments()[3], coulomb_choices()[3]));
}

}  // namespace
}  // namespace dropmd
