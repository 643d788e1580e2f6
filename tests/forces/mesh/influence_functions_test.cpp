#include "forces/mesh/influence_functions.h"

#include <gtest/gtest.h>

#include <array>
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
  InfluenceFunction from(InfluenceFunctions& known) const { return known.make({1}, kernel(), box, order, extent); }
};

/// Meshes that differ from the first in one parameter each.
std::vector<Mesh> meshes() {
  std::vector<Mesh> all(9);
  all[1].split = CoulombSplit(4.5, 8);
  all[2].split = CoulombSplit(4, 9);
  all[3].has_range = true;
  all[4].has_range = true, all[4].wide = CoulombSplit(16, 8);
  all[5].box.spacing = 0.8;
  all[6].box.points = {14, 12, 10};
  all[7].order = 6;
  all[8].extent = 21;
  return all;
}

/// Each mesh follows each other one, so that a parameter that is not compared would give the other's function.
TEST(InfluenceFunctions, AreThoseOfTheirMesh) {
  const std::vector<Mesh> all = meshes();
  std::vector<InfluenceFunction> made;
  for (const Mesh& mesh : all) made.push_back(mesh.made());
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b) {
      InfluenceFunctions known;
      for (const std::size_t k : {a, b, a, b, b}) {
        const InfluenceFunction function = all[k].from(known);
        EXPECT_EQ(function.length, made[k].length);
        EXPECT_EQ(function.value, made[k].value) << "mesh " << k << " of " << a << " and " << b;
      }
    }
}

/// The place of a box does not count.
TEST(InfluenceFunctions, StayWhereABoxMoves) {
  InfluenceFunctions known;
  Mesh mesh;
  const InfluenceFunction before = mesh.from(known);
  mesh.box.first = {5, -7, 100};
  EXPECT_EQ(mesh.from(known).value, before.value);
  EXPECT_EQ(mesh.made().value, before.value);
}

}  // namespace
}  // namespace dropmd
