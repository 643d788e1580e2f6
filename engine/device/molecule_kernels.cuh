#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "engine/device/step_kernels.cuh"
#include "integrators/constraints/constraint_plan.h"
#include "integrators/virtual_sites/virtual_site_plan.h"

/// The part of a step between two computations of the forces, for molecules with constraints or virtual sites. One
/// thread performs the integrator's parts and the projections for a cluster of constraints, so that an atom is read and
/// written once; atoms without constraints are clusters of one. Virtual sites follow, and a last kernel prepares the
/// next forces.
namespace dropmd {

/// In place of a solver, for an atom without constraints.
struct Unconstrained {
  static constexpr int kAtoms = 1;
};

/// Clusters of one kind. Their blocks follow those of the kinds before.
template <class Solver>
struct ClusterView {
  const Solver* solver = nullptr;       ///< [n_types]; null: Unconstrained
  const std::uint32_t* type = nullptr;  ///< [n] index of each cluster's solver
  const std::uint32_t* at = nullptr;    ///< [kAtoms][n] storage indices
  std::uint32_t n = 0;
  std::uint32_t first_block = 0;
};

/// All kinds of clusters.
struct ClusterViews {
  ClusterView<Settle> settle;
  ClusterView<Unconstrained> loose;
  ClusterView<SmallCluster<StarShape<1>>> star1;
  ClusterView<SmallCluster<StarShape<2>>> star2;
  ClusterView<SmallCluster<StarShape<3>>> star3;
  ClusterView<SmallCluster<StarShape<4>>> star4;
  ClusterView<SmallCluster<TriangleShape>> triangle;
  ClusterView<SmallCluster<TetrahedronShape>> tetrahedron;
  ClusterView<SmallCluster<FourAtomShape>> four;
  std::uint32_t n_blocks = 0;

  /// Calls use(view) for every kind, in the order of their blocks.
  template <class Use>
  DROPMD_HOST_DEVICE void for_each(const Use& use) const {
    use(settle), use(loose), use(star1), use(star2), use(star3), use(star4), use(triangle), use(tetrahedron), use(four);
  }
  template <class Use>
  void for_each(const Use& use) {
    use(settle), use(loose), use(star1), use(star2), use(star3), use(star4), use(triangle), use(tetrahedron), use(four);
  }
};

struct MoleculeTuning {
  static constexpr std::uint32_t kThreads = 64;
  static constexpr std::uint32_t blocks(std::size_t n) {
    return static_cast<std::uint32_t>((n + kThreads - 1) / kThreads);
  }
};

#if defined(__CUDACC__)

/// Solvers are long; only the one of water is worth a copy in every kernel.
template <class Solver>
__device__ __noinline__ bool displacements_apart(const Solver* solver, const Vec3<double>* reference,
                                                 const Vec3<double>* position, Vec3<double>* displacement) {
  return solver->displacements(reference, position, displacement);
}
template <class Solver>
__device__ __noinline__ bool solve_velocities_apart(const Solver* solver, const Vec3<double>* position,
                                                    Vec3<double>* velocity) {
  return solver->solve_velocities(position, velocity);
}

template <class Solver>
inline constexpr bool kInKernel = std::is_same_v<Solver, Settle>;

template <class Solver>
__device__ bool find_displacements(const Solver* solver, const Vec3<double>* reference, const Vec3<double>* position,
                                   Vec3<double>* displacement) {
  if constexpr (kInKernel<Solver>)
    return solver->displacements(reference, position, displacement);
  else
    return displacements_apart(solver, reference, position, displacement);
}
template <class Solver>
__device__ bool remove_velocities(const Solver* solver, const Vec3<double>* position, Vec3<double>* velocity) {
  if constexpr (kInKernel<Solver>)
    return solver->solve_velocities(position, velocity);
  else
    return solve_velocities_apart(solver, position, velocity);
}

/// The atoms of a cluster while its thread works on them.
template <class Real, class Motion, class Solver>
struct ClusterStep {
  static constexpr int kAtoms = Solver::kAtoms;

  const StepView<Real>& step;
  const Motion& motion;
  const Solver* solver;
  std::uint32_t at[kAtoms];  ///< storage indices
  MovingAtom atom[kAtoms];

  /// Removes the velocities along the constraints; returns whether that was possible.
  __device__ bool project_velocities() {
    if constexpr (kAtoms == 1) {
      return true;
    } else {
      Vec3<double> x[kAtoms], v[kAtoms];
      for (int a = 0; a < kAtoms; ++a) x[a] = atom[a].position, v[a] = atom[a].velocity;
      const bool solved = remove_velocities(solver, x, v);
      for (int a = 0; a < kAtoms; ++a) atom[a].velocity = v[a];
      return solved;
    }
  }

  /// Performs the move to step `to`, part by part.
  __device__ bool move(std::uint64_t to) {
    if constexpr (kAtoms == 1) {
      motion.move(atom[0], to);
      return true;
    } else {
      constexpr auto kParts = parts_of_move<Motion>();
      bool solved = true;
#pragma unroll
      for (std::size_t part = 0; part < kParts.size(); ++part) {
        if (kParts[part].moves)
          solved = move_positions(part, kParts[part].share * step.timestep, to) && solved;
        else
          for (int a = 0; a < kAtoms; ++a) move_part(motion, part, atom[a], to);
        // The last part's velocities are projected when the step is finished.
        if (part + 1 < kParts.size()) solved = project_velocities() && solved;
      }
      return solved;
    }
  }

 private:
  /// time: by which the part moves the atoms.
  __device__ bool move_positions(std::size_t part, double time, std::uint64_t to) {
    Vec3<double> before[kAtoms], x[kAtoms], displacement[kAtoms];
    for (int a = 0; a < kAtoms; ++a) {
      before[a] = atom[a].position;
      move_part(motion, part, atom[a], to);
      x[a] = atom[a].position;
    }
    if (!find_displacements(solver, before, x, displacement)) return false;
    for (int a = 0; a < kAtoms; ++a) {
      atom[a].position += displacement[a];
      atom[a].velocity += (1 / time) * displacement[a];
    }
    return true;
  }
};

/// Performs the parts of a step for one cluster, if it is their turn.
template <class Parts, class Real, class Motion, class Solver>
__device__ void step_cluster(const StepView<Real>& step, const Motion& motion, const ClusterView<Solver>& clusters,
                             std::uint32_t c) {
  if (step.sums.errors.any()) return;
  ClusterStep<Real, Motion, Solver> cluster{step, motion, nullptr};
  constexpr int kAtoms = Solver::kAtoms;
  if constexpr (kAtoms > 1) cluster.solver = clusters.solver + clusters.type[c];
  for (int a = 0; a < kAtoms; ++a) cluster.at[a] = clusters.at[a * clusters.n + c];
  const StepClock clock = step.clock[cluster.at[0] / kTileAtoms];
  const std::uint64_t now = clock.step();
  bool moves = Parts::kMove;
  if (step.searches()) {
    if (!is_turn<Parts>(step, clock)) return;
    moves = moves && now < *step.last_step;
  }
  bool solved = true;
  for (int a = 0; a < kAtoms; ++a) {
    MovingAtom& atom = cluster.atom[a];
    atom = step.load_atom(cluster.at[a], now);
    if constexpr (Motion::kAllowsSlowForces)
      if (step.slow.low != nullptr) atom.force += step.slow.further_impulse(step.sums, cluster.at[a], now);
    if constexpr (Parts::kFinish) motion.finish(atom, now);
    if constexpr (Parts::kCoupled) motion.apply_coupling(atom);
    if constexpr (Parts::kCoupled && Motion::kBath) step.book_heat(atom, cluster.at[a]);
  }
  if constexpr (Parts::kFinish) solved = cluster.project_velocities();
  if (moves) {
    Vec3<double> before[kAtoms];
    for (int a = 0; a < kAtoms; ++a) before[a] = cluster.atom[a].position;
    solved = cluster.move(now + 1) && solved;
    for (int a = 0; a < kAtoms; ++a) {
      step.template account_for_move<Motion>(cluster.atom[a], before[a], cluster.at[a], now + 1);
      step.atoms.position[cluster.at[a]] = cluster.atom[a].position;
    }
  }
  for (int a = 0; a < kAtoms; ++a) step.atoms.velocity[cluster.at[a]] = cluster.atom[a].velocity;
  if (!solved) step.sums.errors.report(static_cast<std::uint8_t>(MoveFault::unsolved), cluster.atom[0].key);
}

template <class Parts, class Real, class Motion>
__device__ void step_clusters(const StepView<Real>& step, const Motion& motion, const ClusterViews& views) {
  views.for_each([&](const auto& kind) {
    const std::uint32_t block = blockIdx.x - kind.first_block;
    if (blockIdx.x < kind.first_block || block >= MoleculeTuning::blocks(kind.n)) return;
    if (const std::uint32_t c = block * MoleculeTuning::kThreads + threadIdx.x; c < kind.n)
      step_cluster<Parts>(step, motion, kind, c);
  });
}

template <class Parts, class Real, class Motion>
__global__ void __launch_bounds__(MoleculeTuning::kThreads)
    cluster_step_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ Motion motion,
                        const __grid_constant__ ClusterViews views) {
  wait_for_kernel_before();
  step_clusters<Parts>(step, motion, views);
}

/// The same with the integrator in device memory.
template <class Parts, class Real, class Motion>
__global__ void __launch_bounds__(MoleculeTuning::kThreads)
    coupled_cluster_step_kernel(const __grid_constant__ StepView<Real> step, const Motion* motion,
                                const __grid_constant__ ClusterViews views) {
  wait_for_kernel_before();
  step_clusters<Parts>(step, *motion, views);
}

/// What remains of a step when the atoms have moved, as in step_tile(); one warp per tile.
template <class Parts, class Real, bool kGloballyCoupled>
__global__ void __launch_bounds__(64) complete_step_kernel(const __grid_constant__ StepView<Real> step) {
  wait_for_kernel_before();
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile >= step.tiles.n_tiles()) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (__any_sync(0xFFFFFFFFU, step.sums.errors.any())) return;
  const StepClock clock = step.clock[tile];
  const std::uint64_t now = clock.step();
  bool moves = Parts::kMove;
  if (step.searches()) {
    if (!__all_sync(0xFFFFFFFFU, is_turn<Parts>(step, clock))) return;
    moves = moves && now < *step.last_step;
  }
  if (moves) {
    Vec3<double> moved_to[2] = {};
    for (int k = 0; k < 2; ++k) {
      const std::uint32_t index = tile * kTileAtoms + 32 * k + lane;
      if (index >= step.atoms.n_atoms) continue;
      step.sums.clear(index);
      moved_to[k] = step.atoms.position[index];
      if (step.searches()) step.check_displacement(index, moved_to[k], now + 1);
    }
    if (Parts::kFill && step.fills_tiles) {
      if (step.searches())
        fill_tile_in_frame(step.tiles, tile, lane, step.tiles.frame[tile].centre, moved_to);
      else
        fill_tile(step.tiles, tile, lane, moved_to);
    }
  }
  __syncwarp();
  if (lane != 0) return;
  if (moves)
    step.clock[tile] = {now + 1, StepClock::at_new_positions};
  else
    step.clock[tile] = {now, Parts::kFinish && kGloballyCoupled ? StepClock::finished : StepClock::complete};
}

#endif

}  // namespace dropmd
