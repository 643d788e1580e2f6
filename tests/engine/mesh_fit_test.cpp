#include "engine/mesh_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/jobs/compare.h"
#include "engine/model/coulomb_division.h"
#include "tests/engine/checked_mesh.h"
#include "tests/support/loose_lattice.h"

/// Meshes that are fitted at the start of a run.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// Disordered, with charges of alternating signs, whose mesh has a fraction of the error of charges at random places.
Structure lattice() { return structure_of(loose_lattice(14, 1.1, 0.05, 0.5)); }

TEST(MeshFit, FitsTheMeshAtTheStart) {
  const RunConfig config = run_of(0, kAccuracy);
  System system = build_system(config, lattice());
  const MeshParameters before = system.mesh->parameters;
  CheckedLoop checked(system, config, 10'000);
  checked.loop.run_to(0, never_stop);
  ASSERT_GE(checked.said.size(), 3U) << "the error of the coarser mesh is measured, too";
  EXPECT_THAT(checked.said[1], HasSubstr("0: a cheaper mesh suffices; mesh: pairs within"));
  EXPECT_THAT(checked.said.back(), testing::Not(HasSubstr("more than")));
  EXPECT_EQ(system.mesh->parameters.cutoff, before.cutoff);
  EXPECT_GT(system.mesh->parameters.spacing, 1.1 * before.spacing);
  const double error = measured_error(system, checked.loop.force());
  EXPECT_LE(error, kAccuracy);
  EXPECT_GE(error, kAccuracy / 4);

  const std::vector<double> fitted = system.mesh->numbers();
  CheckedLoop again(system, config, 10'000);
  again.loop.run_to(0, never_stop);
  EXPECT_EQ(system.mesh->numbers(), fitted);
  EXPECT_TRUE(CoulombMesh::from(fitted).fitted) << "nor is it fitted again by a run that resumes";
}

TEST(MeshFit, FitsWithoutARunTheSameMesh) {
  RunConfig config = run_of(0, kAccuracy);
  config.recenter_every = 10;
  System system = build_system(config, lattice());
  for (Vec3<double>& x : system.particles.position) x += Vec3<double>{0.3, -0.2, 0.1};
  System fitted = system;
  CheckedLoop checked(system, config, 10'000);
  checked.loop.run_to(0, never_stop);
  const std::vector<std::string> said = fit_mesh(fitted, config, list_method());
  // A run rounds the forces in another order, on which the measured error depends.
  constexpr double kRoundingOfFit = 1e-9;
  EXPECT_NEAR(fitted.mesh->parameters.spacing, system.mesh->parameters.spacing, kRoundingOfFit);
  EXPECT_EQ(fitted.mesh->parameters.order, system.mesh->parameters.order);
  EXPECT_EQ(mesh_term_of(fitted)->parameters().spacing, fitted.mesh->parameters.spacing);
  EXPECT_TRUE(fitted.mesh->fitted);
  ASSERT_EQ(said.size(), checked.said.size() + 1);
  EXPECT_THAT(said.front(),
              testing::ContainsRegex("^mesh: pairs within 3.75 sigma.* points, bandwidth 11, 1.3 MB of memory$"));
  for (std::size_t k = 0; k < checked.said.size(); ++k) EXPECT_EQ("0: " + said[k + 1], checked.said[k]);
  EXPECT_TRUE(fit_mesh(fitted = undivided(fitted), config, list_method()).empty());
}

TEST(MeshFit, ComparisonsHaveTheMeshOfARun) {
  RunConfig config = run_of(0, kAccuracy);
  config.threads = 1;
  const System system = build_system(config, lattice());
  System fitted = system;
  fit_mesh(fitted, config, list_method());
  EXPECT_GT(fitted.mesh->parameters.spacing, 1.1 * system.mesh->parameters.spacing);
  const Comparison comparison = compare_methods(system, config, 50, Precision::fp64);
  ASSERT_TRUE(comparison.mesh && comparison.ok());
  EXPECT_NEAR(comparison.mesh->parameters.spacing, fitted.mesh->parameters.spacing, 1e-9);
}

TEST(MeshFit, DescribesBothMeshesOfAVapour) {
  System system = build_system(run_of(0, kAccuracy), lattice());
  const MeshParameters parameters = system.mesh->parameters;
  system = undivided(system);
  EXPECT_EQ(mesh_term_of(system), nullptr);
  system.mesh = CoulombMesh{parameters, kAccuracy, 2e-4, 1};
  system.terms.push_back(std::make_shared<MeshTerm>(1, parameters, kCpuMeshPrices, std::nullopt,
                                                    ExpectedMesh{{40, 50, 60}, {10, 20, 30}, Precision::mixed}));
  EXPECT_THAT(describe_mesh(system, Backend::cpu),
              HasSubstr("; 40 x 50 x 60 points, a coarse one of 10 x 20 x 30, bandwidth 11, 5.0 MB of memory"));
}

TEST(MeshFit, FitsTheOrderThatIsGiven) {
  RunConfig config = run_of(0, kAccuracy);
  config.coulomb_settings.mesh_order = 7;
  System system = build_system(config, lattice());
  const double spacing = system.mesh->parameters.spacing;
  CheckedLoop checked(system, config, 10'000);
  checked.loop.run_to(0, never_stop);
  EXPECT_EQ(system.mesh->parameters.order, 7);
  EXPECT_GT(system.mesh->parameters.spacing, spacing);
}

}  // namespace
}  // namespace dropmd
