#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/buffer.cuh"
#include "device/device_info.h"
#include "tests/integrators/constraints/test_clusters.h"

/// The solvers on the GPU, one thread per cluster, against the CPU.
namespace dropmd {
namespace {

/// What the solvers make of one cluster; vectors have the shape [kAtoms][3].
template <class Solver>
struct Solved {
  Vec3<double> position[Solver::kAtoms], velocity[Solver::kAtoms], force[Solver::kAtoms];
  std::uint64_t solved;
};

template <class Solver>
struct Unsolved {
  Vec3<double> reference[Solver::kAtoms], moved[Solver::kAtoms], velocity[Solver::kAtoms];
};

template <class Solver>
DROPMD_HOST_DEVICE Solved<Solver> solve(const Solver& solver, const Unsolved<Solver>& cluster) {
  Solved<Solver> result;
  for (int i = 0; i < Solver::kAtoms; ++i) {
    result.position[i] = cluster.moved[i];
    result.velocity[i] = result.force[i] = cluster.velocity[i];
  }
  result.solved = solver.solve_positions(cluster.reference, result.position) ? 1 : 0;
  result.solved += solver.solve_velocities(cluster.reference, result.velocity) ? 2 : 0;
  result.solved += solver.solve_forces(cluster.reference, result.force) ? 4 : 0;
  return result;
}

template <class Solver>
__global__ void solve_kernel(Solver solver, const Unsolved<Solver>* cluster, std::uint32_t n, Solved<Solver>* solved) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) solved[i] = solve(solver, cluster[i]);
}

/// Every tenth cluster moves too far to be solved, or nearly so.
bool moves_far(std::size_t c) { return c % 10 == 9; }

template <class Solver>
std::vector<Unsolved<Solver>> unsolved(const TestCluster& kind, std::size_t n) {
  RandomVectors random(n);
  std::vector<Unsolved<Solver>> all(n);
  for (std::size_t c = 0; c < n; ++c) {
    const Positions position = random.turned(kind.position, random.vector(30));
    const Positions moved = position + random.vectors(position.size(), moves_far(c) ? 3.0 : 0.03);
    const Positions velocity = random.vectors(position.size(), 1);
    std::copy(position.begin(), position.end(), all[c].reference);
    std::copy(moved.begin(), moved.end(), all[c].moved);
    std::copy(velocity.begin(), velocity.end(), all[c].velocity);
  }
  return all;
}

/// Returns the largest difference of two sets of vectors.
template <std::size_t n>
double largest_difference(const Vec3<double> (&a)[n], const Vec3<double> (&b)[n]) {
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double difference = norm(a[i] - b[i]);
    largest = difference <= largest ? largest : difference;
  }
  return largest;
}

/// Where a solve for positions is not bound to succeed, it satisfies the constraints, or it fails and changes nothing.
template <class Solver>
void expect_solved_or_unchanged(const Solved<Solver>& solved, const Unsolved<Solver>& cluster,
                                const TestCluster& kind) {
  if ((solved.solved & 1U) == 0) {
    EXPECT_EQ(largest_difference(solved.position, cluster.moved), 0);
    return;
  }
  for (std::size_t c = 0; c < kind.bond.size(); ++c)
    EXPECT_NEAR(norm(solved.position[kind.bond[c][1]] - solved.position[kind.bond[c][0]]), kind.length(c), 1e-12);
}

/// The processors round differently: reciprocal square roots and fused multiply-adds. Positions of up to 100 Å have
/// 1.4e-14 Å as their last digit, and lengths are solved to 1e-14; velocities and forces are some units, and flat
/// clusters may lose two digits.
template <class Solver>
void expect_values_of_the_cpu(const Solver& solver, const TestCluster& kind) {
  const Stream stream(0);
  for (const std::size_t size : {1U, 31U, 33U, 128U, 257U, 2000U}) {
    const std::vector<Unsolved<Solver>> clusters = unsolved<Solver>(kind, size);
    const auto n = static_cast<std::uint32_t>(size);
    DeviceBuffer<Unsolved<Solver>> d_clusters(stream);
    DeviceBuffer<Solved<Solver>> d_solved(stream);
    d_clusters.upload(clusters);
    d_solved.resize(n);
    solve_kernel<Solver><<<(n + 63) / 64, 64, 0, stream.get()>>>(solver, d_clusters.data(), n, d_solved.data());
    DROPMD_CUDA_LAUNCHED("solving constraints");
    std::vector<Solved<Solver>> solved(n);
    d_solved.download(solved);
    stream.synchronize("solving constraints");
    for (std::uint32_t i = 0; i < n; ++i) {
      SCOPED_TRACE(std::string(kind.name) + " " + std::to_string(i) + " of " + std::to_string(n));
      const Solved<Solver> on_cpu = solve(solver, clusters[i]);
      EXPECT_LT(largest_difference(solved[i].velocity, on_cpu.velocity), 1e-13);
      EXPECT_LT(largest_difference(solved[i].force, on_cpu.force), 1e-13);
      ASSERT_EQ(solved[i].solved & 6U, 6U);
      if (moves_far(i)) {
        expect_solved_or_unchanged(solved[i], clusters[i], kind);
        continue;
      }
      ASSERT_EQ(solved[i].solved, 7U);
      EXPECT_LT(largest_difference(solved[i].position, on_cpu.position), 1e-12);
    }
  }
}

template <class Shape>
SmallCluster<Shape> solver_of(const TestCluster& kind) {
  SmallCluster<Shape> solver{};
  for (std::size_t i = 0; i < kind.mass.size(); ++i) solver.inverse_mass[i] = 1 / kind.mass[i];
  for (int c = 0; c < Shape::kConstraints; ++c)
    for (std::size_t b = 0; b < kind.bond.size(); ++b)
      if (kind.bond[b][0] == static_cast<std::uint32_t>(Shape::first(c)) &&
          kind.bond[b][1] == static_cast<std::uint32_t>(Shape::second(c)))
        solver.length[c] = kind.length(b);
  return solver;
}

TEST(ConstraintsCuda, SolversGiveTheValuesOfTheCpu) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  const TestCluster water = water_cluster();
  expect_values_of_the_cpu(Settle::make(water.mass[0], water.mass[1], water.length(0), water.length(2)), water);
  const auto kinds = small_clusters();
  expect_values_of_the_cpu(solver_of<StarShape<1>>(kinds[0]), kinds[0]);
  expect_values_of_the_cpu(solver_of<StarShape<2>>(kinds[1]), kinds[1]);
  expect_values_of_the_cpu(solver_of<StarShape<3>>(kinds[2]), kinds[2]);
  expect_values_of_the_cpu(solver_of<StarShape<4>>(kinds[3]), kinds[3]);
  expect_values_of_the_cpu(solver_of<TriangleShape>(kinds[4]), kinds[4]);
  expect_values_of_the_cpu(solver_of<TetrahedronShape>(kinds[5]), kinds[5]);
  for (std::size_t k = 6; k < kinds.size(); ++k) expect_values_of_the_cpu(solver_of<FourAtomShape>(kinds[k]), kinds[k]);
}

}  // namespace
}  // namespace dropmd
