#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/particles.h"
#include "core/topology/excluded_pairs.h"
#include "tests/support/agreement.h"
#include "tests/support/pair_models.h"
#include "tests/support/random_droplets.h"
#include "tests/support/traversals.h"

/// Pairs that every traversal leaves out.
namespace dropmd {
namespace {

using Pairs = std::vector<std::array<std::uint32_t, 2>>;

Particles n_particles(std::size_t n) {
  Particles particles;
  particles.position.resize(n);
  return particles;
}

/// Atoms and what they exclude.
struct Molecules {
  ChargedAtoms atoms;
  ExcludedPairs excluded;

  Molecules(ChargedAtoms of, const Pairs& pairs)
      : atoms(std::move(of)), excluded(exclusions_of_pairs(atoms.size(), pairs), n_particles(atoms.size())) {
    atoms.excluded = &excluded;
  }
  Molecules(const Molecules&) = delete;
};

/// Moves the atoms of each molecule to within a tenth of a length of its first atom, where a pair that is not left out
/// dominates all forces, and returns all pairs within molecules.
Pairs make_molecules(ChargedAtoms& atoms, std::size_t size) {
  Pairs pairs;
  for (std::size_t first = 0; first < atoms.size(); first += size)
    for (std::size_t i = first; i < std::min(first + size, atoms.size()); ++i)
      for (std::size_t j = first; j < i; ++j) {
        const auto k = static_cast<double>(i - first);
        if (j == first)
          atoms.position[i] = atoms.position[first] + Vec3<double>{0.1 * std::sin(k), 0.1 * std::cos(k), 0.002 * k};
        pairs.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
      }
  return pairs;
}

class Exclusions : public ::testing::TestWithParam<Traversal> {
 protected:
  void SetUp() override {
    if (const std::string reason = reason_to_skip(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }

  static void expect_agreement(const Molecules& molecules, const PairModel& model) {
    const Traversal& traversal = GetParam();
    const ChargedAtoms& atoms = molecules.atoms;
    if (!traversal.suits(model)) return;
    const Answer exact = evaluate(*make_brute_force(Cpu{1}, model, atoms.view()), atoms, Want::forces_and_energies);
    const auto forces = traversal(Cpu{2}, model, atoms.view());
    const PairScales scales = pair_scales(model, atoms.view(), atoms.position);
    const Answer answer = evaluate(*forces, atoms, Want::forces_and_energies);
    dropmd::expect_agreement(answer, exact, scales, atoms, traversal.precision);
    const Answer only_forces = evaluate(*forces, atoms, Want::forces);
    EXPECT_LE(force_error(only_forces.force, exact.force, contact_force(atoms)).rms,
              bounds_of(traversal.precision).rms_force);
  }
};

/// At most 999 atoms, below kManyAtoms: all forces vanish where no atom is near another molecule.
TEST_P(Exclusions, WithinMoleculesOfEverySize) {
  for (const NamedModel& named : representative_models())
    for (const Regime regime : {Regime::liquid, Regime::sparse, Regime::outliers, Regime::off_centre})
      for (const std::size_t size : {2U, 3U, 5U, 40U})
        for (const std::size_t n : {2U, 3U, 31U, 33U, 65U, 127U, 129U, 257U, 999U}) {
          SCOPED_TRACE(named.name + ", " + name_of(regime) + ", " + std::to_string(size) + " atoms a molecule of " +
                       std::to_string(n));
          ChargedAtoms atoms = with_species(random_droplet(regime, n, 11), named.model.n_species);
          const Pairs pairs = make_molecules(atoms, size);
          expect_agreement(Molecules(std::move(atoms), pairs), named.model);
          if (HasFailure()) return;
        }
}

/// Pairs of atoms anywhere in the droplet, with indices beyond the reach of the mask; some atoms have very many.
TEST_P(Exclusions, OfAnyAtoms) {
  for (const NamedModel& named : representative_models())
    for (const std::size_t n : {40U, 300U, 1000U}) {
      SCOPED_TRACE(named.name + ", n = " + std::to_string(n));
      ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, n, 12), named.model.n_species);
      Pairs pairs;
      for (std::uint32_t i = 0; i < n; ++i) {
        pairs.push_back({i, (i * 37 + 11) % static_cast<std::uint32_t>(n)});
        pairs.push_back({i, static_cast<std::uint32_t>(n / 2)});
      }
      expect_agreement(Molecules(std::move(atoms), pairs), named.model);
      if (HasFailure()) return;
    }
}

TEST_P(Exclusions, OfAllPairsLeaveNothing) {
  for (const NamedModel& named : representative_models()) {
    if (!GetParam().suits(named.model)) continue;
    ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 70, 13), named.model.n_species);
    const Pairs pairs = make_molecules(atoms, 70);
    const Molecules molecules(std::move(atoms), pairs);
    const auto forces = GetParam()(Cpu{1}, named.model, molecules.atoms.view());
    const Answer answer = evaluate(*forces, molecules.atoms, Want::forces_and_energies);
    EXPECT_EQ(answer.sums.vdw, 0);
    EXPECT_EQ(answer.sums.coulomb, 0);
    EXPECT_EQ(answer.sums.pairs_within_cutoff, 0U);
    for (const Vec3<double>& f : answer.force) EXPECT_EQ(norm(f), 0);
  }
}

/// A list that is kept while the atoms move.
TEST_P(Exclusions, FollowMovingAtoms) {
  const PairModel model = GetParam().model_of(lj_treatments()[3], coulomb_choices()[3]);
  ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 500, 14), 1);
  const Pairs pairs = make_molecules(atoms, 3);
  Molecules molecules(std::move(atoms), pairs);
  const auto forces = GetParam()(Cpu{2}, model, molecules.atoms.view());
  for (int step = 0; step < 8; ++step) {
    SCOPED_TRACE(step);
    const Answer exact =
        evaluate(*make_brute_force(Cpu{1}, model, molecules.atoms.view()), molecules.atoms, Want::forces_and_energies);
    dropmd::expect_agreement(evaluate(*forces, molecules.atoms, Want::forces_and_energies), exact,
                             pair_scales(model, molecules.atoms.view(), molecules.atoms.position), molecules.atoms,
                             GetParam().precision);
    for (std::size_t i = 0; i < molecules.atoms.size(); ++i) {
      const std::size_t number = i / 3;
      const auto molecule = static_cast<double>(number);
      molecules.atoms.position[i] +=
          0.06 * Vec3<double>{std::sin(molecule), std::cos(molecule), std::sin(2 * molecule)};
    }
  }
}

/// Atoms of one molecule in the same place: no infinite or undefined term may reach a sum.
TEST_P(Exclusions, AtTheSamePlace) {
  for (const NamedModel& named : representative_models())
    for (const std::size_t size : {2U, 3U, 40U}) {
      SCOPED_TRACE(named.name + ", " + std::to_string(size) + " atoms a molecule");
      ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 500, 15), named.model.n_species);
      const Pairs pairs = make_molecules(atoms, size);
      for (std::size_t i = 0; i < atoms.size(); ++i) atoms.position[i] = atoms.position[i / size * size];
      expect_agreement(Molecules(std::move(atoms), pairs), named.model);
      if (HasFailure()) return;
    }
}

/// Atoms that are far apart in any order are excluded: every tile, cluster and cell has exclusions with many others.
TEST_P(Exclusions, OfAtomsFarApartInALargerDroplet) {
  constexpr std::uint32_t kAtoms = 2600;
  for (const NamedModel& named : representative_models()) {
    SCOPED_TRACE(named.name);
    ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, kAtoms, 16), named.model.n_species);
    Pairs pairs;
    for (std::uint32_t i = 0; i < kAtoms; ++i)
      for (const std::uint32_t stride : {1U, 29U, 31U, 32U, 64U, 1999U}) pairs.push_back({i, (i + stride) % kAtoms});
    expect_agreement(Molecules(std::move(atoms), pairs), named.model);
    if (HasFailure()) return;
  }
}

/// Repeated evaluations, and those by any number of threads, give the same bytes, with energies or without.
TEST_P(Exclusions, GiveTheSameBytesEveryTime) {
  const PairModel model = GetParam().model_of(lj_treatments()[3], coulomb_choices()[4]);
  if (!GetParam().suits(model)) return;
  ChargedAtoms atoms = with_species(random_droplet(Regime::liquid, 1500, 17), 1);
  const Pairs pairs = make_molecules(atoms, 5);
  const Molecules molecules(std::move(atoms), pairs);
  const auto answer = [&](int threads, Want want) {
    return evaluate(*GetParam()(Cpu{threads}, model, molecules.atoms.view()), molecules.atoms, want);
  };
  const Answer first = answer(1, Want::forces_and_energies);
  const std::size_t bytes = first.force.size() * sizeof first.force[0];
  for (const int threads : {1, 2, 5}) {
    const Answer again = answer(threads, Want::forces_and_energies), only_forces = answer(threads, Want::forces);
    EXPECT_EQ(std::memcmp(first.force.data(), again.force.data(), bytes), 0) << threads;
    EXPECT_EQ(std::memcmp(first.force.data(), only_forces.force.data(), bytes), 0) << threads;
    EXPECT_EQ(std::memcmp(&first.sums, &again.sums, sizeof first.sums), 0) << threads;
  }
}

/// Without exclusions an empty list of them changes no byte.
TEST_P(Exclusions, OfNoPairsChangeNothing) {
  const PairModel model = GetParam().model_of(lj_treatments()[3], coulomb_choices()[4]);
  if (!GetParam().suits(model)) return;
  ChargedAtoms without = with_species(random_droplet(Regime::liquid, 700, 18), 1);
  const Molecules empty(without, {});
  const Answer a = evaluate(*GetParam()(Cpu{1}, model, without.view()), without, Want::forces_and_energies);
  const Answer b = evaluate(*GetParam()(Cpu{1}, model, empty.atoms.view()), empty.atoms, Want::forces_and_energies);
  EXPECT_EQ(std::memcmp(a.force.data(), b.force.data(), a.force.size() * sizeof a.force[0]), 0);
  EXPECT_EQ(std::memcmp(&a.sums, &b.sums, sizeof a.sums), 0);
}

INSTANTIATE_TEST_SUITE_P(All, Exclusions, ::testing::ValuesIn(all_traversals()),
                         [](const auto& of) { return of.param.name; });

TEST(ExclusionsOfPairs, AreSymmetricSortedAndUnique) {
  const Pairs pairs{{3, 1}, {1, 3}, {2, 2}, {1, 0}};
  const dropmd::Exclusions exclusions = exclusions_of_pairs(5, pairs);
  EXPECT_EQ(exclusions.start, (std::vector<std::uint32_t>{0, 1, 3, 3, 4, 4}));
  EXPECT_EQ(exclusions.excluded, (std::vector<std::uint32_t>{1, 0, 3, 1}));
  EXPECT_TRUE(exclusions_of_pairs(5, {}).empty());
}

/// Molecules leave as a whole: the others have other indices then.
TEST(ExcludedPairsOfPresentAtoms, FollowTheIds) {
  const Pairs pairs{{0, 1}, {2, 3}, {2, 4}, {2, 90}};
  Particles particles = n_particles(5);
  particles.id = {3, 4, 5, 60, 91};
  const ExcludedPairs excluded(exclusions_of_pairs(100, pairs), particles);
  const ExcludedPairsView view = excluded.view();
  for (std::uint32_t i = 0; i < 5; ++i)
    for (std::uint32_t j = 0; j < 5; ++j)
      EXPECT_EQ(view(i, j), (i == 0 && (j == 1 || j == 2 || j == 4)) || (j == 0 && (i == 1 || i == 2 || i == 4)))
          << i << ' ' << j;
  particles.position.resize(2);
  particles.id = {3, 4};
  EXPECT_THROW(ExcludedPairs(exclusions_of_pairs(100, pairs), particles), std::logic_error);
}

TEST(ExcludedPairsOfPresentAtoms, BeyondTheReachOfTheMask) {
  Pairs pairs;
  for (std::uint32_t d : {1U, 30U, 31U, 32U, 33U, 64U, 95U, 200U}) {
    pairs.push_back({300, 300 + d});
    pairs.push_back({300, 300 - d});
  }
  const ExcludedPairs excluded(exclusions_of_pairs(600, pairs), n_particles(600));
  const ExcludedPairsView view = excluded.view();
  std::size_t n = 0;
  for (std::uint32_t j = 0; j < 600; ++j) {
    EXPECT_EQ(view(300, j), view(j, 300)) << j;
    n += view(300, j) ? 1 : 0;
  }
  EXPECT_EQ(n, pairs.size());
}

TEST(ExcludedPairsOfPresentAtoms, GroupsAreConnectedByExclusions) {
  const Pairs pairs{{1, 2}, {2, 4}, {5, 6}};
  EXPECT_EQ(ExcludedPairs(exclusions_of_pairs(7, pairs), n_particles(7)).groups(),
            (std::vector<std::uint32_t>{0, 1, 1, 3, 1, 5, 5}));
  EXPECT_TRUE(ExcludedPairs().groups().empty());
}

}  // namespace
}  // namespace dropmd
