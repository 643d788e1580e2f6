#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/warp.cuh"
#include "engine/device/molecules/cluster_views.cuh"
#include "engine/device/molecules/site_quanta.cuh"
#include "engine/device/step_kernels.cuh"

/// A step of clusters of constraints, in which an atom is read and written once; atoms without constraints are clusters
/// of one. It is bound by latency, since most of its operations depend on the previous one.
namespace dropmd {

#if defined(__CUDACC__)

/// Solvers are long; only that of water is worth a copy at every call.
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
  static constexpr int kAtoms = Solver::kAtoms, kLanes = kLanesOf<Solver>;

  bool exists;            ///< whether the lane has an atom or a site of its own
  int first_lane;         ///< the lane of the cluster's first atom
  int own;                ///< which of the cluster's atoms is the lane's; kAtoms: its site
  std::uint32_t cluster;  ///< number of the cluster among its kind
  std::uint32_t index;    ///< storage index of the atom

  __device__ LaneOfCluster(const ClusterView<Solver>& clusters, std::uint32_t first)
      : LaneOfCluster(clusters, first, clusters.n) {}
  /// end: one past the last cluster that the warp works on.
  __device__ LaneOfCluster(const ClusterView<Solver>& clusters, std::uint32_t first, std::uint32_t end) {
    constexpr std::uint32_t kPerWarp = ClusterView<Solver>::kPerWarp;
    const std::uint32_t lane = threadIdx.x % 32, place = min(lane / kLanes, kPerWarp - 1);
    exists = lane < kLanes * kPerWarp && first + place < end;
    first_lane = static_cast<int>(place * kLanes);
    own = static_cast<int>(lane % kLanes);
    cluster = min(first + place, end - 1);
    index = clusters.at[cluster * kLanes + own];
  }

  /// Whether the constraints apply to the lane's atom.
  static __device__ constexpr bool is_constrained() { return true; }
  __device__ bool has_atom() const { return exists && !(kHasSite<Solver> && own == kAtoms); }
  __device__ bool has_site() const { return exists && kHasSite<Solver> && own == kAtoms; }

  /// Returns the value of the lane's atom.
  __device__ Vec3<double> own_of(const Vec3<double> (&of_atom)[kAtoms]) const {
    Vec3<double> mine = of_atom[0];
#pragma unroll
    for (int a = 1; a < kAtoms; ++a) mine = own == a ? of_atom[a] : mine;
    return mine;
  }
};

/// The lane's atom of a cluster while the warp works on the cluster. The integrator's work on an atom is done by its
/// lane; all lanes of a cluster solve its constraints, each for all atoms, which takes no longer than with one.
template <class Real, class Motion, class Solver, class Lane = LaneOfCluster<Solver>>
struct ClusterStep {
  static constexpr int kAtoms = Solver::kAtoms;

  using Constraints = std::conditional_t<kHasSite<Solver>, Settle, Solver>;

  const StepView<Real>& step;
  const Motion& motion;
  const Constraints* solver;
  const Lane& lane;
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
      if (!lane.is_constrained()) return true;
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
        // Found by comparisons: an index would place the array in memory.
        MovePart now = kParts[0];
#pragma unroll
        for (std::size_t p = 1; p < kParts.size(); ++p)
          if (part == p) now = kParts[p];
        if (now.moves)
          solved = move_positions(part, now.share * step.timestep, to) && solved;
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
    const bool solved = find_displacements(solver, before, position, displacement);
    if (!lane.is_constrained()) return true;
    if (!solved) return false;
    for (int a = 0; a < kAtoms; ++a) position[a] += displacement[a];
    const Vec3<double> mine = lane.own_of(displacement);
    atom.position += mine;
    if constexpr (!Motion::kMinimizer) atom.velocity += (1 / time) * mine;
    return true;
  }
};

/// Passes the forces on the sites of a warp's clusters on to their parents, in the sums, as spread_sites_kernel does.
/// All lanes must call it. force: on the lane's atom or site, without that of one-body terms; position: of the atom or
/// site; now: the step of the positions. Returns whether the force on the lane's site is too large for that: a fault.
template <class Real>
__device__ bool spread_in_cluster(const StepView<Real>& step, const LaneOfCluster<SettleAndSite>& lane,
                                  const SiteOfThree& site, const Vec3<double>& force, const Vec3<double>& position,
                                  std::uint64_t now) {
  const Vec3<double> mine = lane.has_site() ? step.with_fields(force, lane.index, position, now) : Vec3<double>{};
  bool faulted = false;
  if (lane.has_site()) {
    faulted = !step.sums.holds(mine);
    if (faulted) step.sums.errors.report(static_cast<std::uint8_t>(ForceFault::not_finite), lane.index);
    step.sums.clear(lane.index);
  }
  const Vec3<double> whole = from_lane(mine, lane.first_lane + lane.kAtoms);
  Vec3<double> on_parent[SiteOfThree::kParents];
  site.spread(nullptr, whole, on_parent);
  // As in SpreadSums: the first parent receives what is left.
  const Vec3<long long> all = whole_quanta(step.sums, whole), second = whole_quanta(step.sums, on_parent[1]),
                        third = whole_quanta(step.sums, on_parent[2]);
  Vec3<long long> share{all.x - second.x - third.x, all.y - second.y - third.y, all.z - second.z - third.z};
  if (lane.own == 1) share = second;
  if (lane.own == 2) share = third;
  if (!lane.has_atom()) return faulted;
  unsigned long long* const sum = step.sums.low + step.sums.slot(lane.index);  // which only this lane accesses now
  sum[0] += static_cast<unsigned long long>(share.x);
  sum[kTileAtoms] += static_cast<unsigned long long>(share.y);
  sum[2 * kTileAtoms] += static_cast<unsigned long long>(share.z);
  return faulted;
}

/// All atoms belong to this GPU. Where each of several GPUs moves its own, OwnAtomsOfStep (peers/own_molecules.cuh)
/// says which they are, adds the forces that others computed on them, and gives the others their new positions.
struct AllAtoms {
  static constexpr bool kAll = true;
};

/// Performs the parts of a step for the clusters of a warp, one lane per atom, and with a neighbour structure prepares
/// the next forces. All lanes must call it. now: the step that the atoms have reached; moves: as in Turn; spreads:
/// whether the sums still hold the forces on sites of clusters; first: the warp's first cluster; atoms: those that this
/// GPU moves, all or none of a cluster. Returns whether the lane has reported a fault.
template <class Parts, class Real, class Motion, class Solver, class Atoms = AllAtoms>
__device__ bool step_clusters(const StepView<Real>& step, std::uint64_t now, bool moves, bool spreads,
                              const Motion& motion, const ClusterView<Solver>& clusters, std::uint32_t first,
                              const Atoms& atoms = {}) {
  constexpr int kAtoms = Solver::kAtoms;
  LaneOfCluster<Solver> lane(clusters, first);
  if constexpr (!Atoms::kAll) {
    lane.exists = lane.exists && atoms.has(lane.index);
    if (!__any_sync(0xFFFFFFFFU, lane.exists)) return false;
    if (lane.exists) atoms.take_forces_on(lane.index);
  }
  const std::uint32_t index = lane.index;
  ClusterStep<Real, Motion, Solver> cluster{step, motion, nullptr, lane};
  const Solver* solver = nullptr;
  if constexpr (kAtoms > 1) solver = clusters.solver + clusters.type[lane.cluster];
  if constexpr (kAtoms > 1) cluster.solver = &constraints_of(*solver);
  MovingAtom& atom = cluster.atom;
  atom = step.load_without_fields(index);
  if (moves && step.searches()) step.template prefetch_for_forces<Parts::kFill>(index);
  bool faulted = false;
  if constexpr (kHasSite<Solver> && Parts::kFinish)
    if (spreads) {
      faulted = spread_in_cluster(step, lane, solver->site, atom.force, atom.position, now);
      if (lane.has_atom()) atom.force = step.sums.get(index);
    }
  if (lane.has_site()) atom.mass = 1;  // of no consequence, but finite
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
    if (lane.has_atom()) step.book_heat(atom, index);
  if constexpr (Parts::kFinish) solved = cluster.project_velocities();
  if (moves) {
    const Vec3<double> before = atom.position;
    solved = cluster.move(now + 1) && solved;
    if (lane.has_atom()) faulted = step.template account_for_move<Motion>(atom, before, index, now + 1) || faulted;
    if constexpr (kHasSite<Solver>)
      if (lane.has_site()) {
        atom.position = Parts::kFill ? solver->site.place(cluster.position) : before;
        step.book_site(index, before, atom.position, now + 1);
      }
    if (lane.exists) {
      step.atoms.position[index] = atom.position;
      if (step.searches()) step.template prepare_forces<Parts::kFill>(index, atom.position, now + 1);
      if constexpr (!Atoms::kAll) atoms.give(index);
    }
  }
  if (!lane.has_atom()) return faulted;
  step.atoms.velocity[index] = atom.velocity;
  if (!solved) step.sums.errors.report(static_cast<std::uint8_t>(MoveFault::unsolved), atom.key);
  return faulted || !solved;
}

#endif

}  // namespace dropmd
