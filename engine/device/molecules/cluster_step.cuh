#pragma once

#include <cstddef>
#include <cstdint>

#include "device/warp.cuh"
#include "engine/device/molecules/cluster_views.cuh"
#include "engine/device/step_kernels.cuh"

/// A step of clusters of constraints, in which an atom is read and written once; atoms without constraints are clusters
/// of one. It is bound by latency, since most of its operations depend on the previous one.
namespace dropmd {

#if defined(__CUDACC__)

/// Solvers are long; only the one of water is worth a copy in every place.
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
__device__ bool find_displacements(const Solver* solver, const Vec3<double>* reference, const Vec3<double>* position,
                                   Vec3<double>* displacement) {
  if constexpr (kIsFrequent<Solver>)
    return solver->displacements(reference, position, displacement);
  else
    return displacements_apart(solver, reference, position, displacement);
}
template <class Solver>
__device__ bool remove_velocities(const Solver* solver, const Vec3<double>* position, Vec3<double>* velocity) {
  if constexpr (kIsFrequent<Solver>)
    return solver->solve_velocities(position, velocity);
  else
    return solve_velocities_apart(solver, position, velocity);
}

/// Reads the values of n lanes from first_lane on. All lanes of the warp must call it.
template <class T, int n>
__device__ void gather(const Vec3<T>& value, int first_lane, Vec3<T> (&of_atom)[n]) {
#pragma unroll
  for (int a = 0; a < n; ++a) of_atom[a] = from_lane(value, first_lane + a);
}

/// The place of a lane while its warp works on clusters from `first` on. Lanes without an atom repeat the last place of
/// the warp or the last cluster of the kind, and must store nothing.
template <class Solver>
struct LaneOfCluster {
  static constexpr int kAtoms = Solver::kAtoms;

  bool exists;            ///< whether the lane has an atom of its own
  int first_lane;         ///< the lane of the cluster's first atom
  int own;                ///< which of the cluster's atoms is the lane's
  std::uint32_t cluster;  ///< number of the cluster among its kind
  std::uint32_t index;    ///< storage index of the atom

  __device__ LaneOfCluster(const ClusterView<Solver>& clusters, std::uint32_t first) {
    constexpr std::uint32_t kPerWarp = ClusterView<Solver>::kPerWarp;
    const std::uint32_t lane = threadIdx.x % 32, place = min(lane / kAtoms, kPerWarp - 1);
    exists = lane < kAtoms * kPerWarp && first + place < clusters.n;
    first_lane = static_cast<int>(place * kAtoms);
    own = static_cast<int>(lane % kAtoms);
    cluster = min(first + place, clusters.n - 1);
    index = clusters.at[cluster * kAtoms + own];
  }

  /// Returns the value of the lane's atom.
  __device__ Vec3<double> own_of(const Vec3<double> (&of_atom)[kAtoms]) const {
    Vec3<double> mine = of_atom[0];
#pragma unroll
    for (int a = 1; a < kAtoms; ++a) mine = own == a ? of_atom[a] : mine;
    return mine;
  }
};

/// The lane's atom of a cluster while the warp works on it. What the integrator does with an atom is done by its lane;
/// the lanes of a cluster solve its constraints together, each for all atoms, which takes them no longer than one.
template <class Real, class Motion, class Solver>
struct ClusterStep {
  static constexpr int kAtoms = Solver::kAtoms;

  const StepView<Real>& step;
  const Motion& motion;
  const Solver* solver;
  const LaneOfCluster<Solver>& lane;
  MovingAtom atom;
  Vec3<double> position[kAtoms];  ///< of all atoms of the cluster

  /// Tells the lanes of the cluster where its atoms are.
  __device__ void share_positions() { gather(atom.position, lane.first_lane, position); }

  /// Removes the velocities along the constraints; returns whether that was possible.
  __device__ bool project_velocities() {
    if constexpr (kAtoms == 1) {
      return true;
    } else {
      Vec3<double> velocity[kAtoms];
      gather(atom.velocity, lane.first_lane, velocity);
      const bool solved = remove_velocities(solver, position, velocity);
      atom.velocity = lane.own_of(velocity);
      return solved;
    }
  }

  /// Performs the move to step `to`, part by part.
  __device__ bool move(std::uint64_t to) {
    if constexpr (kAtoms == 1) {
      motion.move(atom, to);
      return true;
    } else {
      constexpr auto kParts = parts_of_move<Motion>();
      bool solved = true;
      // A loop, since code that is executed once takes longer to fetch than to execute.
#pragma unroll 1
      for (std::size_t part = 0; part < kParts.size(); ++part) {
        if (kParts[part].moves)
          solved = move_positions(part, kParts[part].share * step.timestep, to) && solved;
        else
          move_part(motion, part, atom, to);
        // The last part's velocities are projected when the step is finished.
        if (part + 1 < kParts.size()) solved = project_velocities() && solved;
      }
      return solved;
    }
  }

 private:
  /// time: by which the part moves the atoms; a minimiser does not use it.
  __device__ bool move_positions(std::size_t part, double time, std::uint64_t to) {
    Vec3<double> before[kAtoms], displacement[kAtoms];
    for (int a = 0; a < kAtoms; ++a) before[a] = position[a];
    move_part(motion, part, atom, to);
    share_positions();
    if (!find_displacements(solver, before, position, displacement)) return false;
    for (int a = 0; a < kAtoms; ++a) position[a] += displacement[a];
    const Vec3<double> mine = lane.own_of(displacement);
    atom.position += mine;
    if constexpr (!Motion::kMinimizer) atom.velocity += (1 / time) * mine;
    return true;
  }
};

/// Performs the parts of a step for the clusters of a warp, one lane an atom, and with a neighbour structure prepares
/// the next forces. All lanes must call it. now: the step that the atoms have reached; moves: as in Turn; first: the
/// warp's first cluster.
template <class Parts, class Real, class Motion, class Solver>
__device__ void step_clusters(const StepView<Real>& step, std::uint64_t now, bool moves, const Motion& motion,
                              const ClusterView<Solver>& clusters, std::uint32_t first) {
  constexpr int kAtoms = Solver::kAtoms;
  const LaneOfCluster<Solver> lane(clusters, first);
  const std::uint32_t index = lane.index;
  ClusterStep<Real, Motion, Solver> cluster{step, motion, nullptr, lane};
  if constexpr (kAtoms > 1) cluster.solver = clusters.solver + clusters.type[lane.cluster];
  MovingAtom& atom = cluster.atom;
  atom = step.load_without_fields(index);
  if constexpr (kAtoms > 1) cluster.share_positions();
  bool solved = true;
  if constexpr (Motion::kMinimizer)
    atom.force = step.projected[index];
  else
    atom.force = step.with_fields(atom.force, index, atom.position, now);
  if constexpr (Motion::kAllowsSlowForces)
    if (step.slow.low != nullptr) atom.force += step.slow.further_impulse(step.sums, index, now);
  if constexpr (Parts::kFinish) motion.finish(atom, now);
  if constexpr (Parts::kCoupled) motion.apply_coupling(atom);
  if constexpr (Parts::kCoupled && Motion::kBath)
    if (lane.exists) step.book_heat(atom, index);
  if constexpr (Parts::kFinish) solved = cluster.project_velocities();
  if (moves) {
    const Vec3<double> before = atom.position;
    solved = cluster.move(now + 1) && solved;
    if (lane.exists) {
      step.template account_for_move<Motion>(atom, before, index, now + 1);
      step.atoms.position[index] = atom.position;
      if (step.searches()) step.template prepare_forces<Parts::kFill>(index, atom.position, now + 1);
    }
  }
  if (!lane.exists) return;
  step.atoms.velocity[index] = atom.velocity;
  if (!solved) step.sums.errors.report(static_cast<std::uint8_t>(MoveFault::unsolved), atom.key);
}

#endif

}  // namespace dropmd
