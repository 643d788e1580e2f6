#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <type_traits>
#include <vector>

#include "device/device_info.h"
#include "device/graph.cuh"
#include "forces/force_term.h"
#include "forces/mesh/cuda/outside.cuh"
#include "forces/mesh/cuda/transforms/cufft_library.cuh"
#include "forces/mesh/mesh_term.h"
#include "forces/mesh/split_polynomial.h"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "forces/pair/pair_force_term.h"
#include "tests/forces/mesh/device_mesh_charges.cuh"
#include "tests/forces/mesh/vapour_systems.h"

/// Charges outside of the mesh and a second mesh on a GPU, against the same on the host.
namespace dropmd {
namespace {

template <class Real>
class DeviceVapour : public testing::Test {
 protected:
  static constexpr bool kDouble = sizeof(Real) == sizeof(double);

  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
    if (const std::string& problem = CufftLibrary::problem(); !problem.empty()) GTEST_SKIP() << problem;
  }

  struct Result {
    std::vector<Vec3<double>> force;  ///< by host index
    double energy = std::nan("");
    std::vector<double> state;
    double quantum = 0;
  };

  static MeshParameters parameters() { return {9, CoulombSplit::bandwidth_for(1e-5), 1.5, 7, 0}; }
  static FormChoice pairs() {
    return short_range_choice(CoulombSplit(parameters().cutoff, parameters().bandwidth), kDouble ? 16 : 9);
  }

  /// order: host index by storage index. state: of the term, to start from; empty: a region is chosen.
  static Result computed(const Particles& p, const MeshPrices& prices, const std::vector<std::uint32_t>& order,
                         bool by_graph = false, const std::vector<double>& state = {}) {
    const Stream stream(0);
    const Cuda cuda{stream};
    const Charges all{p.position, p.charge, p.mass};
    const OnDevice<Real> atoms(stream, all, order);
    const MeshTerm term(kCoulomb, parameters(), prices, pairs());
    std::unique_ptr<DeviceForceTerm<Real>> mesh;
    if constexpr (std::is_same_v<Real, float>)
      mesh = term.on_gpu_in_mixed(cuda, p);
    else
      mesh = term.on_gpu_in_double(cuda, p);
    PairModel model;
    model.lj = FormChoice{"none"};
    model.lj_parameters = {{1.0, 1.0}};
    model.coulomb_constant = kCoulomb;
    ForceSums<Real> sums(stream, model, std::vector<double>(std::max(all.n(), 1U), 0.5));
    DeviceBuffer<double> d_energy(stream);
    d_energy.upload(std::vector<double>{std::nan("")});
    const DeviceMoment<Real> now = atoms.moment();
    if (state.empty()) {
      mesh->rebuild(cuda, now);
    } else {
      EXPECT_TRUE(mesh->set_state(state));
      mesh->restore(cuda, now);
    }
    const auto enqueue = [&] {
      mesh->add_forces(cuda, now, sums.view());
      mesh->energies(cuda, now, d_energy.data());
    };
    std::unique_ptr<Graph> graph;
    if (by_graph) graph = std::make_unique<Graph>(cuda, enqueue);
    for (int repeat = 0; repeat < (by_graph ? 2 : 1); ++repeat) {
      sums.clear(cuda);
      if (graph != nullptr)
        graph->launch(cuda);
      else
        enqueue();
    }
    Result result;
    const std::vector<Vec3<double>> force = sums.download(cuda, all.n());
    d_energy.download({&result.energy, 1});
    stream.synchronize("reading the energy of a mesh");
    EXPECT_FALSE(sums.errors().read());
    result.force.resize(all.n());
    for (std::uint32_t k = 0; k < all.n(); ++k) result.force[order[k]] = force[k];
    result.state = mesh->state();
    result.quantum = sums.view().quantum;
    return result;
  }

  static void expect_equal_bytes(const Result& a, const Result& b) {
    ASSERT_EQ(a.force.size(), b.force.size());
    EXPECT_EQ(std::memcmp(a.force.data(), b.force.data(), sizeof(Vec3<double>) * a.force.size()), 0);
    EXPECT_EQ(std::memcmp(&a.energy, &b.energy, sizeof(double)), 0);
    EXPECT_EQ(a.state, b.state);
  }

  /// Compares with the host: forces relative to their RMS, the net force that is left, and energies.
  static void expect_as_on_the_host(const Particles& p, const MeshPrices& prices, bool coarse) {
    const std::unique_ptr<ForceTerm> host = MeshTerm(kCoulomb, parameters(), prices, pairs()).on_host({2}, p);
    std::vector<Vec3<double>> force(p.size());
    Energies energies;
    host->evaluate({p.position, 0}, Want::forces_and_energies, true, force, energies);
    EXPECT_EQ(host->state().size(), coarse ? 17U : 7U);
    const Result result = computed(p, prices, in_order(static_cast<std::uint32_t>(p.size())));
    EXPECT_EQ(result.state, host->state());
    double error = 0, square = 0;
    Vec3<double> net;
    for (std::size_t i = 0; i < p.size(); ++i) {
      error += squared_norm(result.force[i] - force[i]);
      square += squared_norm(force[i]);
      net += result.force[i];
    }
    // As for the mesh alone (device_mesh_test.cu), with the rounding of two.
    EXPECT_LE(std::sqrt(error / square), kDouble ? 2e-12 : 4e-6);
    const double energy = energies.of(kCoulombEnergy), n = static_cast<double>(p.size());
    EXPECT_NEAR(result.energy, energy, (kDouble ? 1e-11 : 4e-6) * n * std::sqrt(square / n) * parameters().cutoff);
    EXPECT_LE(norm(net), n * result.quantum + 1e-14 * std::sqrt(n * square));
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceVapour, Reals);

/// Prices for which a thousand charges have two meshes, at most one, or none.
constexpr MeshPrices kTwoMeshes{2, 1, 0.5, 10}, kOneMesh{2, 100, 0.5, 100, 1e12}, kNoMesh{2, 1e6, 0.5, 0.01, 1e12};

TYPED_TEST(DeviceVapour, HasTheForcesOfTheHostWithOneMesh) {
  for (const std::size_t n_vapour : {0U, 1U, 5U, 60U, 127U, 128U, 129U, 500U}) {
    SCOPED_TRACE(n_vapour);
    Particles p = droplet_with_vapour(1500, n_vapour);
    p.charge[17] = 0;
    if (n_vapour > 1) p.position[1501] = {1e6, -3e5, 2e5};
    this->expect_as_on_the_host(p, kOneMesh, false);
  }
}

TYPED_TEST(DeviceVapour, HasTheForcesOfTheHostWithTwoMeshes) {
  for (const std::size_t n_vapour : {1500U, 3001U}) {
    SCOPED_TRACE(n_vapour);
    Particles p = droplet_with_vapour(1500, n_vapour);
    p.charge[17] = p.charge[1600] = 0;
    for (const std::size_t far : {1501U, 1777U}) p.position[far] = {1e6, -3e5, 2e5 + static_cast<double>(far)};
    this->expect_as_on_the_host(p, kTwoMeshes, true);
  }
}

/// So many atoms that each block has more than one group of them.
TYPED_TEST(DeviceVapour, HasTheForcesOfTheHostWithSeveralGroupsOfABlock) {
  const Particles p = droplet_with_vapour(135'000, 40);
  const auto n = static_cast<std::uint32_t>(p.size());
  ASSERT_GT(OutsideTuning::groups(n), OutsideTuning::blocks(n));
  this->expect_as_on_the_host(p, kOneMesh, false);
}

TYPED_TEST(DeviceVapour, HasNoMeshForFewCharges) {
  for (const std::size_t n : {1U, 2U, 33U, 130U}) {
    SCOPED_TRACE(n);
    this->expect_as_on_the_host(droplet_with_vapour(n, 2), kNoMesh, false);
  }
}

TYPED_TEST(DeviceVapour, DoesNotDependOnTheOrderOfTheAtomsNorOnGraphs) {
  for (const std::size_t n_vapour : {200U, 1500U}) {
    Particles p = droplet_with_vapour(1500, n_vapour);
    p.position[1501] = {1e6, -3e5, 2e5};
    std::vector<std::uint32_t> order = in_order(static_cast<std::uint32_t>(p.size()));
    const MeshPrices& prices = n_vapour == 200 ? kOneMesh : kTwoMeshes;
    const auto sorted = this->computed(p, prices, order);
    EXPECT_EQ(sorted.state.size(), n_vapour == 1500 ? 17U : 7U);
    this->expect_equal_bytes(sorted, this->computed(p, prices, order, true));
    this->expect_equal_bytes(sorted, this->computed(p, prices, order, false, sorted.state));
    std::shuffle(order.begin(), order.end(), std::mt19937(3));
    this->expect_equal_bytes(sorted, this->computed(p, prices, order));
  }
}

}  // namespace
}  // namespace dropmd
