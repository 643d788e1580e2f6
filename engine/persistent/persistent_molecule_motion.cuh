#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/device/molecules/cluster_step.cuh"
#include "engine/device/molecules/rigid_molecules.cuh"
#include "engine/persistent/persistent_kernel.cuh"

/// Part of the persistent kernel for molecules (persistent_molecule_kernel.cuh): the warps that move a block's atoms.
namespace dropmd {

namespace persistent {

/// The place of a lane that moves an atom of the block's molecules.
template <class Solver>
struct LaneOfMolecule : LaneOfCluster<Solver> {
  bool has_place;  ///< whether the lane publishes the position of a place, with an atom or without
  bool is_alone;   ///< whether the molecule is an atom without constraints

  /// first: the warp's first molecule; end: one past the last one of the block.
  __device__ LaneOfMolecule(const ClusterView<Solver>& molecules, std::uint32_t first, std::uint32_t end)
      : LaneOfCluster<Solver>(molecules, first, end), has_place(this->exists) {
    const std::uint32_t* const at = molecules.at + this->cluster * this->kLanes;
    is_alone = at[1] == RigidMolecules::kNoAtom;
    if (this->index != RigidMolecules::kNoAtom) return;
    this->exists = false;
    this->index = at[0];
  }
  __device__ bool is_constrained() const { return !is_alone; }
  __device__ std::uint32_t place() const { return this->cluster * this->kLanes + this->own; }
};

/// An integrator whose random numbers are drawn in advance, while other warps of the block compute forces.
template <class Motion>
struct MotionAhead {
  static constexpr bool kMinimizer = false;
  static constexpr auto kMoveParts = parts_of_move<Motion>();

  const Motion& motion;
  Vec3<double> drawn{};

  __device__ void draw(std::uint64_t step, std::uint32_t key) {
    if constexpr (requires { motion.draw(step, key); }) drawn = motion.draw(step, key);
  }
  __device__ void move_part(std::size_t part, MovingAtom& atom, std::uint64_t step) const {
    if constexpr (requires { motion.draw(step, atom.key); })
      motion.move_part(part, atom, [this] { return drawn; });
    else
      dropmd::move_part(motion, part, atom, step);
  }
  __device__ void finish(MovingAtom& atom, std::uint64_t step) const { motion.finish(atom, step); }
};

/// A lane's atom or site, which the lane moves. It refers to their data, which are variables of the kernel so that they
/// stay in registers. All lanes of a warp must call its functions.
template <class Motion, class Solver>
struct MovingPlace {
  using Cluster = ClusterStep<float, MotionAhead<Motion>, Solver, LaneOfMolecule<Solver>>;

  const StepView<float>& step;
  const PersistentView& view;
  const FirstFault& fault;
  const Solver& solver;
  const LaneOfMolecule<Solver>& lane;
  Cluster& cluster;
  Vec3<double>& pair_force;  ///< with what a site passes on; zero in the first step of a launch

  /// Loads the atom of the complete step `now`. The random numbers of the next one are drawn meanwhile.
  __device__ void load(std::uint64_t now, MotionAhead<Motion>& ahead) const {
    cluster.atom = step.load_without_fields(lane.index);
    ahead.draw(now + 1, cluster.atom.key);
    if (lane.has_site()) cluster.atom.mass = 1;  // of no consequence, but finite
    cluster.atom.force = step.with_fields(cluster.atom.force, lane.index, cluster.atom.position, now);
    cluster.share_positions();
  }

  __device__ void publish(std::uint32_t n_places, std::uint32_t tag) const {
    if (!lane.has_place) return;
    const PublishedPosition position =
        lane.exists ? PublishedPosition(view, cluster.atom.position) : PublishedPosition::of_nothing();
    position.put(view, n_places, tag, lane.place());
  }

  /// Moves to step `now` and publishes the position; returns whether the constraints could be satisfied.
  __device__ bool move(std::uint32_t n_places, std::uint32_t tag, std::uint64_t now) const {
    const bool solved = cluster.move(now);
    if constexpr (kHasSite<Solver>)
      if (lane.has_site()) cluster.atom.position = solver.site.place(cluster.position);
    publish(n_places, tag);
    return solved;
  }

  /// Performs the part of the move to step `now` that no other block waits for. before: the position before the move.
  __device__ void account_for(const Vec3<double>& before, bool solved, std::uint64_t now) const {
    if (lane.has_site()) step.book_site(lane.index, before, cluster.atom.position, now);
    if (!lane.has_atom()) return;
    account_for_step<Motion>(step, fault, lane.index, cluster.atom, before, pair_force, now);
    if (!solved) note_unsolved(now);
  }

  /// Ends step `now` with the force of all pairs on the lane's place. moving: whether it is a step at all.
  __device__ void finish(const Vec3<double>& force, std::uint64_t now, bool moving) const {
    MovingAtom& atom = cluster.atom;
    pair_force = force;
    if constexpr (kHasSite<Solver>) pass_on_force_on_site(now);
    atom.force = step.with_fields(step.sums.rounded(pair_force), lane.index, atom.position, now);
    if (!moving) return;
    cluster.motion.finish(atom, now);
    if (!cluster.project_velocities() && lane.has_atom()) note_unsolved(now);
  }

  /// Moves the molecule by recentring.
  __device__ void shift(const Vec3<double>& centre, std::uint64_t now) const {
    shift_atom(step, lane.index, cluster.atom, centre, now, lane.exists);
    cluster.share_positions();
  }

  /// Stores the complete step `now`, unless only its sums are wanted; returns what the lane adds to them.
  __device__ StepSums store(std::uint64_t now, bool only_sums) const {
    if (!lane.exists) return {};
    check_force(step, fault, lane.index, pair_force, now);
    if (lane.has_site()) {
      if (!only_sums) store_place(step, fault, lane.index, cluster.atom.position, {}, now);
      return sums_of_site(step, lane.index, now);
    }
    return only_sums ? sums_in_memory(step, lane.index, now)
                     : store_atom(step, fault, lane.index, cluster.atom, pair_force, now);
  }

 private:
  __device__ void note_unsolved(std::uint64_t now) const {
    step.sums.errors.report(static_cast<std::uint8_t>(MoveFault::unsolved), cluster.atom.key);
    fault.note(now);
  }

  /// Adds to the forces on the atoms their shares of the force on their site, with that of one-body terms.
  __device__ void pass_on_force_on_site(std::uint64_t now) const {
    const Vec3<double> mine =
        lane.has_site() ? step.with_fields(pair_force, lane.index, cluster.atom.position, now) : Vec3<double>{};
    const Vec3<double> whole = from_lane(mine, lane.first_lane + lane.kAtoms);
    if (lane.is_alone) return;
    Vec3<double> on_parent[SiteOfThree::kParents];
    solver.site.spread(nullptr, whole, on_parent);
    if (lane.has_site())
      check_force(step, fault, lane.index, pair_force, now);
    else
      pair_force += lane.own_of(on_parent);
  }
};

}  // namespace persistent

}  // namespace dropmd
