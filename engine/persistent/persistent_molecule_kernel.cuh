#pragma once

#include <cstdint>
#include <utility>

#include "engine/device/molecules/cluster_step.cuh"
#include "engine/device/molecules/rigid_molecules.cuh"
#include "engine/persistent/persistent_kernel.cuh"

/// The kernel of PersistentSteps for rigid waters and single atoms. The first warps of a block move its atoms, one lane
/// an atom, as cluster_step.cuh does; the others compute forces. Of the latter a thread's index selects first a
/// molecule of the block, whose positions it keeps in registers, then a slice of the molecules that it interacts with.
namespace dropmd {

/// The molecules of a persistent kernel, by place: molecule m has the places from m · kLanesOf<Solver> on. Solver:
/// Settle, or SettleAndSite for waters with sites.
template <class Solver>
struct PersistentMolecules {
  ClusterView<Solver> all;  ///< kNoAtom in `at` for places without an atom; all of one type
  Solver solver;            ///< of all waters, as a kernel argument: constants are operands then
  PersistentMoleculeShape shape;
  bool only_first_has_vdw;  ///< as in RigidMolecules
  /// Distances of the first places, the former squared: up to which atoms of two molecules may be so near that
  /// low-order parts count, and up to which they may be within the cutoff.
  float near_first2, most_first;
};

namespace persistent {

/// The place of a lane that moves an atom of the block's molecules.
template <class Solver>
struct LaneOfMolecule : LaneOfCluster<Solver> {
  bool has_place;  ///< whether the lane publishes the position of a place, with an atom or without
  bool is_alone;   ///< whether the molecule is an atom without constraints

  /// first: the warp's first molecule; end: behind the last one of the block.
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

/// The thread's share of the forces on the atoms of molecule `mine`: from every n_slices-th molecule. The distance of
/// the first places tells whether the low-order parts of positions count (PositionGrid), and whether a cutoff leaves
/// out all pairs.
template <class Physics, class Solver>
struct MoleculeSlice {
  static constexpr int kPlaces = kLanesOf<Solver>;

  const AllPositions& all;
  const PairTableView<float>& table;
  const Physics& physics;
  const PersistentMolecules<Solver>& molecules;
  std::uint32_t mine, first, n_slices;

  /// Adds the forces to sum.
  __device__ void add_forces(Vec3<float> (&sum)[kPlaces]) const {
    molecules.only_first_has_vdw ? add_forces<true>(sum) : add_forces<false>(sum);
  }

  /// Returns the thread's share of the energy. Half of each pair belongs to either atom.
  __device__ PartialEnergy energy() const {
    PartialEnergy sum{0, 0, 0};
    const auto has_atom = [&](std::uint32_t molecule, int place) {
      return molecules.all.at[molecule * kPlaces + place] != RigidMolecules::kNoAtom;
    };
    for_each<true>([&]<int b>(std::uint32_t j, const Pairs<b>& pairs) {
      for (int a = 0; a < kPlaces; ++a) {
        if (!has_atom(mine, a) || !has_atom(j, b)) continue;
        const float r2 = squared_norm(pairs.d[a]);
        const PairResult<float> pair = physics.for_energies(r2, pairs.coefficients(a), pairs.qq[a]);
        sum = sum + PartialEnergy{0.5 * pair.vdw, 0.5 * pair.coulomb, r2 < table.cutoff2 ? 1U : 0U};
      }
    });
    return sum;
  }

 private:
  /// The pairs of all places of the molecule with place b of another one.
  template <int b>
  struct Pairs {
    const MoleculeSlice& slice;
    std::uint32_t place;  ///< of the other atom
    Vec3<float> d[kPlaces];
    float qq[kPlaces];

    __device__ LjCoefficients<float> coefficients(int a) const {
      const LowOrderPart* const atom = slice.all.low_order;
      return slice.table
          .coefficients[atom[slice.mine * kPlaces + a].species * slice.table.n_species + atom[place].species];
    }
  };

  /// Calls use(j, pairs) for each of the thread's molecules j and each of its places, with an atom or without; also for
  /// some molecules beyond the cutoff. Places without an atom have no charge and add nothing to the force on an atom;
  /// the force on such a place itself may be NaN, as all of them are at one point, and nothing uses it. kAllNear:
  /// whether low-order parts count in all pairs.
  template <bool kAllNear, class Use>
  __device__ void for_each(const Use& use) const {
    LocalAtom<float> me[kPlaces];
    Vec3<float> my_low[kPlaces];
#pragma unroll
    for (int a = 0; a < kPlaces; ++a) {
      me[a] = all.local[mine * kPlaces + a];
      me[a].charge *= table.coulomb_constant;
      const LowOrderPart& low = all.low_order[mine * kPlaces + a];
      my_low[a] = {low.x, low.y, low.z};
    }
    // Positions are rounded by 2⁻²⁴ of their coordinates. Beyond a quarter of them that is 2.4e-7 of a distance.
    const float coordinate = fmaxf(fmaxf(fabsf(me[0].x), fabsf(me[0].y)), fabsf(me[0].z));
    const float near_first2 = fmaxf(molecules.near_first2, 0.0625F * coordinate * coordinate);
    const float most_first = molecules.most_first + 1e-6F * coordinate, most_first2 = most_first * most_first;
#pragma unroll 1
    for (std::uint32_t j = first; j < molecules.all.n; j += n_slices) {
      LocalAtom<float> other[kPlaces];
#pragma unroll
      for (int b = 0; b < kPlaces; ++b) other[b] = all.local[j * kPlaces + b];
      const float first2 = squared_norm(Vec3<float>{me[0].x - other[0].x, me[0].y - other[0].y, me[0].z - other[0].z});
      if (j == mine || first2 > most_first2) continue;
      const bool near = kAllNear || first2 < near_first2;
      const auto with_place = [&]<int b>() {
        Pairs<b> pairs{*this, j * kPlaces + b};
#pragma unroll
        for (int a = 0; a < kPlaces; ++a) {
          pairs.d[a] = {me[a].x - other[b].x, me[a].y - other[b].y, me[a].z - other[b].z};
          pairs.qq[a] = me[a].charge * other[b].charge;
        }
        if (near) {
          const LowOrderPart low = all.low_order[pairs.place];
#pragma unroll
          for (int a = 0; a < kPlaces; ++a)
            pairs.d[a] += Vec3<float>{my_low[a].x - low.x, my_low[a].y - low.y, my_low[a].z - low.z};
        }
        use(j, pairs);
      };
      [&]<int... b>(std::integer_sequence<int, b...>) { (with_place.template operator()<b>(), ...); }
      (std::make_integer_sequence<int, kPlaces>{});
    }
  }

  template <bool kOnlyFirstHasVdw>
  __device__ void add_forces(Vec3<float> (&sum)[kPlaces]) const {
    for_each<false>([&]<int b>(std::uint32_t, const Pairs<b>& pairs) {
      constexpr int kWithVdw = !kOnlyFirstHasVdw ? kPlaces : b == 0 ? 1 : 0;
      float f[kPlaces];
      if constexpr (Physics::kManyForms) {
        physics.template forces_over_r<kPlaces, kWithVdw>(
            [&](int a) {
              return PairArguments<float, LjCoefficients<float>>{
                  squared_norm(pairs.d[a]), a < kWithVdw ? pairs.coefficients(a) : LjCoefficients<float>{},
                  pairs.qq[a]};
            },
            f);
      } else {
#pragma unroll
        for (int a = 0; a < kPlaces; ++a)
          f[a] = physics(
                     squared_norm(pairs.d[a]), a < kWithVdw, [&] { return pairs.coefficients(a); }, pairs.qq[a])
                     .force_over_r;
      }
#pragma unroll
      for (int a = 0; a < kPlaces; ++a) {
        const Vec3<float>& d = pairs.d[a];
        sum[a] = {lane_fma(f[a], d.x, sum[a].x), lane_fma(f[a], d.y, sum[a].y), lane_fma(f[a], d.z, sum[a].z)};
      }
    });
  }
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

/// Sums of a block over the threads of each molecule, in two stages of a fixed order; component 3 a + k is axis k of
/// the force on place a.
template <int kPlaces>
struct MoleculeForceSum {
  static constexpr std::uint32_t kComponents = 3 * kPlaces, kMostParts = 8;
  using Shape = PersistentMoleculeShape;

  float of_thread[kComponents][Shape::kMostThreads];
  float of_part[kMostParts][kComponents][Shape::kMostMolecules];

  /// Number of parts into which the threads of a molecule are divided.
  static __device__ std::uint32_t parts(const Shape& shape) {
    return min(kMostParts, min(shape.slices(), shape.threads / (shape.molecules * kComponents)));
  }

  /// thread: among those that compute forces.
  __device__ void set(std::uint32_t thread, const Vec3<float> (&force)[kPlaces]) {
#pragma unroll
    for (int a = 0; a < kPlaces; ++a) {
      of_thread[3 * a][thread] = force[a].x;
      of_thread[3 * a + 1][thread] = force[a].y;
      of_thread[3 * a + 2][thread] = force[a].z;
    }
  }

  /// Adds the forces of the threads of each part. A barrier must separate it from set() and from total().
  __device__ void add_parts(std::uint32_t thread, const Shape& shape) {
    const std::uint32_t molecule = thread % shape.molecules, rest = thread / shape.molecules;
    const std::uint32_t component = rest % kComponents, part = rest / kComponents, n_parts = parts(shape);
    if (part >= n_parts) return;
    const float* const of_slice = of_thread[component] + molecule;
    float sum = 0;
    for (std::uint32_t slice = part; slice < shape.slices(); slice += n_parts) sum += of_slice[slice * shape.molecules];
    of_part[part][component][molecule] = sum;
  }

  /// Returns the force on a place of one of the block's molecules.
  __device__ Vec3<double> total(const Shape& shape, std::uint32_t molecule, int place) const {
    Vec3<double> sum{0, 0, 0};
    for (std::uint32_t part = 0; part < parts(shape); ++part) {
      const auto& of = of_part[part];
      sum += Vec3<double>{of[3 * place][molecule], of[3 * place + 1][molecule], of[3 * place + 2][molecule]};
    }
    return sum;
  }
};

/// The charges and species of all places, and positions of those without an atom.
template <class Solver>
__device__ void prepare_places(const AllPositions& all, const StepView<float>& step, const ClusterView<Solver>& of) {
  for (std::uint32_t place = threadIdx.x; place < of.n * kLanesOf<Solver>; place += blockDim.x) {
    const std::uint32_t index = of.at[place];
    const bool there = index != RigidMolecules::kNoAtom;
    all.local[place] = {kAway, kAway, kAway, there ? static_cast<float>(step.atoms.charge[index]) : 0.0F};
    all.low_order[place] = {0, 0, 0, there ? step.atoms.pair_species[index] : 0};
  }
}

/// A lane's atom or site, which it moves: refers to its data, which are variables of the kernel so that they stay in
/// registers. All lanes of a warp must call its functions.
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

  /// Loads the atom of the complete step `now`.
  __device__ void load(std::uint64_t now) const {
    cluster.atom = step.load_without_fields(lane.index);
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

  /// Does for the move to step `now` what no other block waits for. before: the position before the move.
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

  /// Adds to the forces on the atoms what the force on their site amounts to, with that of one-body terms.
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

/// The parts of a launch that all threads go through.
struct LaunchSteps {
  std::uint32_t tag;        ///< of the next positions
  std::uint64_t now, last;  ///< steps
  std::uint64_t recenter_every, until_recentring;

  /// Whether atoms move; otherwise only forces are computed.
  __device__ bool moving() const { return now < last; }
  /// Returns whether the atoms are recentred in this step.
  __device__ bool recentres() {
    if (--until_recentring != 0) return false;
    until_recentring = recenter_every;
    return true;
  }
};

/// Returns the centre that becomes the origin. All threads of the block must call it.
template <class Solver>
__device__ Vec3<double> find_centre(CentreSum& sum, const StepView<float>& step, const PersistentView& view,
                                    const ClusterView<Solver>& molecules, const AllPositions& all) {
  const auto weight = [at = molecules.at, mass = step.atoms.mass, by_mass = view.mass_centre](std::uint32_t place) {
    const std::uint32_t index = at[place];
    if (index == RigidMolecules::kNoAtom || mass[index] == 0) return 0.0;
    return by_mass ? mass[index] : 1.0;
  };
  return sum.find(molecules.n * kLanesOf<Solver>, view.anchor, weight,
                  [all](std::uint32_t place) { return all.position(place); });
}

}  // namespace persistent

/// The arguments are those of persistent_steps_kernel; positions are published by place. Warps that move atoms and
/// warps that compute forces have loops of their own, so that neither keeps the other's data in registers; the barriers
/// of the loops correspond.
template <class Physics, class Motion, class Solver>
__global__ void __launch_bounds__(PersistentMoleculeShape::kMostThreads, 1)
    persistent_molecule_kernel(const __grid_constant__ StepView<float> step,
                               const __grid_constant__ PairTableView<float> table,
                               const __grid_constant__ Physics physics, const __grid_constant__ Motion motion,
                               const __grid_constant__ PersistentView view,
                               const __grid_constant__ PersistentMolecules<Solver> molecules, std::uint32_t tag,
                               std::uint64_t now, std::uint64_t last, StepSums* sums) {
  using namespace persistent;
  constexpr int kPlaces = kLanesOf<Solver>;
  constexpr std::uint32_t kPerWarp = ClusterView<Solver>::kPerWarp;
  extern __shared__ LocalAtom<float> all_positions[];
  __shared__ MoleculeForceSum<kPlaces> force_sum;
  __shared__ CentreSum centre_sum;

  const PersistentMoleculeShape shape = molecules.shape;
  const std::uint32_t n_places = molecules.all.n * kPlaces, n_movers = blockDim.x - shape.threads;
  const std::uint32_t first = blockIdx.x * shape.molecules, end = min(first + shape.molecules, molecules.all.n);
  const AllPositions all(all_positions, n_places);
  const std::uint64_t every = view.recenter_every;
  LaunchSteps steps{tag, now, last, every, steps_to_recentring(every, now)};
  const bool moving = steps.moving();
  StepSums found;

  prepare_places(all, step, molecules.all);
  if (threadIdx.x < n_movers) {
    const FirstFault fault{view, step.sums.errors.any()};
    // A warp's first molecule may be behind the last one.
    const LaneOfMolecule<Solver> lane(molecules.all, first + threadIdx.x / 32 * kPerWarp, end);
    MotionAhead<Motion> ahead{motion};
    typename MovingPlace<Motion, Solver>::Cluster cluster{step, ahead, &constraints_of(molecules.solver), lane};
    Vec3<double> pair_force{};
    const MovingPlace<Motion, Solver> mine{step, view, fault, molecules.solver, lane, cluster, pair_force};
    mine.load(now);
    ahead.draw(now + 1, cluster.atom.key);
    do {
      const Vec3<double> before = cluster.atom.position;
      bool solved = true;
      if (moving)
        solved = mine.move(n_places, steps.tag, ++steps.now);
      else
        mine.publish(n_places, steps.tag);
      ++steps.tag;
      wait_for_block();  // polling for positions earlier would slow this down
      if (moving) mine.account_for(before, solved, steps.now);
      wait_for_block();
      if (moving && steps.recentres()) mine.shift(find_centre(centre_sum, step, view, molecules.all, all), steps.now);
      ahead.draw(steps.now + 1, cluster.atom.key);
      wait_for_block();
      wait_for_block();
      mine.finish(force_sum.total(shape, lane.cluster - first, lane.own), steps.now, moving);
    } while (steps.moving());
    found = mine.store(steps.now, !moving && sums != nullptr);
  } else {
    // Threads behind the last slice, and of molecules behind the last one, have no pairs.
    const std::uint32_t thread = threadIdx.x - n_movers;
    const std::uint32_t of_block = thread % shape.molecules, of_slice = thread / shape.molecules;
    const bool has_pairs = of_slice < shape.slices() && first + of_block < end;
    const MoleculeSlice<Physics, Solver> slice{all,      table,         physics, molecules, first + of_block,
                                               of_slice, shape.slices()};
    do {
      if (moving) ++steps.now;
      wait_for_block();
      all.gather(view, n_places, steps.tag, thread, shape.threads);
      ++steps.tag;
      wait_for_block();
      if (moving && steps.recentres()) find_centre(centre_sum, step, view, molecules.all, all);
      Vec3<float> force[kPlaces] = {};
      if (has_pairs) slice.add_forces(force);
      force_sum.set(thread, force);
      wait_for_block();
      force_sum.add_parts(thread, shape);
      wait_for_block();
    } while (steps.moving());
    if (sums != nullptr && has_pairs) found.pairs = slice.energy();
  }
  if (sums != nullptr) write_sums(found, sums);
}

}  // namespace dropmd
