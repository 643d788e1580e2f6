#pragma once

#include <cstdint>

#include "engine/persistent/persistent_kernel.cuh"

/// The kernel of PersistentSteps for the smallest droplets, with one warp per atom. All lanes know the whole atom, so
/// that between the arrival of positions and the publication of the next ones there is only one sum over a warp.
namespace dropmd {

/// The arguments are those of persistent_steps_kernel. Shared memory has two sets of positions: a warp that is done
/// begins the next step while others still read.
template <class Physics>
__global__ void __launch_bounds__(32 * PersistentShape::kLeastAtoms)
    persistent_warp_kernel(const __grid_constant__ StepView<float> step,
                           const __grid_constant__ PairTableView<float> table, const __grid_constant__ Physics physics,
                           const __grid_constant__ Langevin motion, const __grid_constant__ PersistentView view,
                           std::uint32_t tag, std::uint64_t now, std::uint64_t last, StepSums* sums) {
  using namespace persistent;
  extern __shared__ LocalAtom<float> all_positions[];
  __shared__ CentreSum centre_sum;

  const std::uint32_t n_atoms = step.atoms.n_atoms, lane = threadIdx.x % 32;
  const std::uint32_t slots = view.shape.slots(n_atoms);
  const std::uint32_t block = view.peers.first_block + blockIdx.x, place = block * view.shape.atoms + threadIdx.x / 32;
  const std::uint32_t mine = min(place, n_atoms - 1);
  const bool owner = place < n_atoms;
  const bool publisher = owner && lane == 0;
  const auto all_of = [&](std::uint32_t of_tag) {
    return AllPositions(all_positions + std::size_t{of_tag % 2} * 2 * slots, slots);
  };
  const FirstFault fault{view, step.sums.errors.any()};
  std::uint64_t until_recentring = steps_to_recentring(view.recenter_every, now);

  MovingAtom atom = step.load_atom(mine, now);  // first, so that the loads overlap with what follows
  all_of(0).prepare(step, slots);
  all_of(1).prepare(step, slots);
  const bool moving = now < last;
  Vec3<double> pair_force{};
  do {
    const Vec3<double> before = atom.position;
    if (moving) motion.move(atom, ++now);
    if (publisher) {
      PublishedPosition(view, atom.position).put(view, n_atoms, tag, mine);
      if (moving) account_for_step(step, fault, mine, atom, before, pair_force, now);
    }
    const AllPositions all = all_of(tag);
    all.gather(view, n_atoms, tag);
    ++tag;
    __syncthreads();
    if (moving && --until_recentring == 0) {
      shift_atom(step, mine, atom, centre_sum.find(step, view, [all](std::uint32_t j) { return all.position(j); }), now,
                 publisher);
      until_recentring = view.recenter_every;
    }
    Vec3<float> of_atom[1];
    Slice<Physics, 1>{all, table, physics, {mine}, lane, 32, slots}.find_forces(of_atom);
    Vec3<float>& force = of_atom[0];
    for (int mask = 16; mask > 0; mask /= 2) force += from_lane_xor(force, mask);
    pair_force = {force.x, force.y, force.z};
    atom.force = step.with_fields(step.sums.rounded(pair_force), mine, atom.position, now);
    if (moving) motion.finish(atom, now);
  } while (now < last);
  if (publisher) check_force(step, fault, mine, pair_force, now);

  StepSums found;
  const bool only_sums = !moving && sums != nullptr;
  if (publisher)
    found = only_sums ? sums_in_memory(step, mine, now) : store_atom(step, fault, mine, atom, pair_force, now);
  if (sums == nullptr) return;
  if (owner) found.pairs = Slice<Physics, 1>{all_of(tag - 1), table, physics, {mine}, lane, 32, slots}.energy(n_atoms);
  write_sums(found, sums, block);
}

}  // namespace dropmd
