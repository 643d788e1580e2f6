#include "forces/mesh/mesh_term.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "forces/pair/pair_force_term.h"
#include "tests/forces/mesh/mesh_evaluation.h"

namespace dropmd {
namespace {

bool same_bytes(const std::vector<Vec3<double>>& a, const std::vector<Vec3<double>>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}

/// RMS of the difference between the forces before the net force was subtracted and the exact ones.
double rms_error(const HostMesh& mesh, std::span<const Vec3<double>> position) {
  std::vector<AtomSums> exact(mesh.charged().size());
  mesh.add_reference({1}, {position, 0}, mesh.charged(), exact);
  double sum = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const Vec3<double> error = mesh.gradient_forces()[k] - exact[k].force;
    sum += dot(error, error);
  }
  return std::sqrt(sum / static_cast<double>(exact.size()));
}

TEST(SmoothKernel, IsTheSplitInAllDigits) {
  for (const double bandwidth : {8.0, 12.4, 26.2}) {
    const CoulombSplit split(9, bandwidth);
    const SmoothKernel kernel(split);
    for (const double r : {0.0, 1e-3, 0.5, 2.0, 5.0, 8.9, 9.0, 20.0}) {
      EXPECT_NEAR(kernel(r * r).potential, split.smooth(r), 2e-14 * split.smooth(0));
      EXPECT_NEAR(kernel(r * r).force_over_r, split.smooth_force_over_r(r), 3e-14 * split.smooth_force_over_r(0));
    }
  }
}

/// Reference and energies of the reference are those of L by the quadratures of the split.
TEST(HostMesh, HasTheExactSmoothPartAsReference) {
  const Particles p = mesh_system("random", 40);
  const HostMesh mesh({1}, kCoulomb, kMeshParameters, kMeshPrices, p);
  const CoulombSplit split(9, 12.4);
  const std::uint32_t sample[] = {3, 39};
  std::vector<AtomSums> sums(2);
  mesh.add_reference({1}, {p.position, 0}, sample, sums);
  double twice = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    Vec3<double> force;
    double energy = 0;
    for (std::size_t j = 0; j < 40; ++j) {
      if (j == i) continue;
      const Vec3<double> d = p.position[i] - p.position[j];
      const double qq = kCoulomb * p.charge[i] * p.charge[j];
      force += (qq * split.smooth_force_over_r(norm(d))) * d;
      energy += qq * split.smooth(norm(d));
    }
    twice += energy;
    if (i != 3 && i != 39) continue;
    const AtomSums& own = sums[i == 3 ? 0 : 1];
    EXPECT_LT(norm(own.force - force), 1e-11 * (1 + norm(force)));
    EXPECT_NEAR(own.coulomb, energy, 1e-11 * (1 + std::abs(energy)));
  }
  Energies energies;
  mesh.add_reference_energies({1}, {p.position, 0}, energies);
  EXPECT_NEAR(energies.of(kCoulombEnergy), 0.5 * twice, 1e-11 * (1 + std::abs(twice)));
}

TEST(HostMesh, OfNothingAndOfUnchargedAtomsIsNothing) {
  const Particles none;
  HostMesh empty({1}, kCoulomb, kMeshParameters, kMeshPrices, none);
  EXPECT_EQ(evaluate(empty, none.position).energy, 0);
  Particles neutral = mesh_system("random", 5);
  std::fill(neutral.charge.begin(), neutral.charge.end(), 0.0);
  HostMesh mesh({1}, kCoulomb, kMeshParameters, kMeshPrices, neutral);
  const MeshEvaluation result = evaluate(mesh, neutral.position);
  for (const Vec3<double>& f : result.force) EXPECT_EQ(f, Vec3<double>{});
  EXPECT_EQ(result.energy, 0);
}

/// Central differences of fourth order in steps of 1e-2 have an error of (2π · 1e-2/h)⁴/30 = 8e-8.
TEST(HostMesh, HasTheForcesOfItsEnergy) {
  Particles p = mesh_system("water", 60);
  p.position.push_back({60, 0, 0});  // outside of the mesh
  p.charge.push_back(1);
  p.mass.push_back(1);
  HostMesh mesh({1}, kCoulomb, kMeshParameters, {2, 0.1, 0.01, 100}, p);
  evaluate(mesh, p.position);
  ASSERT_FALSE(mesh.region().empty());
  ASSERT_FALSE(mesh.region().holds(p.position[60], 6));
  const std::vector<Vec3<double>> forces(mesh.gradient_forces().begin(), mesh.gradient_forces().end());
  double scale = 0;
  for (const Vec3<double>& f : forces) scale = std::max(scale, norm(f));
  constexpr double kStep = 1e-2;
  const auto numbers = mesh.state();
  for (const std::size_t i : {0U, 31U, 59U, 60U})
    for (double Vec3<double>::*axis : {&Vec3<double>::x, &Vec3<double>::y, &Vec3<double>::z}) {
      double at[4];
      const double x = p.position[i].*axis;
      for (int k = 0; k < 4; ++k) {
        p.position[i].*axis = x + kStep * (k < 2 ? k - 2 : k - 1);
        at[k] = evaluate(mesh, p.position).energy;
      }
      p.position[i].*axis = x;
      EXPECT_NEAR(forces[i].*axis, -(at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * kStep), 1e-6 * scale);
    }
  EXPECT_EQ(mesh.state(), numbers) << "the box has stayed";
}

TEST(HostMesh, SubtractsTheNetForceInProportionToMass) {
  const Particles p = mesh_system("random", 200);
  HostMesh mesh({1}, kCoulomb, kMeshParameters, kMeshAlone, p);
  const MeshEvaluation result = evaluate(mesh, p.position);
  Vec3<double> net, of_gradient;
  double mass = 0, largest = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    net += result.force[i];
    of_gradient += mesh.gradient_forces()[i];
    mass += p.mass[i];
    largest = std::max(largest, norm(result.force[i]));
  }
  EXPECT_GT(norm(of_gradient), 1e-6 * largest);
  EXPECT_LT(norm(net), 1e-13 * 200 * largest);
  for (std::size_t i = 0; i < 200; ++i) {
    const Vec3<double> taken = mesh.gradient_forces()[i] - result.force[i];
    EXPECT_LT(norm(taken - (p.mass[i] / mass) * of_gradient), 1e-12 * largest);
  }
}

TEST(HostMesh, AddsToTheForcesOfOtherTerms) {
  const Particles p = mesh_system("random", 50);
  HostMesh mesh({1}, kCoulomb, kMeshParameters, kMeshPrices, p);
  const MeshEvaluation alone = evaluate(mesh, p.position);
  std::vector<Vec3<double>> force(50, {1, 2, 3});
  Energies energies({{kCoulombEnergy, 7}}, 0);
  mesh.evaluate({p.position, 0}, Want::forces_and_energies, false, force, energies);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_LT(norm(force[i] - alone.force[i] - Vec3<double>{1, 2, 3}), 1e-12);
  EXPECT_NEAR(energies.of(kCoulombEnergy), 7 + alone.energy, 1e-12 * std::abs(alone.energy));
}

TEST(HostMesh, IsTheSameForEveryNumberOfThreads) {
  Particles p = mesh_system("water", 3000);
  p.position[17] = {500, 0, 0};
  HostMesh one({1}, kCoulomb, kMeshParameters, kMeshPrices, p), three({3}, kCoulomb, kMeshParameters, kMeshPrices, p);
  const MeshEvaluation a = evaluate(one, p.position), b = evaluate(three, p.position);
  EXPECT_TRUE(same_bytes(a.force, b.force));
  EXPECT_EQ(a.energy, b.energy);
}

/// Ions around a droplet and one that has left for infinity: they meet all charges directly, without an error.
TEST(HostMesh, LeavesFarChargesOffTheMesh) {
  Particles p = mesh_system("water", 600);
  HostMesh alone({1}, kCoulomb, kMeshParameters, kMeshPrices, p);
  evaluate(alone, p.position);
  const double error = rms_error(alone, p.position);
  for (int k = 0; k < 20; ++k) {
    const double angle = 2.4 * k, distance = k == 0 ? 1e6 : 100 + 10 * k;
    p.position.push_back({distance * std::cos(angle), distance * std::sin(angle), 8.0 * k - 80});
    p.charge.push_back(k % 2 == 0 ? 1 : -1);
    p.mass.push_back(23);
  }
  HostMesh mesh({1}, kCoulomb, kMeshParameters, kMeshPrices, p);
  const MeshEvaluation result = evaluate(mesh, p.position);
  EXPECT_EQ(mesh.region().box.points, alone.region().box.points);
  EXPECT_LT(rms_error(mesh, p.position), 1.01 * error);
  Energies exact;
  mesh.add_reference_energies({1}, {p.position, 0}, exact);
  EXPECT_NEAR(result.energy, exact.of(kCoulombEnergy), 1e-4 * std::abs(result.energy));
  std::vector<AtomSums> sums(1);
  const std::uint32_t ion[] = {610};
  mesh.add_reference({1}, {p.position, 0}, ion, sums);
  EXPECT_LT(norm(mesh.gradient_forces()[610] - sums[0].force), 1e-12 * norm(sums[0].force));
}

/// A vapour has no mesh: all pairs are cheaper.
TEST(HostMesh, NeedsNoPointsForAVapour) {
  ChargesForMesh charges(3);
  for (int i = 0; i < 100; ++i)
    charges.add({charges.uniform(-1e5, 1e5), charges.uniform(-1e5, 1e5), charges.uniform(-1e5, 1e5)}, i % 2 ? 1 : -1);
  const Particles p = charges.take();
  HostMesh mesh({1}, kCoulomb, kMeshParameters, kMeshPrices, p);
  const MeshEvaluation result = evaluate(mesh, p.position);
  EXPECT_TRUE(mesh.region().empty());
  EXPECT_LT(mesh.bytes(), 100000U);
  Energies exact;
  mesh.add_reference_energies({1}, {p.position, 0}, exact);
  EXPECT_NEAR(result.energy, exact.of(kCoulombEnergy), 1e-12 * std::abs(result.energy) + 1e-15);
}

/// Positions beyond all use do not overflow the indices of a box's points.
TEST(HostMesh, SurvivesChargesAtAnyPlace) {
  for (const double far : {1e12, 1e17, 1e30, 1e160}) {
    Particles p = mesh_system("random", 100);
    for (Vec3<double>& x : p.position) x.y += far;
    p.position[3].z = -far;
    HostMesh mesh({1}, kCoulomb, kMeshParameters, kMeshAlone, p);
    evaluate(mesh, p.position);
    HostMesh resumed({1}, kCoulomb, kMeshParameters, kMeshAlone, p);
    EXPECT_NO_THROW(resumed.set_state(mesh.state())) << far;
  }
}

/// Positions, as of the steps of a run, of atoms that spread and drift, and some of which leave for good.
std::vector<std::vector<Vec3<double>>> spreading(const Particles& p) {
  std::vector<std::vector<Vec3<double>>> steps;
  for (int step = 0; step < 24; ++step) {
    std::vector<Vec3<double>> x = p.position;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] *= 1 + 0.01 * step;
      x[i] += Vec3<double>{1.5 * step, 0, 0};
      if (i % 10 == 0) x[i] += (1.0 * step) * p.position[i];
    }
    if (step >= 20) {
      for (Vec3<double>& at : x) at *= 0.4;  // everything shrinks
    }
    steps.push_back(x);
  }
  return steps;
}

TEST(HostMesh, ContinuesFromItsStateToTheSameBytes) {
  const Particles p = mesh_system("water", 300);
  const auto steps = spreading(p);
  HostMesh whole({1}, kCoulomb, kMeshParameters, kMeshPrices, p);
  std::vector<MeshEvaluation> of_whole;
  std::vector<std::vector<double>> states;
  int changes = 0, kept = 0;
  for (const auto& x : steps) {
    of_whole.push_back(evaluate(whole, x));
    if (!states.empty()) (states.back() == whole.state() ? kept : changes) += 1;
    states.push_back(whole.state());
  }
  EXPECT_GE(changes, 3);
  EXPECT_GE(kept, 10);
  for (std::size_t stop = 0; stop + 1 < steps.size(); ++stop) {
    HostMesh resumed({1}, kCoulomb, kMeshParameters, kMeshPrices, p);
    resumed.set_state(states[stop]);
    // A run evaluates its last step again when it resumes, with or without energies.
    const MeshEvaluation again = evaluate(resumed, steps[stop], stop % 2 ? Want::forces : Want::forces_and_energies);
    EXPECT_TRUE(same_bytes(again.force, of_whole[stop].force)) << stop;
    EXPECT_EQ(resumed.state(), states[stop]);
    const MeshEvaluation next = evaluate(resumed, steps[stop + 1]);
    EXPECT_TRUE(same_bytes(next.force, of_whole[stop + 1].force)) << stop;
    EXPECT_EQ(next.energy, of_whole[stop + 1].energy);
    EXPECT_EQ(resumed.state(), states[stop + 1]);
  }
}

TEST(HostMesh, StaysAccurateWhileItsRegionChanges) {
  const Particles p = mesh_system("water", 300);
  HostMesh mesh({1}, kCoulomb, kMeshParameters, kMeshPrices, p);
  const auto steps = spreading(p);
  evaluate(mesh, steps[0]);
  const double error = rms_error(mesh, steps[0]);
  for (std::size_t step = 1; step < 20; ++step) {
    evaluate(mesh, steps[step]);
    EXPECT_LT(rms_error(mesh, steps[step]), 2 * error) << step;
  }
}

TEST(HostMesh, RefusesNumbersThatAreNoState) {
  const Particles p = mesh_system("random", 10);
  HostMesh mesh({1}, kCoulomb, kMeshParameters, kMeshPrices, p);
  using Numbers = std::vector<double>;
  for (const Numbers& wrong :
       {Numbers{}, Numbers{1, 2, 3}, Numbers{0, 0, 0, 20, 20, 1e9, 0}, Numbers{0, 0, 0, 20, 0, 20, 0},
        Numbers{0, 0.5, 0, 20, 20, 20, 0}, Numbers{0, 0, 0, 20, 20, NAN, 0}, Numbers{0, 0, 0, 20, 20, 20, -1}})
    EXPECT_THROW(mesh.set_state(wrong), std::invalid_argument);
  mesh.set_state(mesh.state());
}

TEST(MeshTerm, AddsToTheCoulombEnergyOnTheHost) {
  const MeshTerm term(kCoulomb, kMeshParameters);
  EXPECT_EQ(term.energy_names(), std::vector<std::string_view>{"coulomb"});
  EXPECT_EQ(term.invariance(), Invariance{});
  const Particles p = mesh_system("random", 500);
  const auto host = term.on_host({1}, p);
  std::vector<Vec3<double>> force(500, {NAN, NAN, NAN});
  Energies energies, exact;
  host->evaluate({p.position, 0}, Want::forces_and_energies, true, force, energies);
  host->add_reference_energies({1}, {p.position, 0}, exact);
  EXPECT_NEAR(energies.of("coulomb"), exact.of("coulomb"), 1e-3 * std::abs(exact.of("coulomb")));
  EXPECT_GT(host->bytes(), 500U);
}

}  // namespace
}  // namespace dropmd
