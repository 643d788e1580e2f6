#include "forces/bonded/bonded_term.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/forces/bonded/bonded_samples.h"

namespace dropmd {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Evaluation {
  std::vector<Vec3<double>> force;
  Energies energies;
};

Evaluation evaluate(const Topology& topology, const Particles& p, int threads = 1, bool first = true,
                    const Vec3<double>& before = {kNan, kNan, kNan}) {
  const BondedTerm term(std::make_shared<Topology>(topology), kSampleCoulomb);
  const std::unique_ptr<ForceTerm> on_host = term.on_host({threads}, p);
  Evaluation result{std::vector<Vec3<double>>(p.size(), before), {}};
  on_host->evaluate({p.position, 0}, Want::forces_and_energies, first, result.force, result.energies);
  return result;
}

std::vector<std::uint32_t> all_of(const Particles& p) {
  std::vector<std::uint32_t> all(p.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

void expect_equal_bytes(const Evaluation& a, const Evaluation& b) {
  ASSERT_EQ(a.force.size(), b.force.size());
  EXPECT_EQ(std::memcmp(a.force.data(), b.force.data(), sizeof(Vec3<double>) * a.force.size()), 0);
  ASSERT_EQ(a.energies.components().size(), b.energies.components().size());
  for (const auto& [name, energy] : a.energies.components()) EXPECT_EQ(b.energies.of(name), energy) << name;
}

TEST(BondedTerm, AgreesWithTheReference) {
  for (const std::size_t count : kNumbersOfTerms) {
    SCOPED_TRACE(count);
    const Particles p = sample_atoms(20 + count, 7);
    const Topology topology = sample_topology(count, p.size(), 8);
    const Evaluation result = evaluate(topology, p);
    const BondedTerm term(std::make_shared<Topology>(topology), kSampleCoulomb);
    const auto on_host = term.on_host({2}, p);
    std::vector<AtomSums> sums(p.size());
    on_host->add_reference({2}, {p.position, 0}, all_of(p), sums);
    for (std::size_t i = 0; i < p.size(); ++i)
      EXPECT_LE(norm(result.force[i] - sums[i].force), 1e-12 * (1 + std::sqrt(sums[i].terms2))) << i;
    Energies exact;
    on_host->add_reference_energies({2}, {p.position, 0}, exact);
    ASSERT_EQ(exact.components().size(), count == 0 ? 0 : 9);
    for (const auto& [name, energy] : exact.components())
      EXPECT_NEAR(result.energies.of(name), energy, 1e-12 * (std::abs(energy) + 10 * static_cast<double>(count)))
          << name;
  }
}

TEST(BondedTerm, DoesNotDependOnTheNumberOfThreads) {
  for (const std::size_t count : {1U, 300U, 10001U}) {
    const Particles p = sample_atoms(20 + count, 3);
    const Topology topology = sample_topology(count, p.size(), 4);
    const Evaluation one = evaluate(topology, p, 1);
    for (const int threads : {2, 7}) expect_equal_bytes(one, evaluate(topology, p, threads));
  }
}

TEST(BondedTerm, AddsToTheForcesBefore) {
  const Particles p = sample_atoms(50, 3);
  const Topology topology = sample_topology(40, 50, 4);
  const Evaluation alone = evaluate(topology, p), added = evaluate(topology, p, 1, false, {1, 2, 3});
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(added.force[i], (Vec3<double>{1, 2, 3} + alone.force[i]));
}

TEST(BondedTerm, ReferenceOfASampleIsThatOfAll) {
  const Particles p = sample_atoms(50, 3);
  const BondedTerm term(std::make_shared<Topology>(sample_topology(40, 50, 4)), kSampleCoulomb);
  const auto on_host = term.on_host({1}, p);
  std::vector<AtomSums> all(50), some(4);
  on_host->add_reference({1}, {p.position, 0}, all_of(p), all);
  const std::uint32_t sample[] = {49, 0, 17, 17};
  on_host->add_reference({1}, {p.position, 0}, sample, some);
  for (std::size_t s = 0; s < 4; ++s) EXPECT_EQ(some[s].force, all[sample[s]].force);
}

/// Two molecules of four atoms; the first of them leaves, and ids remain.
TEST(BondedTerm, LeavesOutTermsOfAtomsThatHaveLeft) {
  Particles p = sample_atoms(8, 3);
  Topology both, second;
  for (Topology* of : {&both, &second})
    for (const std::uint32_t first : {0U, 4U}) {
      if (of == &second && first == 0) continue;
      std::get<std::vector<HarmonicBond>>(of->terms).push_back({{first, first + 1}, 100, 1});
      std::get<std::vector<PeriodicDihedral>>(of->terms).push_back(
          {{first + 3, first + 2, first + 1, first}, 2, 0.5, 3});
      std::get<std::vector<PositionRestraint>>(of->terms).push_back({{first + 2}, {1, 2, 3}, {0, 0, 0}});
    }
  const Evaluation of_second = evaluate(second, p);
  Particles rest = sample_atoms(4, 3);
  rest.position.assign(p.position.begin() + 4, p.position.end());
  rest.id = {5, 6, 7, 8};
  const Evaluation result = evaluate(both, rest);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(result.force[i], of_second.force[i + 4]);
  for (const auto& [name, energy] : of_second.energies.components()) EXPECT_EQ(result.energies.of(name), energy);

  // Energies of terms without any atom present still have their names.
  rest.id = {11, 12, 13, 14};
  const Evaluation none = evaluate(both, rest);
  EXPECT_EQ(none.energies.components().size(), 3U);
  EXPECT_EQ(none.energies.potential(), 0);
  for (const Vec3<double>& f : none.force) EXPECT_EQ(f, Vec3<double>{});
}

/// Coincident atoms and atoms on a line: what has no direction has no force.
TEST(BondedTerm, IsFiniteWhereAnglesDoNotExist) {
  Topology topology = sample_topology(300, 30, 6);
  std::get<std::vector<BondedPair>>(topology.terms).clear();
  Particles p = sample_atoms(30, 5);
  for (std::size_t i = 0; i < 30; ++i) p.position[i] = {static_cast<double>(i / 10 == 1 ? 0 : i), 0, 0};
  const Evaluation result = evaluate(topology, p);
  const BondedTerm term(std::make_shared<Topology>(topology), kSampleCoulomb);
  std::vector<AtomSums> sums(p.size());
  term.on_host({1}, p)->add_reference({1}, {p.position, 0}, all_of(p), sums);
  for (std::size_t i = 0; i < p.size(); ++i)
    EXPECT_LE(norm(result.force[i] - sums[i].force), 1e-12 * (1 + std::sqrt(sums[i].terms2))) << i;
  EXPECT_TRUE(std::isfinite(result.energies.potential()));
}

TEST(BondedTerm, RefusesHalfAMolecule) {
  Particles p = sample_atoms(4, 3);
  p.id = {1, 3, 4, 5};
  const BondedTerm term(std::make_shared<Topology>(sample_topology(20, 5, 4)), kSampleCoulomb);
  EXPECT_THROW(term.on_host({1}, p), std::logic_error);
}

TEST(BondedTerm, NamesTheEnergiesThatItHas) {
  Topology topology = sample_topology(2, 20, 1);
  const auto names = [&] { return BondedTerm(std::make_shared<Topology>(topology), 1).energy_names(); };
  EXPECT_THAT(names(), testing::ElementsAre("bond", "angle", "urey_bradley", "dihedral", "improper", "cmap", "lj_14",
                                            "coulomb_14", "position_restraint"));
  std::get<std::vector<PeriodicDihedral>>(topology.terms).clear();
  std::get<std::vector<HarmonicBond>>(topology.terms).clear();
  EXPECT_THAT(names(), testing::ElementsAre("angle", "urey_bradley", "dihedral", "improper", "cmap", "lj_14",
                                            "coulomb_14", "position_restraint"));
  topology.terms = {};
  EXPECT_TRUE(names().empty());
}

TEST(BondedTerm, IsInvariantUnlessAtomsAreRestrained) {
  Topology topology = sample_topology(2, 20, 1);
  EXPECT_EQ(BondedTerm(std::make_shared<Topology>(topology), 1).invariance(), (Invariance{false, false}));
  std::get<std::vector<PositionRestraint>>(topology.terms).clear();
  EXPECT_EQ(BondedTerm(std::make_shared<Topology>(topology), 1).invariance(), (Invariance{true, true}));
}

TEST(BondedTerm, RefusesGridsThatAreNone) {
  Topology topology = sample_topology(5, 20, 1);
  topology.cmap_grids[0].energy.pop_back();
  EXPECT_THROW(BondedTerm(std::make_shared<Topology>(topology), 1), std::invalid_argument);
  topology.cmap_grids.clear();
  EXPECT_THROW(BondedTerm(std::make_shared<Topology>(topology), 1), std::invalid_argument);
}

}  // namespace
}  // namespace dropmd
