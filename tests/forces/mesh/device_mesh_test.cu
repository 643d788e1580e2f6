#include "forces/mesh/cuda/device_mesh.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "device/device_info.h"
#include "device/graph.cuh"
#include "device/memory_use.h"
#include "forces/mesh/mesh_potential.h"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "tests/forces/mesh/device_mesh_charges.cuh"
#include "tests/support/plain_model.h"

namespace dropmd {
namespace {

template <class Real>
class DeviceMeshTest : public testing::Test {
 protected:
  static constexpr bool kDouble = sizeof(Real) == sizeof(double);

  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
    const TransformLibrary library = MeshTransforms<Real>::library_for({64, 64, 64});
    if (const std::string problem = transform_problem(library); !problem.empty()) GTEST_SKIP() << problem;
  }

  static DeviceMeshSettings settings(const Charges& all, const MeshBox& box, int order, double density = 0.1) {
    DeviceMeshSettings chosen;
    chosen.order = order;
    chosen.extent = extent_of(box);
    chosen.coulomb_constant = kCoulomb;
    for (const double q : all.charge) chosen.charge.largest = std::max(chosen.charge.largest, std::abs(q));
    chosen.charge.density = density;
    chosen.mass = all.mass;
    return chosen;
  }

  struct Result {
    std::vector<Vec3<double>> force;  ///< by host index
    double energy = std::numeric_limits<double>::quiet_NaN();
    std::optional<DeviceFault> fault;
    double quantum = 0;
  };

  /// How the work is enqueued.
  enum class By { calls, graph };

  /// Computes forces and energy `times` times, with sums that are cleared in between.
  static Result computed(const Charges& all, const CoulombSplit& split, const MeshBox& box,
                         const DeviceMeshSettings& chosen, const std::vector<std::uint32_t>& order, By by = By::calls,
                         int times = 1, bool wanted = true) {
    const Stream stream(0);
    const Cuda cuda{stream};
    const OnDevice<Real> atoms(stream, all, order);
    const DeviceMesh<Real> mesh(cuda, {1}, split, box, chosen);
    // Charges of half a unit give the scale, so that a large one does not make the quanta coarse.
    ForceSums<Real> sums(stream, plain_model(kCoulomb), std::vector<double>(std::max(all.n(), 1U), 0.5));
    sums.clear(cuda);
    DeviceBuffer<SearchState> d_search(stream);
    d_search.upload(std::vector<SearchState>{{.stale_at = 0, .built_at = 0, .n_pairs = 0, .full = 1, .filling = 0}});
    DeviceBuffer<double> d_energy(stream);
    d_energy.upload(std::vector<double>{std::numeric_limits<double>::quiet_NaN()});
    stream.synchronize("preparing a test");
    const DeviceMoment<Real> now = atoms.moment(wanted ? nullptr : d_search.data());
    const auto enqueue = [&] {
      mesh.spread(cuda, now, sums.errors().view());
      mesh.transform(cuda, sums.errors().view());
      mesh.add_forces(cuda, now, sums.view());
      mesh.energy(cuda, now, d_energy.data());
    };
    std::unique_ptr<Graph> graph;
    if (by == By::graph) graph = std::make_unique<Graph>(cuda, enqueue);
    for (int k = 0; k < times; ++k) {
      sums.clear(cuda);
      if (graph != nullptr)
        graph->launch(cuda);
      else
        enqueue();
    }
    Result result;
    const std::vector<Vec3<double>> force = sums.download(cuda, all.n());
    result.force.resize(all.n());
    for (std::uint32_t k = 0; k < all.n(); ++k) result.force[order[k]] = force[k];
    d_energy.download({&result.energy, 1});
    stream.synchronize("reading the energy of a mesh");
    result.fault = sums.errors().read();
    result.quantum = sums.view().quantum;
    return result;
  }

  static void expect_equal_bytes(const Result& a, const Result& b) {
    ASSERT_EQ(a.force.size(), b.force.size());
    EXPECT_EQ(std::memcmp(a.force.data(), b.force.data(), sizeof(Vec3<double>) * a.force.size()), 0);
    EXPECT_EQ(std::memcmp(&a.energy, &b.energy, sizeof(double)), 0);
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceMeshTest, Reals);

/// Bounds: in fp32 the transforms add 0.5e-6 to 2e-6 of the RMS gradient. In fp64 the integers have the digits of the
/// terms, and both sides round a transform. A few charges have little but the mesh's own error as gradient, so the
/// denominator is at least a charge's own potential over a spacing: gradients are differences of potentials.
TYPED_TEST(DeviceMeshTest, AgreesWithTheHost) {
  using Real = TypeParam;
  const CoulombSplit split(9, 15);
  const double bound = this->kDouble ? 1e-12 : 2e-6;
  for (int order = 4; order <= 8; ++order)
    for (const std::uint32_t n : {1U, 2U, 31U, 32U, 33U, 64U, 127U, 128U, 129U, 255U, 256U, 257U, 1003U}) {
      SCOPED_TRACE(testing::Message() << "order " << order << ", " << n << " charges");
      const Charges all = random_charges(n, {27, 18, 22}, n);
      const MeshBox box = box_of(all, 1.5, order);
      const OfHost host(all, split, box, order);
      const Stream stream(0);
      const Cuda cuda{stream};
      const OnDevice<Real> atoms(stream, all, in_order(n));
      const DeviceMesh<Real> mesh(cuda, {1}, split, box, this->settings(all, box, order));
      const auto nan = std::numeric_limits<Real>::quiet_NaN();
      std::vector<Real> potential(n, nan);
      std::vector<Vec3<Real>> gradient(n, {nan, nan, nan});
      DeviceBuffer<Real> d_potential(stream);
      DeviceBuffer<Vec3<Real>> d_gradient(stream);
      d_potential.upload(potential), d_gradient.upload(gradient);
      ErrorRecord errors(stream);
      mesh.spread(cuda, atoms.moment(), errors.view());
      mesh.transform(cuda, errors.view());
      mesh.interpolate(cuda, atoms.moment(), d_potential.data(), d_gradient.data());
      d_potential.download(potential), d_gradient.download(gradient);
      EXPECT_FALSE(errors.read());

      double error = 0, error_of_gradient = 0, of_potential = 0, of_gradient = 0, of_charge = 0;
      for (std::uint32_t i = 0; i < n; ++i) {
        error += std::pow(static_cast<double>(potential[i]) - host.potential[i], 2);
        of_potential += std::pow(host.potential[i], 2);
        const Vec3<double> g{gradient[i].x, gradient[i].y, gradient[i].z};
        error_of_gradient += squared_norm(g - host.gradient[i]);
        of_gradient += squared_norm(host.gradient[i]);
        of_charge += std::pow(all.charge[i] * split.smooth(0) / box.spacing, 2);
      }
      EXPECT_LE(std::sqrt(error), bound * std::sqrt(of_potential));
      EXPECT_LE(std::sqrt(error_of_gradient), bound * std::sqrt(std::max(of_gradient, of_charge)));
    }
}

/// Forces of 20,000 atoms with a large charge among them, the net force removed, and their energy.
TYPED_TEST(DeviceMeshTest, AddsForcesWithoutANetForce) {
  const CoulombSplit split(12, 13);
  constexpr std::uint32_t kAtoms = 20000;
  constexpr int kOrder = 6;
  Charges all = random_charges(kAtoms, {66, 60, 63}, 8);
  all.charge[777] = -12;
  const MeshBox box = box_of(all, 2, kOrder);
  const OfHost host(all, split, box, kOrder);
  const auto result = this->computed(all, split, box, this->settings(all, box, kOrder), in_order(kAtoms));
  EXPECT_FALSE(result.fault);

  Vec3<double> net, sum;
  double total_mass = 0, energy = 0, size = 0, mean_square = 0, error = 0;
  for (std::uint32_t i = 0; i < kAtoms; ++i) {
    const double q = all.charge[i];
    net -= (kCoulomb * q) * host.gradient[i];
    total_mass += all.mass[i];
    energy += 0.5 * kCoulomb * q * (host.potential[i] - split.smooth(0) * q);
    size += 0.5 * kCoulomb * std::abs(q) * (std::abs(host.potential[i]) + split.smooth(0) * std::abs(q));
  }
  for (std::uint32_t i = 0; i < kAtoms; ++i) {
    const Vec3<double> expected = (-kCoulomb * all.charge[i]) * host.gradient[i] - (all.mass[i] / total_mass) * net;
    mean_square += squared_norm(expected);
    error += squared_norm(result.force[i] - expected);
    sum += result.force[i];
  }
  EXPECT_LE(std::sqrt(error / mean_square), this->kDouble ? 1e-12 : 2e-6);
  EXPECT_NEAR(result.energy, energy, (this->kDouble ? 1e-12 : 2e-6) * size);
  // Half a quantum per atom, and the rounding of this sum.
  const double bound = 0.5 * kAtoms * result.quantum + 1e-15 * kAtoms * std::sqrt(mean_square / kAtoms);
  EXPECT_LE(std::abs(sum.x), bound);
  EXPECT_LE(std::abs(sum.y), bound);
  EXPECT_LE(std::abs(sum.z), bound);
}

/// Forces less the net force, and the energy, where blocks and warps are full, nearly full or nearly empty. Bounds and
/// denominators are those of AgreesWithTheHost.
TYPED_TEST(DeviceMeshTest, AddsForcesOfAnyNumberOfAtoms) {
  const CoulombSplit split(9, 15);
  constexpr int kOrder = 5;
  const double bound = this->kDouble ? 1e-12 : 2e-6;
  for (const std::uint32_t n : {1U, 2U, 31U, 32U, 33U, 127U, 128U, 129U, 255U, 256U, 257U}) {
    SCOPED_TRACE(testing::Message() << n << " charges");
    const Charges all = random_charges(n, {27, 18, 22}, n);
    const MeshBox box = box_of(all, 1.5, kOrder);
    const OfHost host(all, split, box, kOrder);
    const auto result = this->computed(all, split, box, this->settings(all, box, kOrder), in_order(n));
    EXPECT_FALSE(result.fault);
    Vec3<double> net;
    double mass = 0, energy = 0, of_terms = 0, error = 0, of_forces = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const double q = all.charge[i];
      net -= (kCoulomb * q) * host.gradient[i];
      mass += all.mass[i];
      energy += 0.5 * kCoulomb * q * (host.potential[i] - split.smooth(0) * q);
      of_terms += 0.5 * kCoulomb * std::abs(q) * (std::abs(host.potential[i]) + split.smooth(0) * std::abs(q));
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      const double q = all.charge[i], own = kCoulomb * q * q * split.smooth(0) / box.spacing;
      const Vec3<double> force = (-kCoulomb * q) * host.gradient[i];
      error += squared_norm(result.force[i] - (force - (all.mass[i] / mass) * net));
      of_forces += std::max(squared_norm(force), own * own);
    }
    const double rounding = result.quantum * std::sqrt(static_cast<double>(n));
    EXPECT_LE(std::sqrt(error), bound * std::sqrt(of_forces) + rounding);
    EXPECT_NEAR(result.energy, energy, bound * of_terms);
  }
}

/// Sorted charges are added in shared memory, shuffled ones in global memory, since their points do not fit in a tile.
TYPED_TEST(DeviceMeshTest, DoesNotDependOnTheOrderOfTheAtoms) {
  const CoulombSplit split(9, 13);
  for (const std::uint32_t n : {2U, 129U, 2001U}) {
    SCOPED_TRACE(n);
    const Charges all = random_charges(n, {40, 38, 36}, 5);
    const MeshBox box = box_of(all, 1.5, 5);
    const auto chosen = this->settings(all, box, 5);
    std::vector<std::uint32_t> order = in_order(n);
    const auto sorted = this->computed(all, split, box, chosen, order);
    std::shuffle(order.begin(), order.end(), std::mt19937(3));
    const auto shuffled = this->computed(all, split, box, chosen, order);
    this->expect_equal_bytes(sorted, shuffled);
  }
}

TYPED_TEST(DeviceMeshTest, IsTheSameFromAGraphAndWhenRepeated) {
  using How = typename TestFixture::By;
  const CoulombSplit split(9, 13);
  const Charges all = random_charges(500, {30, 20, 25}, 6);
  const MeshBox box = box_of(all, 1.5, 7);
  const auto chosen = this->settings(all, box, 7);
  const auto once = this->computed(all, split, box, chosen, in_order(500));
  this->expect_equal_bytes(once, this->computed(all, split, box, chosen, in_order(500), How::calls, 3));
  this->expect_equal_bytes(once, this->computed(all, split, box, chosen, in_order(500), How::graph, 3));
}

TYPED_TEST(DeviceMeshTest, WithoutAtomsHasNoEnergy) {
  const CoulombSplit split(9, 13);
  const MeshBox box{1.5, {20, 16, 18}, {-10, -8, -9}};
  const auto result = this->computed({}, split, box, this->settings({}, box, 6), {});
  EXPECT_EQ(result.energy, 0);
  EXPECT_FALSE(result.fault);
}

TYPED_TEST(DeviceMeshTest, AddsNothingWhereNoForcesAreWanted) {
  using How = typename TestFixture::By;
  const CoulombSplit split(9, 13);
  Charges all = random_charges(200, {20, 20, 20}, 7);
  const MeshBox box = box_of(all, 1.5, 6);
  all.position[20].x = 1e9;  // is not reported either
  const auto result = this->computed(all, split, box, this->settings(all, box, 6), in_order(200), How::calls, 1, false);
  EXPECT_FALSE(result.fault);
  for (const Vec3<double>& f : result.force) ASSERT_EQ(f, Vec3<double>{});
}

/// The first atom outside is reported; the others have the forces that they have without it.
TYPED_TEST(DeviceMeshTest, ReportsAtomsOutside) {
  const CoulombSplit split(9, 13);
  Charges all = random_charges(300, {20, 20, 20}, 7);
  const MeshBox box = box_of(all, 1.5, 6);
  const auto chosen = this->settings(all, box, 6);
  const Vec3<double> inside = all.position[150];
  Charges without = all;
  without.charge[150] = 0;
  const auto expected = this->computed(without, split, box, chosen, in_order(300));
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const double wrong : {15.0, -15.0, 1e30, nan, inf, -inf})
    for (int axis = 0; axis < 3; ++axis) {
      SCOPED_TRACE(testing::Message() << wrong << " along " << axis);
      all.position[150] = inside;
      (axis == 0 ? all.position[150].x : axis == 1 ? all.position[150].y : all.position[150].z) = wrong;
      const auto result = this->computed(all, split, box, chosen, in_order(300));
      ASSERT_TRUE(result.fault);
      EXPECT_EQ(result.fault->code, static_cast<std::uint8_t>(MeshFault::outside));
      EXPECT_EQ(result.fault->index, 150);
      EXPECT_EQ(std::memcmp(result.force.data(), expected.force.data(), sizeof(Vec3<double>) * 300), 0);
    }
}

/// So many charges at one place that the integers wrap, or nearly do.
TYPED_TEST(DeviceMeshTest, ReportsTooMuchCharge) {
  const CoulombSplit split(9, 13);
  Charges all;
  for (int i = 0; i < 3000; ++i) {
    all.position.push_back({0.3, -0.2, 0.1});
    all.charge.push_back(1);
    all.mass.push_back(1);
  }
  const MeshBox box{1.5, {12, 12, 12}, {-6, -6, -6}};
  // 3000 charges of 1 give a point up to 500.
  for (const double largest : {1.0, 4.0, 16.0, 64.0}) {
    auto chosen = this->settings(all, box, 6, 0);
    chosen.charge.largest = largest;
    const auto result = this->computed(all, split, box, chosen, in_order(3000));
    ASSERT_TRUE(result.fault) << largest;
    EXPECT_EQ(result.fault->code, static_cast<std::uint8_t>(MeshFault::too_much_charge));
  }
  auto chosen = this->settings(all, box, 6, 0);
  chosen.charge.largest = 1000;
  EXPECT_FALSE(this->computed(all, split, box, chosen, in_order(3000)).fault);
}

/// A graph that was captured before the box moved follows it.
TYPED_TEST(DeviceMeshTest, MovesByWholeSpacings) {
  using Real = TypeParam;
  constexpr std::uint32_t kAtoms = 100;
  constexpr double kSpacing = 1.5;
  constexpr int kOrder = 6;
  const CoulombSplit split(9, 13);
  Charges near = random_charges(kAtoms, {20, 20, 20}, 9);
  // Few enough digits for the sums with whole spacings to be exact.
  for (Vec3<double>& x : near.position)
    x = {std::round(x.x * 1024) / 1024, std::round(x.y * 1024) / 1024, std::round(x.z * 1024) / 1024};
  const MeshBox box = box_of(near, kSpacing, kOrder);
  const std::array<long long, 3> steps{1024, -2048, 512};
  Charges far = near;
  for (Vec3<double>& x : far.position) x += Vec3<double>{kSpacing * 1024, -kSpacing * 2048, kSpacing * 512};

  const Stream stream(0);
  const Cuda cuda{stream};
  const DeviceMesh<Real> mesh(cuda, {1}, split, box, this->settings(near, box, kOrder));
  OnDevice<Real> atoms(stream, near, in_order(kAtoms));
  DeviceBuffer<Real> d_potential(stream);
  DeviceBuffer<Vec3<Real>> d_gradient(stream);
  d_potential.resize(kAtoms), d_gradient.resize(kAtoms);
  ErrorRecord errors(stream);
  const Graph graph(cuda, [&] {
    mesh.spread(cuda, atoms.moment(), errors.view());
    mesh.transform(cuda, errors.view());
    mesh.interpolate(cuda, atoms.moment(), d_potential.data(), d_gradient.data());
  });
  std::vector<Vec3<Real>> gradient[2];
  for (std::vector<Vec3<Real>>& of : gradient) {
    graph.launch(cuda);
    of.resize(kAtoms);
    d_gradient.download(of);
    stream.synchronize("reading gradients");
    atoms.d_position.upload(far.position);
    auto first = box.first;
    for (std::size_t axis = 0; axis < 3; ++axis) first[axis] += steps[axis];
    mesh.move_to(cuda, first);
  }
  EXPECT_FALSE(errors.read());
  double error = 0, size = 0;
  for (std::uint32_t i = 0; i < kAtoms; ++i) {
    error += squared_norm(gradient[0][i] - gradient[1][i]);
    size += squared_norm(gradient[0][i]);
  }
  // A place of 1,000 spacings or more has 2e-13 of rounding, which moves the fp32 fraction by at most its last digit.
  EXPECT_LE(std::sqrt(error / size), this->kDouble ? 1e-11 : 1e-6);
}

TYPED_TEST(DeviceMeshTest, StatesItsMemory) {
  using Real = TypeParam;
  const CoulombSplit split(9, 13);
  const Charges all = random_charges(64, {20, 16, 12}, 9);
  const MeshBox box = box_of(all, 1.5, 4);
  const Stream stream(0);
  const Cuda cuda{stream};
  const std::uint64_t before = device_memory_use().now();
  const DeviceMesh<Real> mesh(cuda, {1}, split, box, this->settings(all, box, 4));
  EXPECT_EQ(mesh.bytes().total(), device_memory_use().now() - before);
  MeshTransformBytes stated = MeshTransforms<Real>::bytes(box.points);
  stated.workspace = mesh.bytes().transforms.workspace;
  EXPECT_EQ(stated.total(), mesh.bytes().transforms.total());
}

}  // namespace
}  // namespace dropmd
