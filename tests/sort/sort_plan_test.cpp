#include "sort/sort_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "core/vec3.h"
#include "sort/segment_sort.h"
#include "tests/support/sort_data.h"

namespace dropmd {
namespace {

using ::testing::ElementsAre;

std::vector<int> random_permutation(int n, std::uint32_t seed) {
  std::vector<int> permutation(static_cast<std::size_t>(n));
  std::iota(permutation.begin(), permutation.end(), 0);
  std::shuffle(permutation.begin(), permutation.end(), std::mt19937(seed));
  return permutation;
}

TEST(ApplyPermutation, MovesAnyNumberOfArrays) {
  for (const int n : {0, 1, 31, 1000, 20'000}) {
    const auto size = static_cast<std::size_t>(n);
    const std::vector<int> permutation = random_permutation(n, 1);
    std::vector<float> charge(size), charge_out(size);
    std::vector<Vec3<double>> position(size), position_out(size);
    std::vector<std::array<char, 3>> name(size), name_out(size);
    for (std::size_t i = 0; i < size; ++i) {
      const auto x = static_cast<double>(i);
      charge[i] = static_cast<float>(i);
      position[i] = {x, x + 0.25, x + 0.5};
      name[i] = {static_cast<char>(i % 100), 'a', 'b'};
    }
    apply_permutation(Cpu{2}, SortPlan::permutation(permutation.data(), n),
                      Payload<float>{charge.data(), charge_out.data()},
                      Payload<Vec3<double>>{position.data(), position_out.data()},
                      Payload<std::array<char, 3>>{name.data(), name_out.data()});
    for (std::size_t k = 0; k < size; ++k) {
      const auto from = static_cast<std::size_t>(permutation[k]);
      ASSERT_EQ(charge_out[k], charge[from]);
      ASSERT_EQ(position_out[k], position[from]);
      ASSERT_EQ(name_out[k], name[from]);
    }
  }
}

TEST(ApplyPermutation, LeavesPlacesWithoutASourceAlone) {
  const std::vector<int> source{2, -1, 3, 0, std::numeric_limits<int>::min(), 1};
  const std::vector<int> in{10, 11, 12};
  std::vector<int> out(6, -7);
  apply_permutation(Cpu{1}, SortPlan{source.data(), 6, 3}, Payload<int>{in.data(), out.data()});
  EXPECT_THAT(out, ElementsAre(12, -7, -7, 10, -7, 11));
}

/// A list of each molecule's atoms.
struct Lists {
  std::vector<int> offsets;
  std::vector<int> atoms;

  Lists(const std::vector<int>& molecule_of_atom, int n_molecules)
      : offsets(static_cast<std::size_t>(n_molecules) + 1, -1), atoms(molecule_of_atom.size(), -1) {
    group_by_molecule(Cpu{1}, molecule_of_atom.data(), static_cast<int>(molecule_of_atom.size()), n_molecules,
                      {offsets.data(), atoms.data()});
  }
  MoleculesView view() const {
    return {offsets.data(), atoms.data(), static_cast<int>(offsets.size()) - 1, static_cast<int>(atoms.size())};
  }
};

TEST(GroupByMolecule, ListsAtomsInOrderOfIndex) {
  const Lists lists({2, 0, 2, -1, 0, 4, 2, 9}, 5);
  EXPECT_THAT(lists.offsets, ElementsAre(0, 2, 2, 5, 5, 6));
  EXPECT_THAT(lists.atoms, ElementsAre(1, 4, 0, 2, 6, 5, 3, 7)) << "atoms of no molecule stand last";
}

TEST(GroupByMolecule, WithoutAtomsOrMolecules) {
  EXPECT_THAT(Lists({}, 3).offsets, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(Lists({}, 0).offsets, ElementsAre(0));
  EXPECT_THAT(Lists({5, -1}, 0).atoms, ElementsAre(0, 1));
  EXPECT_THROW(group_by_molecule(Cpu{1}, nullptr, -1, 2, {}), std::invalid_argument);
}

struct Order {
  std::vector<int> atoms;
  std::vector<int> offsets;
};

Order expand(const SortedBases& bases, const MoleculesView& molecules, std::size_t capacity) {
  Order order{std::vector<int>(capacity, -7), std::vector<int>(static_cast<std::size_t>(bases.segments.count) + 1, -7)};
  expand_molecules(Cpu{2}, bases, molecules, {order.atoms.data(), static_cast<int>(capacity), order.offsets.data()});
  return order;
}

TEST(ExpandMolecules, AtomsFollowTheirBaseAtom) {
  // A water molecule, an argon atom, an ion without molecule, and a nitrogen molecule.
  const Lists lists({0, 0, 0, 1, -1, 2, 2}, 3);
  const std::vector<int> molecule{0, 1, ~4, 2};    // of the base atoms before the sort
  const std::vector<int> permutation{1, 0, 3, 2};  // two arrays of two
  const std::vector<int> offsets{0, 2, 2, 4};      // and an empty one
  const Order order =
      expand({Segments::ragged(offsets.data(), 3, 4), permutation.data(), molecule.data()}, lists.view(), 8);
  EXPECT_THAT(order.atoms, ElementsAre(3, 0, 1, 2, 5, 6, 4, -7));
  EXPECT_THAT(order.offsets, ElementsAre(0, 4, 4, 7));
}

TEST(ExpandMolecules, AMoleculeMayStandInSeveralArrays) {
  const Lists lists({0, 0, 1}, 2);
  const std::vector<int> molecule{0, 1, 1, 0};
  const std::vector<int> permutation{1, 0, 2, 3};
  const Order order = expand({Segments::uniform(2, 2), permutation.data(), molecule.data()}, lists.view(), 6);
  EXPECT_THAT(order.atoms, ElementsAre(2, 0, 1, 2, 0, 1));
  EXPECT_THAT(order.offsets, ElementsAre(0, 3, 6));
}

TEST(ExpandMolecules, WhatIsOutOfRangeHasNoAtoms) {
  const Lists lists({0, 0, 1}, 2);
  const std::vector<int> molecule{0, 7, 1, ~9};
  const std::vector<int> permutation{3, -1, 1, 2, 4};
  const std::vector<int> offsets{-4, 3, 99};
  const Order order =
      expand({Segments::ragged(offsets.data(), 2, 4), permutation.data(), molecule.data()}, lists.view(), 3);
  EXPECT_THAT(order.atoms, ElementsAre(2, -7, -7));
  EXPECT_THAT(order.offsets, ElementsAre(0, 0, 1));
}

TEST(ExpandMolecules, TooSmallAnOutputIsNotOverrun) {
  const Lists lists({0, 0, 0, 1, 1, 1}, 2);
  const std::vector<int> molecule{0, 1};
  const std::vector<int> permutation{1, 0};
  Order order{std::vector<int>(6, -7), std::vector<int>(2)};
  expand_molecules(Cpu{1}, {Segments::uniform(1, 2), permutation.data(), molecule.data()}, lists.view(),
                   {order.atoms.data(), 4, order.offsets.data()});
  EXPECT_THAT(order.atoms, ElementsAre(3, 4, 5, 0, -7, -7));
  EXPECT_EQ(order.offsets.back(), 6) << "the size that was needed";
}

/// From coordinates to payloads in the order of the base atoms.
TEST(ExpandMolecules, PlanOfASortAppliesToAllAtoms) {
  constexpr int kMolecules = 500;
  std::mt19937 random(6);
  std::vector<int> molecule_of_atom;
  for (int m = 0; m < kMolecules; ++m) molecule_of_atom.insert(molecule_of_atom.end(), 1 + random() % 5, m);
  std::shuffle(molecule_of_atom.begin(), molecule_of_atom.end(), random);
  const Lists lists(molecule_of_atom, kMolecules);
  const auto n_atoms = molecule_of_atom.size();

  std::vector<int> molecule(kMolecules);  // base atom b belongs to molecule 499 - b
  std::iota(molecule.rbegin(), molecule.rend(), 0);
  const std::vector<float> coordinate = make_reals(SortPattern::random, kMolecules, 7);
  const std::vector<int> offsets{0, 100, 100, 350, kMolecules};
  const Segments segments = Segments::ragged(offsets.data(), 4, kMolecules);
  std::vector<int> permutation(kMolecules);
  sort_segments(Cpu{2}, segments, RealSort{coordinate.data(), nullptr, permutation.data()});
  const Order order = expand({segments, permutation.data(), molecule.data()}, lists.view(), n_atoms);

  std::vector<int> moved(n_atoms);
  apply_permutation(Cpu{2}, SortPlan::permutation(order.atoms.data(), static_cast<int>(n_atoms)),
                    Payload<int>{molecule_of_atom.data(), moved.data()});
  std::size_t at = 0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    EXPECT_EQ(order.offsets[s], static_cast<int>(at));
    for (int k = offsets[s]; k < offsets[s + 1]; ++k) {
      const int base = permutation[static_cast<std::size_t>(k)];
      const int m = molecule[static_cast<std::size_t>(base)];
      if (k > offsets[s]) {
        EXPECT_LE(coordinate[static_cast<std::size_t>(permutation[static_cast<std::size_t>(k) - 1])],
                  coordinate[static_cast<std::size_t>(base)]);
      }
      for (int i = lists.offsets[static_cast<std::size_t>(m)]; i < lists.offsets[static_cast<std::size_t>(m) + 1];
           ++i, ++at) {
        ASSERT_EQ(moved[at], m);
        ASSERT_EQ(order.atoms[at], lists.atoms[static_cast<std::size_t>(i)]) << "the base atom first";
      }
    }
  }
  EXPECT_EQ(at, n_atoms);
}

}  // namespace
}  // namespace dropmd
