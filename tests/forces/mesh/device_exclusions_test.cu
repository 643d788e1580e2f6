#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "device/device_info.h"
#include "device/graph.cuh"
#include "device/memory_use.h"
#include "forces/device_forces.cuh"
#include "forces/mesh/cuda/excluded/device_excluded.cuh"
#include "forces/mesh/cuda/transforms/cufft_library.cuh"
#include "forces/mesh/mesh_term.h"
#include "forces/mesh/split_polynomial.h"
#include "forces/pair/coulomb_short_range.h"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "forces/pair/pair_force_term.h"
#include "tests/forces/mesh/device_mesh_charges.cuh"
#include "tests/forces/mesh/excluded_molecules.h"
#include "tests/support/plain_model.h"

/// A mesh on a GPU beside which some pairs are excluded, against the same on the host.
namespace dropmd {
namespace {

template <class Real>
class DeviceMeshExclusions : public testing::Test {
 protected:
  static constexpr bool kDouble = sizeof(Real) == sizeof(double);
  using Order = std::vector<std::uint32_t>;  ///< host index by storage index

  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
  static bool has_transforms() { return CufftLibrary::problem().empty(); }

  struct Result {
    std::vector<Vec3<double>> force;  ///< by host index
    double energy = std::nan("");
    double quantum = 0;
  };

  static MeshParameters parameters() { return {9, CoulombSplit::bandwidth_for(1e-5), 1.5, 7, 0}; }
  static FormChoice pairs() {
    return short_range_choice(CoulombSplit(parameters().cutoff, parameters().bandwidth), kDouble ? 16 : 9);
  }
  static MeshTerm term_of(const MoleculesForMesh& molecules) {
    return {kCoulomb, parameters(), {2, 1, 0.5, 10, 1e12}, pairs(), {}, molecules.topology};
  }
  static ExcludedPairs excluded_of(const MoleculesForMesh& molecules) {
    return {molecules.topology->exclusions, molecules.particles};
  }

  static Order shuffled(std::size_t n, std::uint32_t seed) {
    Order order = in_order(static_cast<std::uint32_t>(n));
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    return order;
  }

  /// Calls use(cuda, now, sums, d_energy), which enqueues forces and energies, for the atoms in each of the orders
  /// after reordered(cuda, now). Returns what the last one gives.
  template <class Reordered, class Use>
  static Result in_orders(const Particles& p, const std::vector<Order>& orders, const Stream& stream, bool by_graph,
                          bool wanted, const Reordered& reordered, const Use& use) {
    const Cuda cuda{stream};
    const Charges all{p.position, p.charge, p.mass};
    ForceSums<Real> sums(stream, plain_model(kCoulomb), std::vector<double>(p.size(), 0.5));
    DeviceBuffer<double> d_energy(stream);
    DeviceBuffer<SearchState> d_search(stream);
    d_search.upload(std::vector<SearchState>{{.stale_at = 0, .built_at = 0, .n_pairs = 0, .full = 1, .filling = 0}});
    Result result;
    for (const Order& order : orders) {
      const OnDevice<Real> atoms(stream, all, order);
      const DeviceMoment<Real> now = atoms.moment(wanted ? nullptr : d_search.data());
      reordered(cuda, now);
      d_energy.upload(std::vector<double>{0});
      stream.synchronize("preparing a test");
      const auto enqueue = [&] { use(cuda, now, sums.view(), d_energy.data()); };
      sums.clear(cuda);
      if (by_graph)
        Graph(cuda, enqueue).launch(cuda);
      else
        enqueue();
      const std::vector<Vec3<double>> force = sums.download(cuda, all.n());
      d_energy.download({&result.energy, 1});
      stream.synchronize("reading forces and energies");
      EXPECT_FALSE(sums.errors().read());
      result.force.resize(all.n());
      for (std::uint32_t k = 0; k < all.n(); ++k) result.force[order[k]] = force[k];
    }
    result.quantum = sums.view().quantum;
    return result;
  }

  /// The excluded pairs alone.
  static Result of_excluded(const MoleculesForMesh& molecules, const std::vector<Order>& orders, bool by_graph = false,
                            bool wanted = true) {
    const Stream stream(0);
    const DeviceExcluded<Real> excluded(Cuda{stream}, excluded_of(molecules), molecules.particles,
                                        CoulombShortRange<double>(pairs()), kCoulomb);
    return in_orders(
        molecules.particles, orders, stream, by_graph, wanted,
        [&](const Cuda& cuda, const auto& now) { excluded.reordered(cuda, now); },
        [&](const Cuda& cuda, const auto& now, const auto& sums, double* d_energy) {
          excluded.add_forces(cuda, now, sums);
          excluded.add_energy(cuda, now, d_energy);
        });
  }
  /// The mesh with them.
  static Result of_mesh(const MoleculesForMesh& molecules, const std::vector<Order>& orders, bool by_graph = false) {
    const Stream stream(0);
    const MeshTerm term = term_of(molecules);
    const auto mesh = device_term<Real>(Cuda{stream}, term, molecules.particles);
    return in_orders(
        molecules.particles, orders, stream, by_graph, true,
        [&](const Cuda& cuda, const auto& now) {
          mesh->reordered(cuda, now);
          mesh->rebuild(cuda, now);
        },
        [&](const Cuda& cuda, const auto& now, const auto& sums, double* d_energy) {
          mesh->add_forces(cuda, now, sums);
          mesh->energies(cuda, now, d_energy);
        });
  }

  static void expect_equal_bytes(const Result& a, const Result& b) {
    ASSERT_EQ(a.force.size(), b.force.size());
    EXPECT_EQ(std::memcmp(a.force.data(), b.force.data(), sizeof(Vec3<double>) * a.force.size()), 0);
    EXPECT_EQ(std::memcmp(&a.energy, &b.energy, sizeof(double)), 0);
  }

  /// Expects −k_e q_i q_j L(r_ij) of the excluded pairs. A pair's force is rounded to Real when it is added, a relative
  /// error of 6e-8 in mixed precision, and then to a quantum. Sums of double precision have more digits than a double.
  static void expect_exact(const Result& result, const MoleculesForMesh& molecules) {
    const Particles& p = molecules.particles;
    const ExcludedPairs excluded = excluded_of(molecules);
    const CoulombShortRange<double> form(pairs());
    double energy = 0, sum_of_energies = 0, sum_of_forces = 0;
    Vec3<double> net;
    for (std::uint32_t i = 0; i < p.size(); ++i) {
      Vec3<double> force;
      double terms = 0;
      for (const std::uint32_t j : excluded.of(i)) {
        const Vec3<double> d = p.position[i] - p.position[j];
        const SmoothTerm<double> value = form.smooth(dot(d, d));
        const double qq = kCoulomb * p.charge[i] * p.charge[j];
        force -= (qq * value.force_over_r) * d;
        terms += std::abs(qq * value.force_over_r) * norm(d);
        energy -= 0.5 * qq * value.energy;
        sum_of_energies += 0.5 * std::abs(qq * value.energy);
      }
      const double quanta = result.quantum * static_cast<double>(excluded.of(i).size());
      ASSERT_LE(norm(result.force[i] - force), (kDouble ? 1e-12 : 1e-7) * terms + quanta) << i;
      sum_of_forces += terms;
      net += result.force[i];
    }
    EXPECT_NEAR(result.energy, energy, 1e-12 * sum_of_energies);
    EXPECT_LE(norm(net), kDouble ? 1e-15 * sum_of_forces : 0) << "forces of a pair are opposite";
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceMeshExclusions, Reals);

TYPED_TEST(DeviceMeshExclusions, HaveTheSmoothPartOfTheHost) {
  for (const std::string& name : kExcludedSystems)
    for (const std::size_t n : {8U, 127U, 129U, 1000U}) {
      SCOPED_TRACE(name + ' ' + std::to_string(n));
      MoleculesForMesh molecules = excluded_system(name, n);
      molecules.particles.charge[4] = 0;
      this->expect_exact(this->of_excluded(molecules, {this->shuffled(molecules.particles.size(), 3)}), molecules);
    }
}

TYPED_TEST(DeviceMeshExclusions, DoNotDependOnTheOrderOfTheAtomsNorOnGraphs) {
  for (const std::string& name : kExcludedSystems) {
    SCOPED_TRACE(name);
    const MoleculesForMesh molecules = excluded_system(name, 1000);
    const std::size_t n = molecules.particles.size();
    const auto order = in_order(static_cast<std::uint32_t>(n));
    const auto sorted = this->of_excluded(molecules, {order});
    this->expect_equal_bytes(sorted, this->of_excluded(molecules, {order}, true));
    this->expect_equal_bytes(sorted, this->of_excluded(molecules, {order, this->shuffled(n, 2)}, true));
    this->expect_equal_bytes(sorted, this->of_excluded(molecules, {this->shuffled(n, 1), order, this->shuffled(n, 2)}));
    if (!this->has_transforms()) continue;
    const auto of_mesh = this->of_mesh(molecules, {order});
    this->expect_equal_bytes(of_mesh, this->of_mesh(molecules, {order}, true));
    this->expect_equal_bytes(of_mesh, this->of_mesh(molecules, {order, this->shuffled(n, 2)}));
  }
}

TYPED_TEST(DeviceMeshExclusions, AreSubtractedFromTheMeshAsOnTheHost) {
  if (!this->has_transforms()) GTEST_SKIP() << CufftLibrary::problem();
  for (const std::string& name : kExcludedSystems) {
    SCOPED_TRACE(name);
    const MoleculesForMesh molecules = excluded_system(name, 1000);
    const Particles& p = molecules.particles;
    const MeshTerm term = this->term_of(molecules);
    std::vector<Vec3<double>> force(p.size());
    Energies energies;
    term.on_host({2}, p)->evaluate({p.position, 0}, Want::forces_and_energies, true, force, energies);
    const auto result = this->of_mesh(molecules, {this->shuffled(p.size(), 5)});
    // The error is relative to the forces of all charges, as in vapour_device_test.cu; they are larger than what the
    // excluded pairs leave.
    MoleculesForMesh all = molecules;
    all.topology = topology_excluding(p.size(), {});
    std::vector<Vec3<double>> of_all(p.size());
    Energies unused;
    this->term_of(all).on_host({2}, p)->evaluate({p.position, 0}, Want::forces, true, of_all, unused);
    double error = 0, square = 0;
    Vec3<double> net;
    for (std::size_t i = 0; i < p.size(); ++i) {
      error += squared_norm(result.force[i] - force[i]);
      square += squared_norm(of_all[i]);
      net += result.force[i];
    }
    const double n = static_cast<double>(p.size());
    EXPECT_LE(std::sqrt(error / square), this->kDouble ? 2e-12 : 4e-6);
    EXPECT_NEAR(result.energy, energies.of(kCoulombEnergy),
                (this->kDouble ? 1e-11 : 4e-6) * n * std::sqrt(square / n) * this->parameters().cutoff);
    EXPECT_LE(norm(net), n * result.quantum + 1e-14 * std::sqrt(n * square));
  }
}

/// Every second molecule is there, with the ids that it had.
TYPED_TEST(DeviceMeshExclusions, FollowTheIdsOfMoleculesThatAreLeft) {
  const MoleculesForMesh whole = excluded_system("water", 300);
  MoleculesForMesh half{{}, whole.topology};
  for (std::uint32_t i = 0; i < whole.particles.size(); ++i) {
    if (i / 3 % 2 == 0) continue;
    half.particles.position.push_back(whole.particles.position[i]);
    half.particles.charge.push_back(whole.particles.charge[i]);
    half.particles.mass.push_back(whole.particles.mass[i]);
    half.particles.id.push_back(i + 1);
  }
  this->expect_exact(this->of_excluded(half, {this->shuffled(half.particles.size(), 3)}), half);
}

TYPED_TEST(DeviceMeshExclusions, AddNothingWhereNoForcesAreWanted) {
  const MoleculesForMesh molecules = excluded_system("water", 300);
  const auto result = this->of_excluded(molecules, {in_order(300)}, false, false);
  for (const Vec3<double>& f : result.force) ASSERT_EQ(f, Vec3<double>{});
}

TYPED_TEST(DeviceMeshExclusions, StateTheirMemory) {
  const MoleculesForMesh molecules = excluded_system("water", 300);
  const std::size_t n_pairs = molecules.topology->exclusions.excluded.size() / 2;
  const Stream stream(0);
  const std::uint64_t before = device_memory_use().now();
  const DeviceExcluded<TypeParam> excluded(Cuda{stream}, this->excluded_of(molecules), molecules.particles,
                                           CoulombShortRange<double>(this->pairs()), kCoulomb);
  EXPECT_EQ(DeviceExcluded<TypeParam>::bytes(300, n_pairs), device_memory_use().now() - before);
  MoleculesForMesh none = molecules;
  none.topology = nullptr;
  EXPECT_EQ(this->term_of(molecules).device_bytes(300) - this->term_of(none).device_bytes(300),
            DeviceExcluded<TypeParam>::bytes(300, n_pairs));
}

}  // namespace
}  // namespace dropmd
