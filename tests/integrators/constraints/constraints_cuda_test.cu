#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "device/buffer.cuh"
#include "device/device_info.h"
#include "tests/integrators/constraints/test_clusters.h"

/// The solvers on the GPU, one thread per cluster, against the CPU. Compiled without fused multiply-add, as in all of
/// dropmd, they give the same bits.
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

/// Every tenth cluster moves too far to be solved.
template <class Solver>
std::vector<Unsolved<Solver>> unsolved(const TestCluster& kind, std::size_t n) {
  RandomVectors random(n);
  std::vector<Unsolved<Solver>> all(n);
  for (std::size_t c = 0; c < n; ++c) {
    const Positions position = random.turned(kind.position, random.vector(30));
    const Positions moved = position + random.vectors(position.size(), c % 10 == 9 ? 3.0 : 0.03);
    const Positions velocity = random.vectors(position.size(), 1);
    std::copy(position.begin(), position.end(), all[c].reference);
    std::copy(moved.begin(), moved.end(), all[c].moved);
    std::copy(velocity.begin(), velocity.end(), all[c].velocity);
  }
  return all;
}

template <class Solver>
void expect_bits_of_the_cpu(const Solver& solver, const TestCluster& kind) {
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
      const Solved<Solver> on_cpu = solve(solver, clusters[i]);
      ASSERT_EQ(std::memcmp(&solved[i], &on_cpu, sizeof on_cpu), 0) << kind.name << " " << i << " of " << n;
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

TEST(ConstraintsCuda, SolversGiveTheBitsOfTheCpu) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  const TestCluster water = water_cluster();
  expect_bits_of_the_cpu(Settle::make(water.mass[0], water.mass[1], water.length(0), water.length(2)), water);
  const auto kinds = small_clusters();
  expect_bits_of_the_cpu(solver_of<StarShape<1>>(kinds[0]), kinds[0]);
  expect_bits_of_the_cpu(solver_of<StarShape<2>>(kinds[1]), kinds[1]);
  expect_bits_of_the_cpu(solver_of<StarShape<3>>(kinds[2]), kinds[2]);
  expect_bits_of_the_cpu(solver_of<StarShape<4>>(kinds[3]), kinds[3]);
  expect_bits_of_the_cpu(solver_of<TriangleShape>(kinds[4]), kinds[4]);
  expect_bits_of_the_cpu(solver_of<TetrahedronShape>(kinds[5]), kinds[5]);
  for (std::size_t k = 6; k < kinds.size(); ++k) expect_bits_of_the_cpu(solver_of<FourAtomShape>(kinds[k]), kinds[k]);
}

}  // namespace
}  // namespace dropmd
