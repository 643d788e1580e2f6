#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "inputs/structures/structure_file.h"
#include "tests/support/system/app_folder.h"

/// `dropmd generate droplet` and what it promises about the structure that it writes.
namespace dropmd {
namespace {

Structure generated(const AppFolder& folder, const std::string& options) {
  const Outcome outcome = folder.run("dropmd generate droplet --force -o x.drop " + options);
  EXPECT_EQ(outcome.status, 0) << options << '\n' << outcome.err;
  return read_structure_file(folder.path() / "x.drop");
}

double shortest_distance(const Structure& structure) {
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < structure.position.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      shortest = std::min(shortest, norm(structure.position[i] - structure.position[j]));
  return shortest;
}

double total_charge(const Structure& structure) {
  double sum = 0;
  for (const double q : structure.charge) sum += q;
  return sum;
}

// Coordinates are differences and sums of a few numbers of the droplet's size.
constexpr double kRounding = 1e-12;

TEST(Generate, SameSeedSameBytes) {
  const AppFolder folder;
  for (const char* lattice : {"sc", "fcc", "random"}) {
    const auto bytes = [&](const char* seed) {
      generated(folder, std::string("--atoms 200 --disorder 0.1 --charges random --lattice ") + lattice +
                            " --random-seed " + seed);
      return folder.text("x.drop");
    };
    const std::string first = bytes("5");
    EXPECT_TRUE(first == bytes("5")) << lattice;
    EXPECT_FALSE(first == bytes("6")) << lattice;
  }
}

TEST(Generate, NumberOfAtoms) {
  const AppFolder folder;
  for (const char* lattice : {"sc", "fcc", "random"})
    for (const std::size_t n : {1U, 2U, 177U, 500U})
      EXPECT_EQ(generated(folder, "--atoms " + std::to_string(n) + " --lattice " + lattice).position.size(), n);
}

TEST(Generate, RadiusHoldsTheAtoms) {
  const AppFolder folder;
  for (const char* lattice : {"sc", "fcc", "random"}) {
    const Structure structure = generated(folder, std::string("--radius 9 --lattice ") + lattice);
    EXPECT_EQ(structure.radius, 9);
    for (const auto& x : structure.position) EXPECT_LE(norm(x), 9 + kRounding);
    // 4/3 pi 9^3 0.07 = 213.8 atoms. The number of lattice points in a ball varies by about the fluctuation in one
    // shell.
    EXPECT_NEAR(static_cast<double>(structure.position.size()), 213.8, 30);
  }
}

TEST(Generate, LatticeSpacing) {
  const AppFolder folder;
  const double spacing = std::cbrt(1 / 0.05);
  EXPECT_NEAR(shortest_distance(generated(folder, "--density 0.05 --lattice sc")), spacing, kRounding);
  // fcc: 4 atoms in a cube of edge a, nearest neighbours at a/sqrt(2).
  EXPECT_NEAR(shortest_distance(generated(folder, "--density 0.05 --lattice fcc")),
              std::cbrt(4 / 0.05) / std::sqrt(2.0), kRounding);
}

TEST(Generate, MinimumDistanceIsHonoured) {
  const AppFolder folder;
  const Structure structure = generated(folder, "--atoms 400 --lattice random --min-distance 1.7");
  EXPECT_EQ(structure.position.size(), 400U);
  EXPECT_GE(shortest_distance(structure), 1.7);
  EXPECT_GE(shortest_distance(generated(folder, "--atoms 400 --lattice random")), 0.8 * std::cbrt(1 / 0.07));
}

/// Half of the atoms form the lattice of a droplet of that size, the others lie around it.
TEST(Generate, HalfEvaporated) {
  const AppFolder folder;
  for (const char* lattice : {"sc", "fcc", "random"}) {
    const std::string options = std::string(" --density 0.06 --lattice ") + lattice;
    const Structure liquid = generated(folder, "--atoms 500" + options);
    const Structure half = generated(folder, "--atoms 1000 --vapour 0.5 --vapour-radius 40" + options);
    ASSERT_EQ(half.position.size(), 1000U);
    EXPECT_EQ(half.radius, 40);
    const double droplet = std::cbrt(3 * 500 / (4 * 3.141592653589793 * 0.06)), nearest = 0.8 * std::cbrt(1 / 0.06);
    std::size_t in_outer_half = 0;  // of the vapour shell, by volume
    const double inner3 = std::pow(droplet + nearest, 3), middle = std::cbrt(0.5 * (inner3 + 40 * 40 * 40));
    for (std::size_t i = 0; i < 500; ++i) {
      EXPECT_EQ(norm(half.position[i] - liquid.position[i]), 0) << i;
      const double r = norm(half.position[500 + i]);
      EXPECT_GE(r, droplet + nearest - kRounding);
      EXPECT_LE(r, 40 + kRounding);
      if (r > middle) ++in_outer_half;
    }
    EXPECT_NEAR(static_cast<double>(in_outer_half), 250, 56) << "five standard deviations of 11";
    EXPECT_GE(shortest_distance(half), nearest - kRounding);
    EXPECT_LE(std::abs(total_charge(half) - total_charge(liquid)), 0.2 + kRounding) << "the vapour's alternate";
  }
}

TEST(Generate, VapourIsAFunctionOfTheSeed) {
  const AppFolder folder;
  const auto bytes = [&](const std::string& seed) {
    generated(folder, "--atoms 200 --vapour 0.3 --vapour-radius 30 --random-seed " + seed);
    return folder.text("x.drop");
  };
  const std::string first = bytes("5");
  EXPECT_TRUE(first == bytes("5"));
  EXPECT_FALSE(first == bytes("6"));
  generated(folder, "--atoms 200 --vapour 0 --vapour-radius 30");
  const std::string none = folder.text("x.drop");
  generated(folder, "--atoms 200");
  EXPECT_TRUE(none == folder.text("x.drop"));
}

TEST(Generate, Charges) {
  const AppFolder folder;
  const Structure structure = generated(folder, "--atoms 301 --charge 0.5 --charges random");
  for (const double q : structure.charge) EXPECT_EQ(std::abs(q), 0.5);
  EXPECT_EQ(total_charge(structure), 0.5) << "one more of +q where n is odd";
  for (const double q : generated(folder, "--charges none").charge) EXPECT_EQ(q, 0);
  // The lattice is simple cubic with alternating charges: every nearest neighbour has the opposite sign.
  const Structure salt = generated(folder, "--atoms 200");
  const double spacing = std::cbrt(1 / 0.07);
  for (std::size_t i = 0; i < salt.position.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (norm(salt.position[i] - salt.position[j]) < 1.1 * spacing) {
        ASSERT_EQ(salt.charge[i], -salt.charge[j]);
      }
}

}  // namespace
}  // namespace dropmd
