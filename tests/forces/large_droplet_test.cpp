#include <gtest/gtest.h>

#include <ostream>
#include <random>
#include <string>

#include "device/device_info.h"
#include "engine/force_errors.h"
#include "forces/pair/cuda/pairs_cuda.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/pair_models.h"

/// More atoms than one warp handles at the highest level of a search on a GPU, and than one block can index.
namespace dropmd {
namespace {

/// A method. two_atom: with a model without charges, for which the rule chooses lists of two-atom clusters.
struct LargeSearch {
  std::string name;
  NeighborMethod method;
  bool two_atom = false;
};
void PrintTo(const LargeSearch& search, std::ostream* out) { *out << search.name; }

class LargeDroplet : public testing::TestWithParam<LargeSearch> {};

TEST_P(LargeDroplet, ForcesOnSomeOf300000AtomsAreThoseOfBruteForce) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  ChargedAtoms atoms = fcc_ball(2738);
  ASSERT_GT(atoms.size(), 300'000);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-0.05, 0.05);
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    atoms.position[i] += Vec3<double>{uniform(random), uniform(random), uniform(random)};
    atoms.charge[i] = 10 * uniform(random);
  }
  std::shuffle(atoms.position.begin(), atoms.position.end(), random);
  const PairSearch search{.method = GetParam().method};
  const PairModel model =
      GetParam().two_atom ? lj_model("force-shift") : simple_model(lj_treatments()[3], coulomb_choices(kLjCutoff)[3]);
  ASSERT_EQ(uses_two_atom_clusters(search, model, Precision::mixed, atoms.size()), GetParam().two_atom);
  std::vector<std::uint32_t> sample;
  for (std::uint32_t i = 17; i < atoms.size(); i += 3'001) sample.push_back(i);
  const std::vector<AtomSums> exact = brute_force_atoms(Cpu{2}, model, atoms.view(), atoms.position, sample);

  std::vector<Vec3<double>> force(atoms.size());
  const auto forces = make_pairs_cuda<float>(0, Cpu{2}, search, model, atoms.view());
  forces->evaluate(atoms.position, force, Want::forces_and_energies);
  const ForceErrors errors = force_errors(force, sample, exact, Precision::mixed);
  const Bounds bounds = bounds_of(Precision::mixed);
  EXPECT_GT(errors.rms, 0);
  EXPECT_LE(errors.rms, bounds.rms_force);
  EXPECT_LE(errors.worst, bounds.worst_force);
}

INSTANTIATE_TEST_SUITE_P(All, LargeDroplet,
                         testing::Values(LargeSearch{"list", NeighborMethod::pair_list},
                                         LargeSearch{"two_atom", NeighborMethod::pair_list, true},
                                         LargeSearch{"cells", NeighborMethod::cells},
                                         LargeSearch{"sorted_cells", NeighborMethod::sorted_cells}),
                         [](const auto& search) { return search.param.name; });

}  // namespace
}  // namespace dropmd
