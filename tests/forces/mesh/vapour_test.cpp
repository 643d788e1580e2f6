#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <vector>

#include "forces/mesh/split_polynomial.h"
#include "forces/pair/pair_force_term.h"
#include "tests/forces/mesh/mesh_evaluation.h"
#include "tests/forces/mesh/vapour_systems.h"

/// Droplets with a vapour around them, whose charges are outside of the mesh or on a second, coarser one.
namespace dropmd {
namespace {

constexpr double kVapourCutoffs[] = {9, 12, 15};
/// Pairs cost so much that two meshes pay for a thousand charges.
constexpr MeshPrices kPricesOfTwoMeshes{2, 1, 0.5, 10};

bool same_bytes(const MeshEvaluation& a, const MeshEvaluation& b) {
  return a.force.size() == b.force.size() &&
         std::memcmp(a.force.data(), b.force.data(), a.force.size() * sizeof a.force[0]) == 0;
}

struct VapourErrors {
  double rms, worst, energy;  ///< relative to the force scale and to Σ|q φ|
};

/// Of the smooth part against direct sums of it, which together with the pair part are those of 1/r.
VapourErrors vapour_errors_of(const Particles& p, HostMesh& mesh, double scale) {
  const MeshEvaluation result = evaluate(mesh, p.position);
  Energies exact_energy;
  mesh.add_reference_energies({2}, {p.position, 0}, exact_energy);
  std::vector<std::uint32_t> sample;
  for (std::size_t i = 0; i < p.size(); i += std::max<std::size_t>(1, p.size() / 400))
    sample.push_back(static_cast<std::uint32_t>(i));
  std::vector<AtomSums> exact(sample.size());
  mesh.add_reference({2}, {p.position, 0}, sample, exact);
  double sum = 0, worst = 0, absolute = 0;
  for (std::size_t s = 0; s < sample.size(); ++s) {
    const Vec3<double> error = result.force[sample[s]] - exact[s].force;
    sum += dot(error, error);
    worst = std::max(worst, norm(error));
    absolute += std::abs(exact[s].coulomb);
  }
  const auto n = static_cast<double>(sample.size());
  return {std::sqrt(sum / n) / scale, worst / scale,
          std::abs(result.energy - exact_energy.of(kCoulombEnergy)) * n / static_cast<double>(p.size()) / absolute};
}

/// Measured: 0.2 to 0.8 of the accuracy, for one mesh and for two.
TEST(Vapour, KeepsTheAccuracy) {
  int with_levels = 0;
  for (const std::size_t n_vapour : {0U, 1U, 5U, 60U, 500U, 2500U})
    for (const double accuracy : {1e-3, 1e-4, 1e-5, 1e-8}) {
      if (accuracy < 1e-6 && n_vapour < 500) continue;
      SCOPED_TRACE(testing::Message() << n_vapour << " at " << accuracy);
      const Particles p = droplet_with_vapour(2000, n_vapour);
      const ChargeStatistics statistics = ChargeStatistics::of({2}, kCoulomb, p.position, p.charge);
      CoulombSettings settings;
      settings.accuracy = accuracy;
      const MeshParameters parameters =
          plan_mesh(statistics, kCoulomb, settings, kVapourCutoffs, kPricesOfTwoMeshes).parameters;
      HostMesh mesh({2}, kCoulomb, parameters, kPricesOfTwoMeshes, p);
      const VapourErrors errors = vapour_errors_of(p, mesh, statistics.force_scale(kCoulomb));
      with_levels += mesh.region().coarse.exists() ? 1 : 0;
      EXPECT_LE(errors.rms, accuracy);
      EXPECT_LE(errors.worst, 30 * accuracy);
      EXPECT_LE(errors.energy, accuracy);
      if (n_vapour <= 5) {
        EXPECT_FALSE(mesh.region().coarse.exists());
      }
      if (n_vapour == 2500) {
        EXPECT_TRUE(mesh.region().coarse.exists());
      }
    }
  EXPECT_GE(with_levels, 4);
}

/// The polynomials of a pair form, whose L is that of the direct sums too.
TEST(Vapour, HasTheSmoothPartThatThePairsLeave) {
  const Particles p = droplet_with_vapour(1000, 1500);
  const MeshParameters parameters{12, CoulombSplit::bandwidth_for(1e-4), 2, 6, 0};
  const CoulombSplit split(parameters.cutoff, parameters.bandwidth);
  HostMesh exact({1}, kCoulomb, parameters, kPricesOfTwoMeshes, p);
  HostMesh fitted({1}, kCoulomb, parameters, kPricesOfTwoMeshes, p, short_range_choice(split, 20));
  const MeshEvaluation a = evaluate(exact, p.position), b = evaluate(fitted, p.position);
  ASSERT_TRUE(exact.region().coarse.exists());
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_LT(norm(a.force[i] - b.force[i]), 1e-7 * (1 + norm(a.force[i])));
  EXPECT_NEAR(a.energy, b.energy, 1e-7 * std::abs(a.energy));
}

TEST(Vapour, CostsNothingFarAway) {
  Particles p = droplet_with_vapour(1000, 1500);
  HostMesh near({1}, kCoulomb, kMeshParameters, kPricesOfTwoMeshes, p);
  evaluate(near, p.position);
  p.position[1700] = {1e6, -3e5, 0};
  p.position[1701] = {0, 0, 1e12};
  HostMesh mesh({1}, kCoulomb, kMeshParameters, kPricesOfTwoMeshes, p);
  const MeshEvaluation result = evaluate(mesh, p.position);
  ASSERT_TRUE(mesh.region().coarse.exists());
  EXPECT_LT(mesh.bytes(), 1.5 * static_cast<double>(near.bytes()));
  std::vector<AtomSums> exact(1);
  const std::uint32_t far[] = {1700};
  mesh.add_reference({1}, {p.position, 0}, far, exact);
  EXPECT_LT(norm(mesh.gradient_forces()[1700] - exact[0].force), 1e-12 * norm(exact[0].force));
}

TEST(Vapour, IsTheSameForEveryNumberOfThreads) {
  const Particles p = droplet_with_vapour(3000, 1500);
  HostMesh one({1}, kCoulomb, kMeshParameters, kPricesOfTwoMeshes, p),
      three({3}, kCoulomb, kMeshParameters, kPricesOfTwoMeshes, p);
  const MeshEvaluation a = evaluate(one, p.position), b = evaluate(three, p.position);
  ASSERT_TRUE(one.region().coarse.exists());
  EXPECT_TRUE(same_bytes(a, b));
  EXPECT_EQ(a.energy, b.energy);
}

/// Central differences of fourth order in steps of 1e-2 have an error of (2π · 1e-2/h)⁴/30 = 8e-8.
TEST(Vapour, HasTheForcesOfItsEnergy) {
  Particles p = droplet_with_vapour(600, 1200);
  p.position[1799] = {4000, 0, 0};
  HostMesh mesh({2}, kCoulomb, kMeshParameters, kPricesOfTwoMeshes, p);
  evaluate(mesh, p.position);
  ASSERT_TRUE(mesh.region().coarse.exists());
  ASSERT_FALSE(mesh.region().coarse.box.holds(p.position[1799], 6));
  ASSERT_TRUE(mesh.region().coarse.box.holds(p.position[700], 6));
  ASSERT_FALSE(mesh.region().holds(p.position[700], 6));
  const std::vector<Vec3<double>> forces(mesh.gradient_forces().begin(), mesh.gradient_forces().end());
  double scale = 0;
  for (const Vec3<double>& f : forces) scale = std::max(scale, norm(f));
  constexpr double kStep = 1e-2;
  const auto numbers = mesh.state();
  for (const std::size_t i : {3U, 700U, 1799U})
    for (double Vec3<double>::*axis : {&Vec3<double>::x, &Vec3<double>::z}) {
      double at[4];
      const double x = p.position[i].*axis;
      for (int k = 0; k < 4; ++k) {
        p.position[i].*axis = x + kStep * (k < 2 ? k - 2 : k - 1);
        at[k] = evaluate(mesh, p.position).energy;
      }
      p.position[i].*axis = x;
      EXPECT_NEAR(forces[i].*axis, -(at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * kStep), 1e-6 * scale) << i;
    }
  EXPECT_EQ(mesh.state(), numbers) << "the boxes have stayed";
}

/// A vapour that comes out of a droplet, spreads, and is gone.
std::vector<std::vector<Vec3<double>>> evaporation(const Particles& p, std::size_t n_droplet) {
  std::vector<std::vector<Vec3<double>>> steps;
  for (const double part : {0.1, 0.12, 0.4, 0.5, 0.9, 1.0, 1.02, 1.04, 0.5, 0.1, 0.1}) {
    std::vector<Vec3<double>> x = p.position;
    for (std::size_t i = n_droplet; i < x.size(); ++i) x[i] *= part;
    steps.push_back(x);
  }
  return steps;
}

TEST(Vapour, ContinuesFromItsStateToTheSameBytes) {
  const Particles p = droplet_with_vapour(1000, 1500);
  const auto steps = evaporation(p, 1000);
  HostMesh whole({1}, kCoulomb, kMeshParameters, kPricesOfTwoMeshes, p);
  std::vector<MeshEvaluation> of_whole;
  std::vector<std::vector<double>> states;
  int levels = 0, kept = 0;
  for (const auto& x : steps) {
    of_whole.push_back(evaluate(whole, x));
    levels += whole.region().coarse.exists() ? 1 : 0;
    kept += !states.empty() && states.back() == whole.state() ? 1 : 0;
    states.push_back(whole.state());
  }
  EXPECT_GE(levels, 3);
  EXPECT_LE(levels, 10) << "there are steps with one mesh";
  EXPECT_GE(kept, 2);
  for (std::size_t stop = 0; stop + 1 < steps.size(); ++stop) {
    HostMesh resumed({1}, kCoulomb, kMeshParameters, kPricesOfTwoMeshes, p);
    resumed.set_state(states[stop]);
    EXPECT_TRUE(same_bytes(evaluate(resumed, steps[stop], Want::forces), of_whole[stop])) << stop;
    EXPECT_EQ(resumed.state(), states[stop]);
    const MeshEvaluation next = evaluate(resumed, steps[stop + 1]);
    EXPECT_TRUE(same_bytes(next, of_whole[stop + 1])) << stop;
    EXPECT_EQ(next.energy, of_whole[stop + 1].energy);
    EXPECT_EQ(resumed.state(), states[stop + 1]);
  }
}

TEST(Vapour, HasAStateThatIsChecked) {
  const Particles p = droplet_with_vapour(1000, 1500);
  HostMesh mesh({1}, kCoulomb, kMeshParameters, kPricesOfTwoMeshes, p);
  evaluate(mesh, p.position);
  const std::vector<double> state = mesh.state();
  ASSERT_EQ(state.size(), 17U);
  mesh.set_state(state);
  for (const auto& [index, wrong] : {std::pair<std::size_t, double>{7, 0.0},
                                     {7, NAN},
                                     {7, 1e9},
                                     {8, 0.5},
                                     {8, 1e6},
                                     {11, 0.0},
                                     {11, 1e9},
                                     {14, -1.0},
                                     {15, -1.0},
                                     {16, 0.0},
                                     {16, NAN}}) {
    std::vector<double> numbers = state;
    numbers[index] = wrong;
    EXPECT_THROW(mesh.set_state(numbers), std::invalid_argument) << index << ' ' << wrong;
  }
  EXPECT_THROW(mesh.set_state(std::span(state).first(16)), std::invalid_argument);
  EXPECT_EQ(mesh.state(), state);
}

}  // namespace
}  // namespace dropmd
