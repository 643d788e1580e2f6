#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "forces/mesh/charge_statistics.h"
#include "forces/mesh/mesh_term.h"
#include "forces/mesh/split_polynomial.h"
#include "forces/pair/brute_force.h"
#include "forces/pair/pair_force_term.h"
#include "tests/forces/mesh/excluded_molecules.h"
#include "tests/forces/mesh/mesh_evaluation.h"

/// A mesh beside which some pairs are excluded.
namespace dropmd {
namespace {

struct Result {
  std::vector<Vec3<double>> force;
  double energy = 0;
};

PairModel coulomb_model(const FormChoice& form) {
  PairModel model;
  model.coulomb = form;
  model.coulomb_constant = kCoulomb;
  return model;
}

/// Pairs and a mesh for the Coulomb term of molecules, with a cutoff of 6.
class Divided {
 public:
  Divided(const MoleculesForMesh& molecules, double accuracy, int order = 6)
      : p_(molecules.particles),
        excluded_(molecules.topology->exclusions, p_),
        species_(p_.size(), 0),
        scale_(statistics().force_scale(kCoulomb)),
        parameters_(mesh_parameters(statistics(), kCoulomb, accuracy, 6, order)),
        pairs_(short_range_choice(split(), least_degree(split(), parameters_.fit_error, 20).value())),
        term_(kCoulomb, parameters_, kMeshPrices, pairs_, {}, molecules.topology) {}
  Divided(const Divided&) = delete;

  const MeshTerm& term() const { return term_; }
  const FormChoice& pairs() const { return pairs_; }
  const MeshParameters& parameters() const { return parameters_; }
  /// The scale to which accuracies are relative, energy/length.
  double scale() const { return scale_; }
  const ExcludedPairs& excluded() const { return excluded_; }
  std::unique_ptr<ForceTerm> mesh(int threads = 1) const { return term_.on_host({threads}, p_); }

  /// Of pairs and mesh.
  Result evaluate(ForceTerm& mesh) const {
    Result result{std::vector<Vec3<double>>(p_.size(), {NAN, NAN, NAN}), 0};
    PairForceTerm of_pairs(make_all_pairs({1}, Precision::fp64, coulomb_model(pairs_), atoms()), coulomb_model(pairs_),
                           atoms());
    Energies energies;
    of_pairs.evaluate({p_.position, 0}, Want::forces_and_energies, true, result.force, energies);
    mesh.evaluate({p_.position, 0}, Want::forces_and_energies, false, result.force, energies);
    result.energy = energies.of(kCoulombEnergy);
    return result;
  }

  /// Of all pairs that are not excluded.
  Result exact() const {
    const std::vector<AtomSums> sums =
        brute_force_atoms({1}, coulomb_model(FormChoice{"exact"}), atoms(), p_.position, all());
    return result_of(sums);
  }

  /// The references of both parts.
  Result reference(const ForceTerm& mesh) const {
    std::vector<AtomSums> sums = brute_force_atoms({1}, coulomb_model(pairs_), atoms(), p_.position, all());
    mesh.add_reference({1}, {p_.position, 0}, all(), sums);
    return result_of(sums);
  }

 private:
  CoulombSplit split() const { return {parameters_.cutoff, parameters_.bandwidth}; }
  ChargeStatistics statistics() const { return ChargeStatistics::of({1}, kCoulomb, p_.position, p_.charge, excluded_); }
  PairAtoms atoms() const { return {p_.charge, species_, &excluded_}; }
  std::vector<std::uint32_t> all() const {
    std::vector<std::uint32_t> everyone(p_.size());
    std::iota(everyone.begin(), everyone.end(), 0U);
    return everyone;
  }
  static Result result_of(const std::vector<AtomSums>& sums) {
    Result result;
    for (const AtomSums& of : sums) {
      result.force.push_back(of.force);
      result.energy += 0.5 * of.coulomb;
    }
    return result;
  }

  const Particles& p_;
  ExcludedPairs excluded_;
  std::vector<std::uint32_t> species_;
  double scale_;
  MeshParameters parameters_;
  FormChoice pairs_;
  MeshTerm term_;
};

double rms_difference(const Result& a, const Result& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.force.size(); ++i) sum += squared_norm(a.force[i] - b.force[i]);
  return std::sqrt(sum / static_cast<double>(a.force.size()));
}

bool same_bytes(const Result& a, const Result& b) {
  return a.energy == b.energy && a.force.size() == b.force.size() &&
         std::memcmp(a.force.data(), b.force.data(), a.force.size() * sizeof a.force[0]) == 0;
}

class MeshExclusions : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Systems, MeshExclusions, testing::ValuesIn(kExcludedSystems),
                         [](const auto& test) { return test.param; });

/// Errors of the energy are those of the forces, independent of each other, over the length of the cutoff.
TEST_P(MeshExclusions, LeaveTheForcesOfOtherPairsToTheAccuracy) {
  const MoleculesForMesh molecules = excluded_system(GetParam(), 900);
  for (const double accuracy : {1e-3, 1e-4, 1e-5}) {
    const Divided divided(molecules, accuracy, accuracy < 5e-5 ? 8 : 6);
    const auto mesh = divided.mesh();
    const Result exact = divided.exact(), result = divided.evaluate(*mesh);
    const double error = rms_difference(result, exact) / divided.scale();
    RecordProperty("error", std::to_string(error));
    EXPECT_LE(error, accuracy);
    const double n = static_cast<double>(molecules.particles.size());
    const double energy =
        std::abs(result.energy - exact.energy) / (divided.scale() * divided.parameters().cutoff * std::sqrt(n));
    EXPECT_LE(energy, accuracy);
  }
}

TEST_P(MeshExclusions, HaveAnExactReference) {
  const MoleculesForMesh molecules = excluded_system(GetParam(), 400);
  const Divided divided(molecules, 1e-3);
  const auto mesh = divided.mesh();
  const Result exact = divided.exact(), reference = divided.reference(*mesh);
  EXPECT_LE(rms_difference(reference, exact), 1e-13 * divided.scale());
  EXPECT_NEAR(reference.energy, exact.energy, 1e-12 * (400 + std::abs(exact.energy)));
}

TEST_P(MeshExclusions, HaveTheSameEnergiesInTheReferenceOfAllAtoms) {
  const MoleculesForMesh molecules = excluded_system(GetParam(), 400);
  const Divided divided(molecules, 1e-3);
  const auto mesh = divided.mesh();
  std::vector<std::uint32_t> all(molecules.particles.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<AtomSums> sums(all.size());
  mesh->add_reference({1}, {molecules.particles.position, 0}, all, sums);
  double twice = 0;
  for (const AtomSums& of : sums) twice += of.coulomb;
  Energies energies;
  mesh->add_reference_energies({1}, {molecules.particles.position, 0}, energies);
  EXPECT_NEAR(energies.of(kCoulombEnergy), 0.5 * twice, 1e-11 * (1 + std::abs(twice)));
}

TEST_P(MeshExclusions, AreTheSameForEveryNumberOfThreads) {
  const MoleculesForMesh molecules = excluded_system(GetParam(), 10'000);  // more than a loop on one thread has
  const Divided divided(molecules, 1e-3);
  const auto one = divided.mesh(1), three = divided.mesh(3);
  Result a{std::vector<Vec3<double>>(molecules.particles.size())}, b = a;
  for (const auto& [mesh, result] : {std::pair(one.get(), &a), std::pair(three.get(), &b)}) {
    Energies energies;
    mesh->evaluate({molecules.particles.position, 0}, Want::forces_and_energies, true, result->force, energies);
    result->energy = energies.of(kCoulombEnergy);
  }
  EXPECT_TRUE(same_bytes(a, b));
}

/// As HostMesh.HasTheForcesOfItsEnergy, with the form of pairs.
TEST_P(MeshExclusions, HaveTheForcesOfTheirEnergy) {
  MoleculesForMesh molecules = excluded_system(GetParam(), 64);
  Particles& p = molecules.particles;
  const Divided divided(molecules, 1e-4);
  HostMesh mesh({1}, kCoulomb, kMeshParameters, kMeshPrices, p, short_range_choice(CoulombSplit(9, 12.4), 12),
                divided.excluded());
  std::vector<Vec3<double>> force(p.size());
  const auto energy = [&] {
    Energies energies;
    mesh.evaluate({p.position, 0}, Want::forces_and_energies, true, force, energies);
    return energies.of(kCoulombEnergy);
  };
  energy();
  const std::vector<Vec3<double>> forces(mesh.gradient_forces().begin(), mesh.gradient_forces().end());
  double scale = 0;
  for (const Vec3<double>& f : forces) scale = std::max(scale, norm(f));
  constexpr double kStep = 1e-2;
  for (const std::size_t i : {0U, 9U, 33U, 63U})
    for (double Vec3<double>::*axis : {&Vec3<double>::x, &Vec3<double>::y, &Vec3<double>::z}) {
      const std::size_t atom = std::min(i, p.size() - 1);
      double at[4];
      const double x = p.position[atom].*axis;
      for (int k = 0; k < 4; ++k) {
        p.position[atom].*axis = x + kStep * (k < 2 ? k - 2 : k - 1);
        at[k] = energy();
      }
      p.position[atom].*axis = x;
      EXPECT_NEAR(forces[atom].*axis, -(at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * kStep), 3e-6 * scale) << atom;
    }
}

class MeshExclusionsOfMolecules : public MeshExclusions {};
INSTANTIATE_TEST_SUITE_P(Systems, MeshExclusionsOfMolecules, testing::Values("water", "sites", "chains"),
                         [](const auto& test) { return test.param; });

/// Every second molecule is there, with the ids that it had.
TEST_P(MeshExclusionsOfMolecules, FollowTheIdsOfThoseThatAreLeft) {
  const MoleculesForMesh whole = excluded_system(GetParam(), 600);
  const std::size_t size = GetParam() == "water" ? 3 : GetParam() == "sites" ? 4 : 8;
  MoleculesForMesh half{{}, whole.topology};
  Particles& p = half.particles;
  for (std::uint32_t i = 0; i < whole.particles.size(); ++i) {
    if (i / size % 2 == 0) continue;
    p.position.push_back(whole.particles.position[i]);
    p.charge.push_back(whole.particles.charge[i]);
    p.mass.push_back(whole.particles.mass[i]);
    p.id.push_back(i + 1);
  }
  const Divided divided(half, 1e-4);
  const auto mesh = divided.mesh();
  EXPECT_LE(rms_difference(divided.evaluate(*mesh), divided.exact()), 1e-4 * divided.scale());
  EXPECT_LE(rms_difference(divided.reference(*mesh), divided.exact()), 1e-13 * divided.scale());
  p.id.back() += 1000;
  EXPECT_THROW(divided.mesh(), std::logic_error) << "a part of a molecule";
}

/// The forces of a pair at one place are zero, and its energy is that of L(0), within a mesh and outside of it.
TEST(MeshExclusionsAtOnePlace, LeaveNothing) {
  for (const double far : {0.0, 1e4}) {
    Particles p = mesh_system("random", 200);
    for (const Vec3<double>& x : {Vec3<double>{1.3, 2.2, 0.7}, Vec3<double>{1.3, 2.2, 0.7}}) {
      p.position.push_back(x + Vec3<double>{far, 0, 0});
      p.charge.push_back(p.charge.size() % 2 ? -1.1 : 0.7);
      p.mass.push_back(1);
    }
    const MoleculesForMesh molecules{p, topology_excluding(202, {{200, 201}})};
    const Divided divided(molecules, 1e-4);
    const auto mesh = divided.mesh();
    const Result result = divided.evaluate(*mesh), exact = divided.exact();
    EXPECT_LE(rms_difference(result, exact), 1e-4 * divided.scale());
    EXPECT_NEAR(result.energy, exact.energy, 1e-4 * 6 * divided.scale() * std::sqrt(202));
    const Result reference = divided.reference(*mesh);
    EXPECT_LE(rms_difference(reference, exact), 1e-13 * divided.scale());
  }
}

/// A single molecule, all pairs of which are excluded.
TEST(MeshExclusionsOfAllPairs, LeaveNothingButTheErrorOfTheMesh) {
  Particles p = mesh_system("water", 3);
  const MoleculesForMesh molecules{p, topology_excluding(3, pairs_within(3, 3))};
  const MeshParameters parameters{6, CoulombSplit::bandwidth_for(1e-5), 0.5, 8, 0};
  const CoulombSplit split(6, parameters.bandwidth);
  const auto mesh =
      MeshTerm(kCoulomb, parameters, {2, 1e-9, 0.1, 1e12}, short_range_choice(split, 14), {}, molecules.topology)
          .on_host({1}, p);
  std::vector<Vec3<double>> force(3);
  Energies energies;
  mesh->evaluate({p.position, 0}, Want::forces_and_energies, true, force, energies);
  const double pair = kCoulomb * 0.82 * 0.41;  // of 1 Å
  EXPECT_NEAR(energies.of(kCoulombEnergy), 0, 1e-5 * pair);
  for (const Vec3<double>& f : force) EXPECT_LE(norm(f), 1e-5 * pair);
  std::vector<AtomSums> sums(3);
  const std::uint32_t all[] = {0, 1, 2};
  mesh->add_reference({1}, {p.position, 0}, all, sums);
  for (const AtomSums& of : sums) EXPECT_EQ(of.force, Vec3<double>{});
}

TEST(ChargeStatistics, HasTheForceOfPairsThatAreNotExcluded) {
  const MoleculesForMesh molecules = excluded_system("water", 900);
  const Particles& p = molecules.particles;
  const ExcludedPairs excluded(molecules.topology->exclusions, p);
  const Divided divided(molecules, 1e-3);
  const ChargeStatistics all = ChargeStatistics::of({1}, kCoulomb, p.position, p.charge),
                         others = ChargeStatistics::of({2}, kCoulomb, p.position, p.charge, excluded);
  double square = 0;
  for (const Vec3<double>& f : divided.exact().force) square += squared_norm(f) / static_cast<double>(p.size());
  EXPECT_NEAR(others.rms_force, std::sqrt(square), 1e-12 * others.rms_force);
  EXPECT_LT(others.rms_force, 0.5 * all.rms_force);
  EXPECT_EQ(others.density, all.density);
  EXPECT_EQ(others.coherence, all.coherence) << "a mesh has all charges";
  EXPECT_EQ(others.neighbors, all.neighbors);
}

}  // namespace
}  // namespace dropmd
