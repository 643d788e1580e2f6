#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "device/device_info.h"
#include "forces/pair/brute_force.h"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "forces/pair/cuda/lists/list_forces.cuh"
#include "forces/pair/cuda/lists/two_atom_forces.cuh"
#include "tests/support/agreement.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/pair_models.h"
#include "tests/support/random_droplets.h"

/// Lists of two-atom clusters: with atoms in any order, while atoms move, and with less capacity than they need.
/// traversals_test.cpp and random_searches_test.cpp test them together with the other searches.
namespace dropmd {
namespace {

constexpr double kSkin = 0.3;

/// Takes the atoms in the order of the file, whatever it is.
class TwoAtomPairs {
 public:
  TwoAtomPairs(PairModel model, const ChargedAtoms& atoms)
      : model_(std::move(model)),
        n_(static_cast<std::uint32_t>(atoms.size())),
        tiles_(stream_, n_),
        sums_(stream_, model_, atoms.charge),
        list_(stream_, n_, pair_list_parameters(model_, kSkin), {}),
        forces_(cuda_, model_) {
    d_charge_.upload(atoms.charge);
    d_species_.upload(atoms.species);
    stream_.synchronize("copying the atoms");
  }

  void move_to(const ChargedAtoms& atoms) {
    d_position_.upload(atoms.position);
    stream_.synchronize("copying the atoms");
  }
  void build() { list_.build_now(cuda_, view()); }
  void save() { list_.save(cuda_); }
  void restore() { list_.restore(cuda_, view()); }

  Answer answer() {
    sums_.clear(cuda_);
    forces_.add_forces(cuda_, list_.view(), view(), nullptr, sums_.view());
    Answer answer{sums_.download(cuda_, n_), {}};
    DeviceBuffer<PartialEnergy> d_energy(stream_);
    d_energy.resize(list_.n_partial_energies());
    forces_.energies(cuda_, list_.view(), view(), d_energy.data(), list_.n_partial_energies());
    std::vector<PartialEnergy> parts(d_energy.size());
    d_energy.download(parts);
    list_.start_reading();
    stream_.synchronize("computing energies");
    PartialEnergy sum{0, 0, 0};
    for (const PartialEnergy& part : parts) sum = sum + part;
    answer.sums = {sum.vdw, sum.coulomb, sum.within, list_.candidate_pairs()};
    return answer;
  }

 private:
  AtomTilesView<float> view() const { return tiles_.view(d_position_.data(), d_charge_.data(), d_species_.data()); }

  PairModel model_;
  std::uint32_t n_;
  Stream stream_{0};
  Cuda cuda_{stream_};
  DeviceBuffer<Vec3<double>> d_position_{stream_};
  DeviceBuffer<double> d_charge_{stream_};
  DeviceBuffer<std::uint32_t> d_species_{stream_};
  AtomTiles<float> tiles_;
  ForceSums<float> sums_;
  TwoAtomList list_;
  TwoAtomForces forces_;
};

class TwoAtomListTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }

  static Answer brute_force(const PairModel& model, const ChargedAtoms& atoms) {
    return evaluate(*make_brute_force(Cpu{1}, model, atoms.view()), atoms, Want::forces_and_energies);
  }
  static void expect_right(const Answer& answer, const PairModel& model, const ChargedAtoms& atoms) {
    expect_agreement(answer, brute_force(model, atoms), pair_scales(model, atoms.view(), atoms.position), atoms,
                     Precision::mixed);
  }
  /// Returns the answer of a freshly built list.
  static Answer built(const PairModel& model, const ChargedAtoms& atoms) {
    TwoAtomPairs pairs(model, atoms);
    pairs.move_to(atoms);
    pairs.build();
    return pairs.answer();
  }
};

/// A droplet of one species.
ChargedAtoms droplet(std::size_t n, std::uint32_t seed) {
  return with_species(random_droplet(Regime::liquid, n, seed), 1);
}

ChargedAtoms shuffled(ChargedAtoms atoms, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::shuffle(atoms.position.begin(), atoms.position.end(), random);
  return atoms;
}

ChargedAtoms shaken(ChargedAtoms atoms, double by, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-by, by);
  for (Vec3<double>& x : atoms.position) x += Vec3<double>{uniform(random), uniform(random), uniform(random)};
  return atoms;
}

/// The tiles and clusters of larger droplets then span gaps. With 24,000 atoms, blocks find too many clusters and
/// compute pairs with all atoms.
TEST_F(TwoAtomListTest, TakesAtomsInAnyOrder) {
  for (const std::size_t n : {1U, 2U, 3U, 63U, 64U, 65U, 255U, 256U, 257U, 1'500U, 8'000U, 24'000U}) {
    SCOPED_TRACE(n);
    const PairModel model = lj_model("force-shift");
    const ChargedAtoms atoms = shuffled(droplet(n, static_cast<std::uint32_t>(n)), 3);
    const Answer answer = built(model, atoms);
    expect_right(answer, model, atoms);
    if (n == 24'000) {
      EXPECT_EQ(answer.sums.candidate_pairs, n * (n - 1) / 2) << "not all blocks are overfull";
    }
  }
}

/// Blocks that wide hold their atoms in double precision.
TEST_F(TwoAtomListTest, TakesAtomsFarApart) {
  const PairModel model = lj_model("shift");
  for (const double apart : {100.0, 1e3, 1e7, 1e11}) {
    SCOPED_TRACE(apart);
    ChargedAtoms atoms = droplet(700, 5);
    for (std::size_t i = 0; i < atoms.size(); i += 5) atoms.position[i].y += apart;
    expect_right(built(model, atoms), model, atoms);
  }
}

TEST_F(TwoAtomListTest, ServesWhileAtomsStayWithinHalfTheSkin) {
  for (const char* treatment : {"cut", "shift", "force-shift", "switch"}) {
    SCOPED_TRACE(treatment);
    PairModel model = lj_model(treatment);
    model.n_species = 3;
    model.lj_parameters = lj_table(3);
    const ChargedAtoms start = with_species(random_droplet(Regime::liquid, 1'300, 8), 3);
    TwoAtomPairs pairs(model, start);
    pairs.move_to(start);
    pairs.build();
    for (std::uint32_t move = 0; move < 3; ++move) {
      const ChargedAtoms atoms = shaken(start, 0.5 * kSkin / 1.8, move);
      pairs.move_to(atoms);
      expect_right(pairs.answer(), model, atoms);
    }
  }
}

/// Restores the list for the saved positions; the result is bitwise identical to that without interruption.
TEST_F(TwoAtomListTest, IsRestoredToTheSameBytes) {
  const PairModel model = lj_model("shift");
  const ChargedAtoms start = droplet(2'000, 4), later = shaken(start, 0.05, 1), elsewhere = shaken(start, 0.9, 2);
  TwoAtomPairs pairs(model, start);
  pairs.move_to(start);
  pairs.build();
  pairs.save();
  pairs.move_to(later);
  const Answer first = pairs.answer();
  pairs.move_to(elsewhere);
  pairs.build();
  pairs.move_to(later);
  pairs.restore();
  const Answer again = pairs.answer();
  EXPECT_EQ(again.force, first.force);
  EXPECT_EQ(again.sums.vdw, first.sums.vdw);
  EXPECT_EQ(again.sums.candidate_pairs, first.sums.candidate_pairs);
}

/// Droplets that become denser need larger j-atom buffers and longer lists than their capacity.
TEST_F(TwoAtomListTest, ReallocatesAsADropletThickens) {
  const PairModel model = lj_model("force-shift");
  ChargedAtoms atoms = droplet(3'000, 6);
  TwoAtomPairs pairs(model, atoms);
  for (const double size : {2.0, 1.5, 1.2, 1.0}) {
    SCOPED_TRACE(size);
    ChargedAtoms spread = atoms;
    for (Vec3<double>& x : spread.position) x = size * x;
    pairs.move_to(spread);
    pairs.build();
    expect_right(pairs.answer(), model, spread);
  }
}

}  // namespace
}  // namespace dropmd
