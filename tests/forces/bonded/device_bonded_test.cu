#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "device/buffer.cuh"
#include "device/device_info.h"
#include "device/graph.cuh"
#include "device/memory_use.h"
#include "forces/bonded/bonded_term.h"
#include "forces/device_forces.cuh"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "tests/forces/bonded/bonded_samples.h"
#include "tests/support/plain_model.h"

namespace dropmd {
namespace {

template <class Real>
class DeviceBondedTest : public testing::Test {
 protected:
  static constexpr bool kDouble = sizeof(Real) == sizeof(double);

  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }

  struct Result {
    std::vector<Vec3<double>> force;  ///< by host index
    std::vector<double> energy;       ///< in the order of the names
    std::optional<DeviceFault> fault;
  };

  /// The atoms and sums of a run in device memory.
  struct Atoms {
    const Particles& p;
    DeviceBuffer<Vec3<double>> d_position;
    DeviceBuffer<std::uint32_t> d_host_index;
    ForceSums<Real> sums;
    std::vector<std::uint32_t> order;

    Atoms(const Stream& stream, const Particles& particles)
        : p(particles),
          d_position(stream),
          d_host_index(stream),
          sums(stream, plain_model(kSampleCoulomb),
               std::vector<double>(std::max<std::size_t>(particles.size(), 1), 0.5)) {}

    /// Stores the atoms in this order: host index by storage index.
    void store(const Stream& stream, const std::vector<std::uint32_t>& new_order) {
      order = new_order;
      std::vector<Vec3<double>> x;
      for (const std::uint32_t i : order) x.push_back(p.position[i]);
      d_position.upload(x);
      d_host_index.upload(order);
      stream.synchronize("storing atoms");
    }
    DeviceMoment<Real> moment(const SearchState* search = nullptr) const {
      return {
          d_position.data(), nullptr, d_host_index.data(), static_cast<std::uint32_t>(p.size()), nullptr, search, {}};
    }
  };

  static std::vector<std::uint32_t> in_order(std::size_t n) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    return order;
  }
  static std::vector<std::uint32_t> shuffled(std::size_t n, std::uint32_t seed) {
    std::vector<std::uint32_t> order = in_order(n);
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    return order;
  }

  /// How the work is enqueued.
  enum class By { calls, graph };

  /// Returns the forces and energies for the last of the orders; the same term computes those for each of them in turn.
  /// The memory of the energies holds NaN before.
  static Result computed(const BondedTerm& term, const Particles& p,
                         const std::vector<std::vector<std::uint32_t>>& orders, By by = By::calls, bool wanted = true) {
    const Stream stream(0);
    const Cuda cuda{stream};
    Atoms atoms(stream, p);
    const std::unique_ptr<DeviceForceTerm<Real>> on_device = device_term<Real>(cuda, term, p);
    Result result{std::vector<Vec3<double>>(p.size()),
                  std::vector<double>(term.energy_names().size(), std::numeric_limits<double>::quiet_NaN()),
                  {}};
    DeviceBuffer<double> d_energy(stream);
    d_energy.upload(result.energy);
    DeviceBuffer<SearchState> d_search(stream);
    d_search.upload(std::vector<SearchState>{{.stale_at = 0, .built_at = 0, .n_pairs = 0, .full = 1, .filling = 0}});
    stream.synchronize("preparing a test");
    for (const std::vector<std::uint32_t>& order : orders) {
      atoms.store(stream, order);
      const DeviceMoment<Real> now = atoms.moment(wanted ? nullptr : d_search.data());
      on_device->reordered(cuda, now);
      atoms.sums.clear(cuda);
      const auto enqueue = [&] {
        on_device->add_forces(cuda, now, atoms.sums.view());
        on_device->energies(cuda, now, d_energy.data());
      };
      if (by == By::graph)
        Graph(cuda, enqueue).launch(cuda);
      else
        enqueue();
      stream.synchronize("computing bonded terms");
    }
    const std::vector<Vec3<double>> force = atoms.sums.download(cuda, static_cast<std::uint32_t>(p.size()));
    for (std::size_t k = 0; k < force.size(); ++k) result.force[atoms.order[k]] = force[k];
    d_energy.download(result.energy);
    stream.synchronize("reading energies");
    result.fault = atoms.sums.errors().read();
    return result;
  }

  static BondedTerm term_of(const Topology& topology) { return {std::make_shared<Topology>(topology), kSampleCoulomb}; }

  static void expect_equal_bytes(const Result& a, const Result& b) {
    ASSERT_EQ(a.force.size(), b.force.size());
    ASSERT_EQ(a.energy.size(), b.energy.size());
    EXPECT_EQ(std::memcmp(a.force.data(), b.force.data(), sizeof(Vec3<double>) * a.force.size()), 0);
    EXPECT_EQ(std::memcmp(a.energy.data(), b.energy.data(), sizeof(double) * a.energy.size()), 0);
  }

  /// Expects the forces and energies of the host's reference. A term's force is rounded to Real when it is added, a
  /// relative error of 6e-8 in mixed precision, and then to a quantum, 64 · 2⁻³² = 1.5e-8 at the model's scale.
  /// Energies are in fp64.
  static void expect_reference(const Result& result, const BondedTerm& term, const Particles& p) {
    EXPECT_FALSE(result.fault);
    const auto on_host = term.on_host({1}, p);
    std::vector<AtomSums> sums(p.size());
    on_host->add_reference({1}, {p.position, 0}, in_order(p.size()), sums);
    for (std::size_t i = 0; i < p.size(); ++i)
      ASSERT_LE(norm(result.force[i] - sums[i].force), (kDouble ? 1e-12 : 1e-6) * (1 + std::sqrt(sums[i].terms2))) << i;
    Energies exact;
    on_host->add_reference_energies({1}, {p.position, 0}, exact);
    const auto names = term.energy_names();
    ASSERT_EQ(result.energy.size(), names.size());
    // The energies of terms are at most some hundred, and nearly cancel in a sum.
    for (std::size_t k = 0; k < names.size(); ++k)
      EXPECT_NEAR(result.energy[k], exact.of(names[k]), 1e-12 * (std::abs(exact.of(names[k])) + 1000)) << names[k];
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceBondedTest, Reals);

TYPED_TEST(DeviceBondedTest, AgreesWithTheReferenceForAnyNumberOfTerms) {
  for (const std::size_t count : kNumbersOfTerms) {
    SCOPED_TRACE(count);
    const Particles p = sample_atoms(20 + count, 7);
    const BondedTerm term = this->term_of(sample_topology(count, p.size(), 8));
    const auto result = this->computed(term, p, {this->shuffled(p.size(), 3)});
    this->expect_reference(result, term, p);
  }
}

/// One kind alone, so that the first block of a kind is the first, the last or the only one.
TYPED_TEST(DeviceBondedTest, AgreesWithTheReferenceForEachKind) {
  const Particles p = sample_atoms(60, 7);
  const Topology all = sample_topology(130, p.size(), 8);
  for_each_bonded_potential([&]<class Potential>() {
    SCOPED_TRACE(Potential::kEnergies[0]);
    Topology one;
    one.cmap_grids = all.cmap_grids;
    using Terms = std::vector<typename Potential::Term>;
    std::get<Terms>(one.terms) = std::get<Terms>(all.terms);
    const BondedTerm term = this->term_of(one);
    this->expect_reference(this->computed(term, p, {this->in_order(p.size())}), term, p);
  });
}

TYPED_TEST(DeviceBondedTest, DoesNotDependOnTheOrderOfTheAtoms) {
  const std::size_t n = 1003;
  const Particles p = sample_atoms(n, 5);
  const BondedTerm term = this->term_of(sample_topology(700, n, 6));
  const auto sorted = this->computed(term, p, {this->in_order(n)});
  this->expect_equal_bytes(sorted, this->computed(term, p, {this->shuffled(n, 1)}));
  this->expect_equal_bytes(sorted,
                           this->computed(term, p, {this->shuffled(n, 2), this->in_order(n), this->shuffled(n, 3)}));
}

TYPED_TEST(DeviceBondedTest, IsTheSameFromAGraph) {
  using How = typename TestFixture::By;
  const Particles p = sample_atoms(300, 5);
  const BondedTerm term = this->term_of(sample_topology(200, p.size(), 6));
  const auto order = this->shuffled(p.size(), 1);
  this->expect_equal_bytes(this->computed(term, p, {order}), this->computed(term, p, {order, order}, How::graph));
}

TYPED_TEST(DeviceBondedTest, AddsNothingWhereNoForcesAreWanted) {
  using How = typename TestFixture::By;
  const Particles p = sample_atoms(100, 5);
  const BondedTerm term = this->term_of(sample_topology(200, p.size(), 6));
  const auto result = this->computed(term, p, {this->in_order(p.size())}, How::calls, false);
  for (const Vec3<double>& f : result.force) ASSERT_EQ(f, Vec3<double>{});
}

/// Every second atom of a chain is there; terms of the others are left out.
TYPED_TEST(DeviceBondedTest, LeavesOutTermsOfAtomsThatHaveLeft) {
  const Particles all = sample_atoms(40, 5);
  Particles p = sample_atoms(20, 5);
  Topology topology;
  for (std::uint32_t number = 0; number + 2 < 40; ++number)
    std::get<std::vector<UreyBradley>>(topology.terms).push_back({{number, number + 2}, 30, 2});
  std::get<std::vector<HarmonicBond>>(topology.terms).push_back({{1, 3}, 100, 1});  // has left
  for (std::uint32_t k = 0; k < 20; ++k) {
    p.id.push_back(2 * k + 1);
    p.position[k] = all.position[2 * k];
  }
  const BondedTerm term = this->term_of(topology);
  const auto result = this->computed(term, p, {this->shuffled(20, 1)});
  this->expect_reference(result, term, p);
  EXPECT_EQ(result.energy[0], 0) << "of the bond, which is nowhere";
  EXPECT_GT(result.energy[1], 0);
}

/// Coincident atoms and atoms on a line: what has no direction has no force.
TYPED_TEST(DeviceBondedTest, IsFiniteWhereAnglesDoNotExist) {
  Topology topology = sample_topology(300, 30, 6);
  std::get<std::vector<BondedPair>>(topology.terms).clear();
  Particles p = sample_atoms(30, 5);
  for (std::size_t i = 0; i < 30; ++i) p.position[i] = {static_cast<double>(i / 10 == 1 ? 0 : i), 0, 0};
  const BondedTerm term = this->term_of(topology);
  this->expect_reference(this->computed(term, p, {this->in_order(30)}), term, p);
}

/// An infinite force is reported with the storage index of one of its atoms.
TYPED_TEST(DeviceBondedTest, ReportsPairsAtOnePlace) {
  Particles p = sample_atoms(30, 5);
  p.position[7] = p.position[9];
  Topology topology;
  std::get<std::vector<BondedPair>>(topology.terms).push_back({{7, 9}, {0.1, 3, true}, 0.1});
  const auto result = this->computed(this->term_of(topology), p, {this->in_order(30)});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->code, static_cast<std::uint8_t>(ForceFault::not_finite));
  EXPECT_TRUE(result.fault->index == 7 || result.fault->index == 9);
}

TYPED_TEST(DeviceBondedTest, WithoutAtomsOrTermsIsNothing) {
  const BondedTerm empty = this->term_of({});
  EXPECT_TRUE(this->computed(empty, sample_atoms(5, 5), {this->in_order(5)}).energy.empty());
  const BondedTerm term = this->term_of(sample_topology(10, 30, 6));
  const auto result = this->computed(term, {}, {std::vector<std::uint32_t>{}});
  EXPECT_EQ(result.energy, std::vector<double>(9, 0.0));
}

TYPED_TEST(DeviceBondedTest, StatesItsMemory) {
  const Particles p = sample_atoms(300, 5);
  const BondedTerm term = this->term_of(sample_topology(257, p.size(), 6));
  const Stream stream(0);
  const Cuda cuda{stream};
  const std::uint64_t before = device_memory_use().now();
  const auto on_device = device_term<TypeParam>(cuda, term, p);
  EXPECT_EQ(term.device_bytes(p.size()), device_memory_use().now() - before);
}

}  // namespace
}  // namespace dropmd
