#include "forces/mesh/influence_functions.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "forces/mesh/coulomb_split.h"

/// Influence functions that are made once.
namespace dropmd {
namespace {

/// A mesh and the kernel that it computes.
struct Mesh {
  CoulombSplit split{4, 8}, wide{12, 8};
  bool has_range = false;
  MeshBox box{0.9, {12, 14, 10}, {}};
  int order = 4;
  double extent = 20;

  MeshKernel kernel() const { return {split, has_range ? &wide : nullptr}; }
  InfluenceFunction made() const { return InfluenceFunction::make({1}, kernel(), box, order, extent); }
  std::shared_ptr<const InfluenceFunction> from(InfluenceFunctions& known) const {
    return known.make({1}, kernel(), box, order, extent);
  }
};

/// Meshes that differ from the first in one parameter each.
std::vector<Mesh> meshes() {
  std::vector<Mesh> all(10);
  all[1].split = CoulombSplit(4.5, 8);
  all[2].split = CoulombSplit(4, 9);
  all[3].has_range = true;
  all[4].has_range = true, all[4].wide = CoulombSplit(16, 8);
  all[5].box.spacing = 0.8;
  all[6].box.points = {14, 12, 10};
  all[7].order = 6;
  all[8].extent = 21;
  all[9].has_range = true, all[9].wide = CoulombSplit(12, 9);
  return all;
}

/// Each mesh follows every other one, so that a parameter that is not compared would give the other's function.
TEST(InfluenceFunctions, AreThoseOfTheirMesh) {
  const std::vector<Mesh> all = meshes();
  std::vector<InfluenceFunction> made;
  for (const Mesh& mesh : all) made.push_back(mesh.made());
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b) {
      InfluenceFunctions known;
      for (const std::size_t k : {a, b, a, b, b}) {
        const auto function = all[k].from(known);
        EXPECT_EQ(function->length, made[k].length);
        EXPECT_EQ(function->value, made[k].value) << "mesh " << k << " of " << a << " and " << b;
      }
    }
}

/// The last two are kept, and the place of a box does not count.
TEST(InfluenceFunctions, AreMadeOnce) {
  InfluenceFunctions known;
  const std::vector<Mesh> all = meshes();
  Mesh first = all[0];
  const auto made = first.from(known);
  first.box.first = {5, -7, 100};
  EXPECT_EQ(first.from(known), made);
  const auto second = all[1].from(known);
  EXPECT_EQ(first.from(known), made);
  all[2].from(known);  // in place of the second, which was asked for before the first
  EXPECT_EQ(first.from(known), made);
  EXPECT_NE(all[1].from(known), second);
}

TEST(InfluenceFunctions, LargeOnesAreNotKept) {
  InfluenceFunctions known;
  Mesh mesh;
  mesh.box.points = {202, 202, 202};
  const auto made = mesh.from(known);
  ASSERT_GT(made->value.size(), InfluenceFunctions::kMostValues);
  EXPECT_NE(mesh.from(known), made);
}

}  // namespace
}  // namespace dropmd
