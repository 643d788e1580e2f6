#pragma once

#include <cstdint>

#include "engine/persistent/persistent_molecule_forces.cuh"
#include "engine/persistent/persistent_molecule_motion.cuh"

/// The kernel of PersistentSteps for rigid waters and single atoms. The first warps of a block move its atoms, one lane
/// per atom, as cluster_step.cuh does; the others compute forces. There a thread's index selects first a molecule of
/// the block, whose positions the thread keeps in registers, then a slice of the molecules that it interacts with.
namespace dropmd {

namespace persistent {

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
  return sum.find(molecules.n * kLanesOf<Solver>, PersistentMoleculeShape::least_threads(molecules.n), view.anchor,
                  weight, [all](std::uint32_t place) { return all.position(place); });
}

/// Returns, in the first lane of a molecule, the sums over its lanes; all lanes of a warp must call it.
template <class Solver>
__device__ StepSums sum_of_molecule(const LaneOfMolecule<Solver>& lane, const StepSums& of_lane) {
  StepSums sum = of_lane;
#pragma unroll 1
  for (int k = 1; k < kLanesOf<Solver>; ++k) sum += from_lane(of_lane, lane.first_lane + k);
  return sum;
}

}  // namespace persistent

/// The arguments are those of persistent_steps_kernel; positions are published by place. Warps that move atoms and
/// warps that compute forces have loops of their own, so that neither keeps the other's data in registers; the barriers
/// of the loops correspond. sums: [molecules].
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
  __shared__ MoleculeSums<kPlaces> of_molecules;
  __shared__ CentreSum centre_sum;

  const PersistentMoleculeShape shape = molecules.shape;
  const std::uint32_t n_places = molecules.all.n * kPlaces, n_movers = blockDim.x - shape.threads;
  const std::uint32_t block = view.peers.first_block + blockIdx.x;
  const std::uint32_t first = block * shape.molecules, end = min(first + shape.molecules, molecules.all.n);
  const AllPositions all(all_positions, n_places);
  const std::uint64_t every = view.recenter_every;
  LaunchSteps steps{tag, now, last, every, steps_to_recentring(every, now)};
  const bool moving = steps.moving();

  if (threadIdx.x < n_movers) {
    const FirstFault fault{view, step.sums.errors.any()};
    // A warp's first molecule may be past the last one.
    const LaneOfMolecule<Solver> lane(molecules.all, first + threadIdx.x / 32 * kPerWarp, end);
    MotionAhead<Motion> ahead{motion};
    typename MovingPlace<Motion, Solver>::Cluster cluster{step, ahead, &constraints_of(molecules.solver), lane};
    Vec3<double> pair_force{};
    const MovingPlace<Motion, Solver> mine{step, view, fault, molecules.solver, lane, cluster, pair_force};
    mine.load(now, ahead);
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
      mine.finish(of_molecules.forces.total(shape, lane.cluster - first, lane.own), steps.now, moving);
    } while (steps.moving());
    const StepSums found = sum_of_molecule(lane, mine.store(steps.now, !moving && sums != nullptr));
    if (sums == nullptr) return;
    wait_for_block();
    wait_for_block();
    wait_for_block();
    if (!lane.has_place || lane.own != 0) return;
    sums[lane.cluster] = found;
    sums[lane.cluster].pairs = of_molecules.energies.total(shape, lane.cluster - first);
  } else {
    // Threads past the last ones of the columns, and those of molecules past the last one, have no pairs.
    const std::uint32_t thread = threadIdx.x - n_movers;
    const std::uint32_t of_block = thread % shape.molecules, first_slice = thread / shape.molecules;
    const bool has_pairs = first_slice < shape.slice_threads() && first + of_block < end;
    // Calls use(slice, whether it is the first one) for the thread's slices.
    const auto for_slices = [&](const auto& use) {
#pragma unroll 1
      for (std::uint32_t slice = first_slice; slice < shape.slices(); slice += shape.slice_threads())
        use(MoleculeSlice<Physics, Solver>{all, table, physics, molecules, first + of_block, slice, shape.slices()},
            slice == first_slice);
    };
    prepare_places(all, step, molecules.all, thread, shape.threads);
    do {
      if (moving) ++steps.now;
      wait_for_block();
      all.gather(view, n_places, steps.tag, thread, shape.threads);
      ++steps.tag;
      wait_for_block();
      if (moving && steps.recentres()) find_centre(centre_sum, step, view, molecules.all, all);
      if (has_pairs)
        for_slices(
            [&](const auto& slice, bool is_first) { of_molecules.forces.put(thread, slice.forces(), is_first); });
      wait_for_block();
      of_molecules.forces.add_parts(thread, shape);
      wait_for_block();
    } while (steps.moving());
    if (sums == nullptr) return;
    wait_for_block();  // until the sums of forces have been read
    if (has_pairs)
      for_slices(
          [&](const auto& slice, bool is_first) { of_molecules.energies.put(thread, slice.energy(), is_first); });
    wait_for_block();
    of_molecules.energies.add_parts(thread, shape);
    wait_for_block();
  }
}

}  // namespace dropmd
