#include "engine/droplet/droplet_profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "engine/droplet/clusters.h"
#include "engine/thermometer.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"

namespace dropmd {
namespace {

const Units& kUnits = units_of(UnitSystem::real);

/// Charged atoms of two species in a ball of radius 10, and a few outside.
System charged_ball(std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> inside(-10.0, 10.0);
  Structure structure;
  while (structure.position.size() < n) {
    Vec3<double> x{inside(random), inside(random), inside(random)};
    if (norm(x) > 10) continue;
    if (structure.position.size() % 50 == 49) x = (40 / norm(x)) * x;
    structure.position.push_back(x);
    structure.velocity.push_back({0.001 * inside(random), 0.001 * inside(random), 0.001 * inside(random)});
    structure.charge.push_back(0.1 * inside(random));
    structure.mass.push_back(10 + inside(random) * 0.5);
    structure.species.push_back(static_cast<std::uint32_t>(structure.position.size() % 2));
  }
  structure.species_names = {"A", "B"};
  RunConfig config;
  config.units = UnitSystem::real;
  return build_system(config, structure);
}

struct Sampled {
  System system;
  MoleculeTable molecules = molecules_of(system);
  std::vector<Vec3<double>> centre = molecule_centres(molecules, system.particles);
  std::vector<double> kinetic{};
  std::vector<std::uint32_t> n_dof{};

  explicit Sampled(const System& of) : system(of) {
    const Particles& p = system.particles;
    for (std::size_t i = 0; i < p.size(); ++i) {
      kinetic.push_back(0.5 * p.mass[i] * dot(p.velocity[i], p.velocity[i]) / kUnits.acceleration);
      n_dof.push_back(3);
    }
  }
  DropletProfile::Sample sample() const { return {molecules, centre, kinetic, n_dof, system.particles, {}, 10.0}; }
};

/// Returns the mean of the potential over points that are spread evenly over a sphere.
double mean_potential(const Particles& p, double r) {
  constexpr int kPoints = 20'000;
  double sum = 0;
  for (int k = 0; k < kPoints; ++k) {
    const double z = 1 - (2 * k + 1.0) / kPoints, phi = k * std::numbers::pi * (3 - std::sqrt(5.0));
    const double rho = std::sqrt(1 - z * z);
    const Vec3<double> at{r * rho * std::cos(phi), r * rho * std::sin(phi), r * z};
    for (std::size_t i = 0; i < p.size(); ++i) sum += p.charge[i] / norm(at - p.position[i]);
  }
  return kUnits.coulomb * sum / kPoints;
}

TEST(DropletProfile, IsThatOfAllAtomsShellByShell) {
  for (const std::size_t n : {0U, 1U, 2U, 33U, 1001U}) {
    const Sampled atoms(charged_ball(n, static_cast<std::uint32_t>(n)));
    const Particles& p = atoms.system.particles;
    DropletProfile profile(names_of_molecules(atoms.system), kUnits);
    EXPECT_TRUE(profile.numbers().empty());
    profile.add(atoms.sample());
    const std::vector<ProfileRow> rows = profile.take(7);
    ASSERT_EQ(rows.size(), 40U) << "0.5 A wide, to twice the radius";
    for (const ProfileRow& row : rows) {
      const double inner = row.r - 0.25, outer = row.r + 0.25;
      const double volume = 4 * std::numbers::pi / 3 * (std::pow(outer, 3) - std::pow(inner, 3));
      double charge = 0, kinetic = 0, potential = 0;
      std::size_t count[2] = {}, n_dof = 0;
      for (std::size_t i = 0; i < p.size(); ++i) {
        const double s = norm(p.position[i]);
        potential += kUnits.coulomb * p.charge[i] / std::max(row.r, s);
        if (s < inner || s >= outer) continue;
        charge += p.charge[i];
        kinetic += atoms.kinetic[i];
        ++count[p.species[i]];
        n_dof += 3;
      }
      EXPECT_EQ(row.step, 7);
      EXPECT_NEAR(row.charge_density, charge / volume, 1e-12);
      EXPECT_NEAR(row.potential, potential, 1e-9 * (1 + static_cast<double>(n)));
      EXPECT_NEAR(row.density[0], static_cast<double>(count[0]) / volume, 1e-12);
      EXPECT_NEAR(row.density[1], static_cast<double>(count[1]) / volume, 1e-12);
      if (n_dof > 0)
        EXPECT_NEAR(row.temperature, temperature_of(kinetic, n_dof, kUnits), 1e-9);
      else
        EXPECT_TRUE(std::isnan(row.temperature));
    }
  }
}

/// A charge that is nearer to the sphere than its points are to each other is sampled badly. It is one of 300, with
/// about a three-hundredth of the potential; the bound is a third of that.
TEST(DropletProfile, ThePotentialIsTheMeanOverASphere) {
  const Sampled atoms(charged_ball(300, 5));
  DropletProfile profile(names_of_molecules(atoms.system), kUnits);
  profile.add(atoms.sample());
  for (const ProfileRow& row : profile.take(0)) {
    const int shell = static_cast<int>(row.r / 0.5);
    if (shell % 8 != 3) continue;
    double largest = 0;  // the potential of all charges with one sign
    for (std::size_t i = 0; i < atoms.system.particles.size(); ++i)
      largest += kUnits.coulomb * std::abs(atoms.system.particles.charge[i]) /
                 std::max(row.r, norm(atoms.system.particles.position[i]));
    EXPECT_NEAR(row.potential, mean_potential(atoms.system.particles, row.r), 1e-3 * largest) << row.r;
  }
}

TEST(DropletProfile, AveragesAndContinues) {
  const Sampled one(charged_ball(500, 1)), other(charged_ball(500, 2));
  DropletProfile whole(names_of_molecules(one.system), kUnits), first = whole, second = whole;
  whole.add(one.sample());
  whole.add(other.sample());
  first.add(one.sample());
  second.set(first.numbers());
  second.add(other.sample());
  EXPECT_EQ(second.numbers(), whole.numbers());
  const std::vector<ProfileRow> rows = whole.take(3), continued = second.take(3), alone = first.take(3);
  ASSERT_EQ(continued.size(), rows.size());
  DropletProfile third(names_of_molecules(one.system), kUnits);
  third.add(other.sample());
  const std::vector<ProfileRow> last = third.take(3);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(continued[k].potential, rows[k].potential);
    EXPECT_NEAR(rows[k].density[0], 0.5 * (alone[k].density[0] + last[k].density[0]), 1e-12);
    EXPECT_NEAR(rows[k].charge_density, 0.5 * (alone[k].charge_density + last[k].charge_density), 1e-12);
  }
  EXPECT_TRUE(whole.take(4).empty()) << "no sample since";
  EXPECT_THROW(second.set(std::vector<double>(11)), std::invalid_argument);
}

TEST(DropletProfile, ShapesHaveTheirGyrationTensor) {
  // A rod along (1, 1, 0)/sqrt(2): principal values <d²>, 0, 0.
  Structure structure;
  double square = 0;
  for (int k = -5; k <= 5; ++k) {
    structure.position.push_back({3.0 + 0.5 * k, -1.0 + 0.5 * k, 2.0});
    structure.mass.push_back(4);
    structure.species.push_back(0);
    square += 0.5 * k * k / 11.0;
  }
  structure.species_names = {"A"};
  RunConfig config;
  config.units = UnitSystem::real;
  const System system = build_system(config, structure);
  const MoleculeTable table = molecules_of(system);
  const Clusters clusters = find_clusters(table, system.particles.position, 1.0);
  const ClusterMeasure rod =
      measure_cluster(table, clusters, 0, molecule_centres(table, system.particles), system.particles);
  EXPECT_NEAR(rod.gyration.x, square, 1e-12);
  EXPECT_NEAR(rod.gyration.y, 0, 1e-12);
  EXPECT_NEAR(rod.gyration.z, 0, 1e-12);
  EXPECT_NEAR(rod.radius_of_gyration, std::sqrt(square), 1e-12);
}

}  // namespace
}  // namespace dropmd
