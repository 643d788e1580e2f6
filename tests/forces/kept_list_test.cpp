#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <random>
#include <string>

#include "forces/pair/brute_force.h"
#include "forces/pair/pair_forces.h"
#include "tests/support/agreement.h"
#include "tests/support/pair_models.h"
#include "tests/support/random_droplets.h"

/// A list that lives over several calls. traversals_test.cpp tests single calls.
namespace dropmd {
namespace {

constexpr double kSkin = 0.4;

Answer brute_force(const PairModel& model, const ChargedAtoms& atoms) {
  return evaluate(*make_brute_force(Cpu{1}, model, atoms.view()), atoms);
}

PairModel model_with_charges() { return simple_model(lj_treatments()[3], coulomb_choices(kLjCutoff)[3]); }

/// Makes traversals that keep something for the next calls: a list of clusters, or the order of sorted cells.
struct ListMaker {
  std::string name;
  Precision precision;
  std::unique_ptr<PairForces> (*make)(Cpu, Precision, const PairModel&, PairAtoms, double skin);
};

void PrintTo(const ListMaker& maker, std::ostream* out) { *out << maker.name; }

std::vector<ListMaker> list_makers() {
  return {{"pair_list_fp64", Precision::fp64, make_pair_list},
          {"pair_list_mixed", Precision::mixed, make_pair_list},
          {"sorted_cells_fp64", Precision::fp64, make_sorted_cells},
          {"sorted_cells_mixed", Precision::mixed, make_sorted_cells}};
}

class KeptList : public ::testing::TestWithParam<ListMaker> {
 protected:
  static std::unique_ptr<PairForces> make(const PairModel& model, const ChargedAtoms& atoms, int threads = 1,
                                          double skin = kSkin) {
    return GetParam().make(Cpu{threads}, GetParam().precision, model, atoms.view(), skin);
  }

  static void expect_agreement(const Answer& answer, const PairModel& model, const ChargedAtoms& atoms) {
    const Answer exact = brute_force(model, atoms);
    const PairScales scales = pair_scales(model, atoms.view(), atoms.position);
    const Bounds bounds = bounds_of(GetParam().precision);
    const ForceError error = force_error(answer.force, exact.force);
    EXPECT_LE(error.rms, bounds.rms_force);
    EXPECT_LE(error.worst, bounds.worst_force);
    EXPECT_NEAR(answer.sums.vdw, exact.sums.vdw, bounds.energy * scales.vdw);
    EXPECT_NEAR(answer.sums.coulomb, exact.sums.coulomb, bounds.energy * scales.coulomb);
    const std::uint64_t undecided = GetParam().precision == Precision::mixed ? scales.near_cutoff : 0;
    EXPECT_LE(std::max(answer.sums.pairs_within_cutoff, exact.sums.pairs_within_cutoff) -
                  std::min(answer.sums.pairs_within_cutoff, exact.sums.pairs_within_cutoff),
              undecided);
  }
};

/// A droplet that expands, the outer atoms faster, while its atoms shake. Some cross half a skin in three steps, others
/// in none. No two atoms come much nearer to each other than they were.
class Evaporation {
 public:
  explicit Evaporation(std::size_t n) : start_(with_species(random_droplet(Regime::liquid, n, 1), 1)), atoms_(start_) {
    std::mt19937 random(2);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < n; ++i)
      shake_.push_back(0.02 * Vec3<double>{normal(random), normal(random), normal(random)});
    for (const Vec3<double>& x : start_.position) radius2_ = std::max(radius2_, dot(x, x));
  }

  const ChargedAtoms& atoms() const { return atoms_; }
  void step() {
    ++step_;
    for (std::size_t i = 0; i < shake_.size(); ++i) {
      const Vec3<double>& x = start_.position[i];
      const double growth = 1 + 0.004 * step_ * (1 + dot(x, x) / radius2_);
      atoms_.position[i] = growth * x + std::sin(0.7 * step_ + static_cast<double>(i)) * shake_[i];
    }
  }

 private:
  ChargedAtoms start_, atoms_;
  std::vector<Vec3<double>> shake_;
  double radius2_ = 0;
  int step_ = 0;
};

TEST_P(KeptList, LosesNoPairOfADropletThatEvaporates) {
  const PairModel model = model_with_charges();
  Evaporation droplet(600);
  const auto forces = make(model, droplet.atoms());
  for (int step = 0; step < 60; ++step) {
    SCOPED_TRACE(step);
    expect_agreement(evaluate(*forces, droplet.atoms()), model, droplet.atoms());
    if (HasFailure()) return;
    droplet.step();
  }
}

TEST_P(KeptList, GivesTheSameBytesForTheSameSequenceOfCallsWhateverTheThreads) {
  const PairModel model = model_with_charges();
  const auto last_of_run = [&](int threads) {
    Evaporation droplet(1500);
    const auto forces = make(model, droplet.atoms(), threads);
    for (int step = 0; step < 25; ++step) {
      evaluate(*forces, droplet.atoms());
      droplet.step();
    }
    return evaluate(*forces, droplet.atoms());
  };
  const Answer one = last_of_run(1);
  for (const int threads : {1, 2, 3, 8}) EXPECT_EQ(last_of_run(threads), one) << threads;
}

/// Observing a run must not change it.
TEST_P(KeptList, GivesTheSameForcesWhetherEnergiesWereWantedBeforeOrNot) {
  const PairModel model = model_with_charges();
  Evaporation droplet(500);
  const auto always = make(model, droplet.atoms()), seldom = make(model, droplet.atoms());
  std::vector<Vec3<double>> with(500), without(500);
  for (int step = 0; step < 10; ++step) {
    always->evaluate(droplet.atoms().position, with, Want::forces_and_energies);
    seldom->evaluate(droplet.atoms().position, without, Want::forces);
    EXPECT_EQ(with, without) << step;
    droplet.step();
  }
}

TEST_P(KeptList, IsRebuiltAfterForget) {
  const PairModel model = model_with_charges();
  ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 800, 3), 1);
  const auto forces = make(model, atoms);
  const std::uint64_t candidate_pairs = evaluate(*forces, atoms).sums.candidate_pairs;
  for (Vec3<double>& x : atoms.position) x *= 1.02;  // by 0.18 at most, which is less than half the skin
  EXPECT_TRUE(forces->keeps_list());
  EXPECT_EQ(evaluate(*forces, atoms).sums.candidate_pairs, candidate_pairs) << "built although no atom has moved far";
  forces->discard_list();
  const Answer rebuilt = evaluate(*forces, atoms);
  EXPECT_LT(rebuilt.sums.candidate_pairs, candidate_pairs);
  EXPECT_EQ(rebuilt, evaluate(*make(model, atoms), atoms));
}

/// Two rows of atoms along the x axis, with a distance of `gap` between their nearest ends. Each row has several
/// clusters, so that no list holds the pair of the two ends unless they are within its cutoff.
ChargedAtoms two_rows(double gap) {
  constexpr int kRow = 48;
  ChargedAtoms atoms;
  for (int i = 0; i < kRow; ++i) atoms.add({0.5 * gap + 1.2 * i, 0, 0});
  for (int i = 0; i < kRow; ++i) atoms.add({-0.5 * gap - 1.2 * i, 0, 0});
  return atoms;
}

/// The ends of two rows, which are not listed at first, approach until they interact, by a little more than half a skin
/// each.
class ApproachingEnds : public KeptList {
 protected:
  void expect_found(int steps) {
    const PairModel model = lj_model("cut");
    ChargedAtoms atoms = two_rows(kLjCutoff + 1.01 * kSkin);
    const auto forces = make(model, atoms);
    const std::uint64_t apart = evaluate(*forces, atoms).sums.pairs_within_cutoff;
    const double step = 0.51 * kSkin / steps;
    for (int k = 0; k < steps; ++k) {
      atoms.position[0].x -= step;
      atoms.position[48].x += step;
      const std::uint64_t exact = brute_force(model, atoms).sums.pairs_within_cutoff;
      EXPECT_EQ(evaluate(*forces, atoms).sums.pairs_within_cutoff, exact) << k;
    }
    EXPECT_LT(evaluate(*forces, atoms).sums.pairs_within_cutoff, apart + 2);  // they left their rows behind
    EXPECT_LT(norm(atoms.position[0] - atoms.position[48]), kLjCutoff);
  }
};

TEST_P(ApproachingEnds, AreFoundAfterOneStep) { expect_found(1); }
TEST_P(ApproachingEnds, AreFoundAfterManySmallSteps) { expect_found(100); }

TEST_P(KeptList, WithoutSkinFollowsEveryMove) {
  const PairModel model = model_with_charges();
  Evaporation droplet(300);
  const auto forces = make(model, droplet.atoms(), 1, 0.0);
  for (int step = 0; step < 5; ++step) {
    EXPECT_EQ(evaluate(*forces, droplet.atoms()), evaluate(*make(model, droplet.atoms(), 1, 0.0), droplet.atoms()));
    droplet.step();
  }
}

TEST_P(KeptList, HoldsADropletOfFiveThousand) {
  const PairModel model = model_with_charges();
  const ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 5000, 7), 1);
  expect_agreement(evaluate(*make(model, atoms), atoms), model, atoms);
}

/// Cells hold thousands of atoms, and their pairs are several work items. Any number of threads gives identical
/// results.
TEST_P(KeptList, HoldsACrowdWithinTheCutoff) {
  const PairModel model = lj_model("cut", 12.0);
  const ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 5000, 8), 1);
  const Answer answer = evaluate(*make(model, atoms, 1, 8.0), atoms);
  expect_agreement(answer, model, atoms);
  EXPECT_EQ(evaluate(*make(model, atoms, 3, 8.0), atoms), answer);
}

/// A pair at the cutoff is excluded: 1.25, 2.5 and their squares are exact in either precision.
TEST_P(KeptList, LeavesOutPairsExactlyAtTheCutoff) {
  const ChargedAtoms atoms = with_species(lattice_atoms(729, 8), 1);
  for (const Vec3<double>& by : {Vec3<double>{0, 0, 0}, {-1e7, 3, 1e7}}) {
    const ChargedAtoms there = moved(atoms, by);
    const Answer answer = evaluate(*make(lj_model("cut"), there), there);
    EXPECT_EQ(answer.sums.pairs_within_cutoff, brute_force(lj_model("cut"), there).sums.pairs_within_cutoff);
  }
}

/// The run's own checks then name the atom.
TEST_P(KeptList, EndsWhereACoordinateIsNoNumber) {
  const PairModel model = model_with_charges();
  ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 300, 9), 1);
  const auto forces = make(model, atoms);
  evaluate(*forces, atoms);
  atoms.position[5].x = std::numeric_limits<double>::quiet_NaN();
  atoms.position[6].y = std::numeric_limits<double>::infinity();
  EXPECT_EQ(evaluate(*forces, atoms).force.size(), 300U);
  atoms.position[5].x = atoms.position[6].y = 40.0;
  expect_agreement(evaluate(*forces, atoms), model, atoms);
}

TEST_P(KeptList, NeedsACutoff) {
  const ChargedAtoms atoms = random_droplet(Regime::liquid, 10, 1);
  EXPECT_THROW(make(lj_model("none"), atoms), InputError);
  EXPECT_THROW(make(simple_model(lj_treatments()[1], FormChoice{"exact"}), atoms), InputError);
}

TEST_P(KeptList, NoListNoPositions) {
  const PairModel model = model_with_charges();
  const ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 300, 4), 1);
  const auto forces = make(model, atoms);
  EXPECT_TRUE(forces->list_positions().empty()) << "before the first call";
  evaluate(*forces, atoms);
  EXPECT_EQ(std::vector<Vec3<double>>(forces->list_positions().begin(), forces->list_positions().end()),
            atoms.position);
  forces->discard_list();
  EXPECT_TRUE(forces->list_positions().empty());
  const auto all_pairs = make_all_pairs(Cpu{1}, GetParam().precision, model, atoms.view());
  evaluate(*all_pairs, atoms);
  EXPECT_TRUE(all_pairs->list_positions().empty()) << "keeps none";
}

/// A resumed run relies on this. The list is valid at some stops and has just gone stale at others.
TEST_P(KeptList, ResumesAsItWouldHaveFromThePositionsOfItsList) {
  const PairModel model = model_with_charges();
  constexpr int kSteps = 14, kLater = 6;
  int held = 0, stale = 0, unlike_new_ones = 0;
  for (int stop = 1; stop < kSteps; ++stop) {
    SCOPED_TRACE(stop);
    Evaporation droplet(600);
    const auto kept = make(model, droplet.atoms());
    for (int step = 0; step < stop; ++step) {
      if (step > 0) droplet.step();
      evaluate(*kept, droplet.atoms());
    }
    const std::vector<Vec3<double>> at(kept->list_positions().begin(), kept->list_positions().end());
    ++(at == droplet.atoms().position ? stale : held);
    const auto resumed = make(model, droplet.atoms(), 3), fresh = make(model, droplet.atoms());
    resumed->build_list(at);
    EXPECT_EQ(std::vector<Vec3<double>>(resumed->list_positions().begin(), resumed->list_positions().end()), at);
    for (int step = 0; step < kLater; ++step) {
      droplet.step();
      const Answer answer = evaluate(*kept, droplet.atoms());
      ASSERT_EQ(evaluate(*resumed, droplet.atoms()), answer) << step;
      if (!(evaluate(*fresh, droplet.atoms()) == answer)) ++unlike_new_ones;
    }
    EXPECT_FALSE(std::equal(at.begin(), at.end(), kept->list_positions().begin())) << "went stale among these steps";
  }
  EXPECT_GT(held, 0);
  EXPECT_GT(stale, 0) << "some stop at the step whose list was just made";
  EXPECT_GT(unlike_new_ones, 0) << "where it was built shows in the last digits, or this shows nothing";
}

/// The new list replaces an existing one.
TEST_P(KeptList, BuildsForOtherPositionsWhateverItHad) {
  const PairModel model = model_with_charges();
  Evaporation droplet(400);
  const auto used = make(model, droplet.atoms()), unused = make(model, droplet.atoms()),
             kept = make(model, droplet.atoms());
  const std::vector<Vec3<double>> at = droplet.atoms().position;
  evaluate(*kept, droplet.atoms());
  for (int step = 0; step < 20; ++step) {
    evaluate(*used, droplet.atoms());
    droplet.step();
  }
  used->build_list(at);
  unused->build_list(at);
  Evaporation again(400);
  again.step();
  const Answer answer = evaluate(*kept, again.atoms());
  EXPECT_FALSE(evaluate(*make(model, again.atoms()), again.atoms()) == answer) << "a list made here is another";
  EXPECT_EQ(evaluate(*used, again.atoms()), answer);
  EXPECT_EQ(evaluate(*unused, again.atoms()), answer);
}

INSTANTIATE_TEST_SUITE_P(All, KeptList, ::testing::ValuesIn(list_makers()),
                         [](const auto& instance) { return instance.param.name; });
INSTANTIATE_TEST_SUITE_P(All, ApproachingEnds, ::testing::ValuesIn(list_makers()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace dropmd
