#include "integrators/constraints/constraint_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/errors.h"
#include "integrators/constraints/cpu_constraints.h"
#include "tests/integrators/constraints/test_clusters.h"

namespace dropmd {
namespace {

std::vector<Constraint> bonds(std::initializer_list<Constraint> constraints) { return constraints; }

ConstraintPlan plan_of(std::vector<Constraint> constraints, const std::vector<double>& mass,
                       const PresentAtoms& present = {}, const std::vector<std::string>& names = {}) {
  Topology topology;
  topology.constraints = std::move(constraints);
  return plan_constraints(topology, mass, present, names);
}

std::string message_of(const std::vector<Constraint>& constraints, const std::vector<double>& mass,
                       const std::vector<std::string>& names = {}) {
  try {
    plan_of(constraints, mass, {}, names);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::vector<double> kWater{16, 1, 1};
const std::vector<double> kSix{12, 1, 1, 12, 1, 12};

template <class Solver>
const ConstraintGroup<Solver>& group(const ConstraintPlan& plan) {
  return std::get<ConstraintGroup<Solver>>(plan.groups);
}

TEST(ConstraintPlan, OfNothingIsEmpty) {
  const ConstraintPlan plan = plan_of({}, kSix);
  EXPECT_EQ(plan.n_constraints, 0U);
  EXPECT_EQ(plan.n_clusters(), 0U);
  EXPECT_EQ(plan.summary(), "");
  EXPECT_TRUE(plan.atoms_of(0).empty());
  EXPECT_EQ(plan_of({}, {}).n_clusters(), 0U);
}

TEST(ConstraintPlan, ClassifiesEveryKindOfCluster) {
  const std::vector<std::string> expected{"1 single bond",
                                          "1 star of two bonds",
                                          "1 star of three bonds",
                                          "1 star of four bonds",
                                          "1 triangle",
                                          "1 rigid body of four atoms",
                                          "1 other cluster of four atoms",
                                          "1 other cluster of four atoms",
                                          "1 other cluster of four atoms",
                                          "1 other cluster of four atoms",
                                          "1 rigid water of three sites"};
  const auto clusters = all_clusters();
  Topology together;
  Positions position;
  std::vector<double> mass;
  std::size_t n_bonds = 0;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    Topology topology;
    Positions x;
    std::vector<double> m;
    append(clusters[i], clusters[i].position, topology, x, m);
    const ConstraintPlan plan = plan_constraints(topology, m);
    EXPECT_EQ(plan.summary(), expected[i]) << clusters[i].name;
    EXPECT_EQ(plan.n_constraints, clusters[i].bond.size());
    ASSERT_EQ(plan.n_clusters(), 1U);
    EXPECT_EQ(plan.atoms_of(0).size(), m.size());
    append(clusters[i], clusters[i].position, together, position, mass);
    n_bonds += clusters[i].bond.size();
  }
  const ConstraintPlan plan = plan_constraints(together, mass);
  EXPECT_EQ(plan.n_constraints, n_bonds);
  EXPECT_EQ(plan.summary(),
            "1 rigid water of three sites, 1 single bond, 1 star of two bonds, 1 star of three bonds, 1 star of "
            "four bonds, 1 triangle, 1 rigid body of four atoms, 4 other clusters of four atoms");
  std::vector<std::uint32_t> atoms;
  for (std::size_t c = 0; c < plan.n_clusters(); ++c)
    atoms.insert(atoms.end(), plan.atoms_of(c).begin(), plan.atoms_of(c).end());
  std::ranges::sort(atoms);
  ASSERT_EQ(atoms.size(), mass.size());
  for (std::size_t i = 0; i < atoms.size(); ++i) EXPECT_EQ(atoms[i], i) << "every atom is in one cluster";
}

TEST(ConstraintPlan, FindsTheApexOfAWaterInAnyOrderOfAtoms) {
  for (std::uint32_t apex : {0U, 1U, 2U}) {
    const std::uint32_t h1 = apex == 0 ? 1 : 0, h2 = apex == 2 ? 1 : 2;
    std::vector<double> mass(3, 1.008);
    mass[apex] = 15.999;
    const auto plan = plan_of({{{h2, h1}, 1.6}, {{h1, apex}, 1.0}, {{apex, h2}, 1.0}}, mass);
    ASSERT_EQ(plan.summary(), "1 rigid water of three sites");
    EXPECT_EQ(group<Settle>(plan).atoms[0], (std::array<std::uint32_t, 3>{apex, h1, h2}));
    EXPECT_EQ(group<Settle>(plan).solver[0], Settle::make(15.999, 1.008, 1.0, 1.6));
  }
}

TEST(ConstraintPlan, OnlyTrianglesWithEqualLegsAndEqualMassesAreWaters) {
  const auto triangle = bonds({{{0, 1}, 1.0}, {{0, 2}, 1.0}, {{1, 2}, 1.6}});
  EXPECT_EQ(plan_of(triangle, {16, 1, 1}).summary(), "1 rigid water of three sites");
  EXPECT_EQ(plan_of(triangle, {16, 1, 2}).summary(), "1 triangle");
  EXPECT_EQ(plan_of({{{0, 1}, 1.0}, {{0, 2}, 1.1}, {{1, 2}, 1.6}}, {16, 1, 1}).summary(), "1 triangle");
  EXPECT_EQ(plan_of({{{0, 1}, 1.0}, {{0, 2}, 1.0}, {{1, 2}, 1.0}}, {1, 1, 1}).summary(),
            "1 rigid water of three sites");
}

TEST(ConstraintPlan, ClustersThatAreAlikeShareASolver) {
  std::vector<Constraint> constraints;
  std::vector<double> mass;
  for (std::uint32_t w = 300; w-- > 0;) {
    const double leg = w % 3 == 0 ? 0.9572 : 1.0;
    constraints.insert(constraints.end(),
                       {{{3 * w, 3 * w + 1}, leg}, {{3 * w, 3 * w + 2}, leg}, {{3 * w + 1, 3 * w + 2}, 1.6}});
    mass.insert(mass.end(), {15.999, 1.008, 1.008});
  }
  const ConstraintPlan plan = plan_of(constraints, mass);
  EXPECT_EQ(plan.summary(), "300 rigid waters of three sites");
  EXPECT_EQ(plan.n_constraints, 900U);
  const auto& waters = group<Settle>(plan);
  ASSERT_EQ(waters.solver.size(), 2U);
  for (std::uint32_t w = 0; w < 300; ++w) {
    EXPECT_EQ(waters.atoms[w][0], 3 * w);
    EXPECT_EQ(waters.solver[waters.type[w]].triangle.length[0], w % 3 == 0 ? 0.9572 : 1.0);
  }
}

TEST(ConstraintPlan, EqualDuplicatesCountOnce) {
  const auto plan = plan_of({{{0, 1}, 1.0}, {{1, 0}, 1.0}, {{0, 1}, 1.0 + 1e-15}}, {16, 1});
  EXPECT_EQ(plan.n_constraints, 1U);
  EXPECT_EQ(plan.summary(), "1 single bond");
}

TEST(ConstraintPlan, MoleculesThatLeftAreLeftOutAndOthersHaveTheirIndices) {
  constexpr std::uint32_t kGone = PresentAtoms::kAbsent;
  const std::vector<double> mass{16, 1, 1, 16, 1, 1, 12, 1};
  auto constraints = bonds({{{0, 1}, 1.0}, {{0, 2}, 1.0}, {{1, 2}, 1.6}, {{3, 4}, 1.0}, {{3, 5}, 1.0}, {{4, 5}, 1.6}});
  constraints.push_back({{6, 7}, 1.1});
  const std::vector<std::uint32_t> index{kGone, kGone, kGone, 4, 2, 3, 0, 1};
  const ConstraintPlan plan = plan_of(constraints, mass, PresentAtoms(index));
  EXPECT_EQ(plan.n_constraints, 4U);
  EXPECT_EQ(plan.summary(), "1 rigid water of three sites, 1 single bond");
  EXPECT_EQ(group<Settle>(plan).atoms[0], (std::array<std::uint32_t, 3>{4, 2, 3}));
  EXPECT_EQ(plan.atoms_of(1)[0], 0U);
  EXPECT_EQ(plan.atoms_of(1)[1], 1U);
  EXPECT_TRUE(plan.atoms_of(2).empty());
  const std::vector<std::uint32_t> torn{kGone, 5, 6, 4, 2, 3, 0, 1};
  EXPECT_THROW(plan_of(constraints, mass, PresentAtoms(torn)), std::logic_error);
}

/// Every third molecule leaves, in turn.
TEST(ConstraintPlan, ThePresentPartIsThePlanOfThePresentAtoms) {
  Topology topology;
  Positions position;
  std::vector<double> mass;
  std::vector<std::size_t> molecule;
  std::size_t n_molecules = 0;
  for (int times = 0; times < 3; ++times)
    for (const TestCluster& cluster : all_clusters()) {
      append(cluster, cluster.position, topology, position, mass);
      molecule.resize(mass.size(), n_molecules++);
    }
  const ConstraintPlan all = plan_constraints(topology, mass);
  for (std::size_t turn = 0; turn <= 3; ++turn) {  // the last time, none leaves
    std::vector<std::uint32_t> index(mass.size(), PresentAtoms::kAbsent);
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < index.size(); ++i)
      if (molecule[i] % 3 != turn) index[i] = n++;
    const PresentAtoms present(index);
    const ConstraintPlan expected = plan_constraints(topology, mass, present), part = present_part(all, present);
    EXPECT_EQ(part.n_constraints, expected.n_constraints);
    EXPECT_EQ(count_constraints(all, present, {}), expected.n_constraints);
    EXPECT_EQ(count_constraints(all, present, std::vector<char>(n, 0)), 0U);
    ASSERT_EQ(part.n_clusters(), expected.n_clusters());
    for (std::size_t c = 0; c < part.n_clusters(); ++c)
      EXPECT_TRUE(std::ranges::equal(part.atoms_of(c), expected.atoms_of(c))) << c;
    const auto expect_same_solvers = [&]<class Solver>(const ConstraintGroup<Solver>& one) {
      const auto& other = group<Solver>(part);
      for (std::size_t k = 0; k < one.atoms.size(); ++k)
        EXPECT_EQ(other.solver[other.type[k]], one.solver[one.type[k]]);
    };
    std::apply([&](const auto&... one) { (expect_same_solvers(one), ...); }, expected.groups);
  }
}

TEST(ConstraintPlan, ConstraintsOfUnknownAtomsAreAMistakeOfTheProgram) {
  EXPECT_THROW(plan_of({{{0, 3}, 1.0}}, kWater), std::logic_error);
}

TEST(ConstraintPlan, RefusesConstraintsThatAreWrongByThemselves) {
  EXPECT_EQ(message_of({{{1, 1}, 1.0}}, kWater), "a constraint joins atom 2 to itself (name two different atoms)");
  EXPECT_EQ(message_of({{{1, 2}, 0.0}}, kWater),
            "the length 0 of the constraint 2-3 is not positive (it must be greater than 0)");
  EXPECT_EQ(message_of({{{1, 2}, -1.5}}, kWater, {"OW", "HW1", "HW2"}),
            "the length -1.5 of the constraint 2 (HW1)-3 (HW2) is not positive (it must be greater than 0)");
  EXPECT_EQ(message_of({{{1, 2}, std::nan("")}}, kWater),
            "the length nan of the constraint 2-3 is not positive (it must be greater than 0)");
  EXPECT_EQ(message_of({{{1, 2}, INFINITY}}, kWater),
            "the length inf of the constraint 2-3 is not positive (it must be greater than 0)");
  EXPECT_EQ(message_of({{{0, 2}, 1.0}}, {16, 1, 0}, {"OW", "HW1", "MW"}),
            "atom 3 (MW) of the constraint 1 (OW)-3 (MW) has no mass (constraints must join atoms with mass)");
  EXPECT_EQ(message_of({{{0, 1}, 1.0}, {{1, 0}, 1.25}}, kWater),
            "the constraint 1-2 has the lengths 1 and 1.25 (give it once)");
}

TEST(ConstraintPlan, RefusesDistancesThatContradictEachOther) {
  EXPECT_EQ(
      message_of({{{0, 1}, 1.0}, {{0, 2}, 1.0}, {{1, 2}, 2.5}}, kWater),
      "no triangle has the lengths 1, 1, 2.5 of the constraints 1-2, 1-3 and 2-3 (the lengths must be consistent)");
  EXPECT_EQ(message_of({{{0, 1}, 1.16}, {{0, 2}, 1.16}, {{1, 2}, 2.32}}, kWater, {"C", "O1", "O2"}),
            "the lengths 1.16, 1.16, 2.32 of the constraints 1 (C)-2 (O1), 1 (C)-3 (O2) and 2 (O1)-3 (O2) make a flat "
            "triangle (leave out constraints that follow from others, or use virtual sites)");
  const double diagonal = std::sqrt(2.0);
  const auto square =
      bonds({{{0, 1}, 1}, {{1, 2}, 1}, {{2, 3}, 1}, {{0, 3}, 1}, {{0, 2}, diagonal}, {{1, 3}, diagonal}});
  EXPECT_EQ(message_of(square, kSix),
            "the lengths 1, 1.41421, 1, 1, 1.41421, 1 of the constraints 1-2, 1-3, 1-4, 2-3, 2-4 and 3-4 make a flat "
            "tetrahedron (leave out constraints that follow from others, or use virtual sites)");
  auto impossible = square;
  impossible[5].length = 1.6;
  EXPECT_EQ(message_of(impossible, kSix),
            "no tetrahedron has the lengths 1, 1.41421, 1, 1, 1.6, 1 of the constraints 1-2, 1-3, 1-4, 2-3, 2-4 and "
            "3-4 (the lengths must be consistent)");
  EXPECT_EQ(message_of({{{0, 1}, 1}, {{1, 2}, 1}, {{1, 3}, 1}, {{2, 3}, 3}}, kSix),
            "no triangle has the lengths 1, 1, 3 of the constraints 2-3, 2-4 and 3-4 (the lengths must be consistent)");
}

TEST(ConstraintPlan, RefusesClustersThatNoSolverSolvesAndNamesTheirBonds) {
  const std::string remedy =
      "(constrained atoms may form stars of up to 4 bonds to one atom, or clusters of up to 4 atoms: constrain bonds "
      "to hydrogen only)";
  EXPECT_EQ(message_of({{{4, 3}, 1}, {{0, 1}, 1}, {{2, 1}, 1}, {{2, 3}, 1}}, kSix),
            "the constraints 1-2, 2-3, 3-4 and 4-5 join 5 atoms " + remedy);
  EXPECT_EQ(message_of({{{0, 1}, 1}, {{0, 2}, 1}, {{0, 3}, 1}, {{0, 4}, 1}, {{0, 5}, 1}}, kSix),
            "the constraints 1-2, 1-3, 1-4, 1-5 and 1-6 join 6 atoms " + remedy);
  EXPECT_EQ(
      message_of({{{0, 1}, 1}, {{1, 2}, 1}, {{2, 3}, 1}, {{3, 4}, 1}, {{4, 0}, 1}}, kSix,
                 {"C1", "C2", "C3", "C4", "C5", "C6"}),
      "the constraints 1 (C1)-2 (C2), 1 (C1)-5 (C5), 2 (C2)-3 (C3), 3 (C3)-4 (C4) and 4 (C4)-5 (C5) join 5 atoms " +
          remedy);
  std::vector<Constraint> chain;
  for (std::uint32_t i = 0; i < 11; ++i) chain.push_back({{i, i + 1}, 1.5});
  EXPECT_EQ(message_of(chain, std::vector<double>(12, 14.0)),
            "the constraints 1-2, 2-3, 3-4, 4-5, 5-6, 6-7, 7-8, 8-9 and 3 more join 12 atoms " + remedy);
}

TEST(ConstraintPlan, FailuresAreDescribedByIds) {
  const auto plan = plan_of({{{0, 1}, 1.0}, {{0, 2}, 1.0}, {{1, 2}, 1.6}, {{3, 4}, 1.1}}, {16, 1, 1, 12, 1});
  Particles particles;
  particles.position.resize(5);
  EXPECT_EQ(constraint_failure(plan, 0, particles), "the constraints of the atoms 1, 2 and 3 cannot be satisfied");
  particles.id = {11, 12, 13, 24, 25};
  EXPECT_EQ(constraint_failure(plan, 1, particles), "the constraints of the atoms 24 and 25 cannot be satisfied");
}

}  // namespace
}  // namespace dropmd
