#pragma once

#include <cstdint>

#include "engine/persistent/persistent_near.cuh"

/// The kernel of PersistentSteps for larger droplets whose pairs have a cutoff: each block keeps the atoms near its own
/// in shared memory, and a list for each of its own atoms.
namespace dropmd {

/// The arguments are those of persistent_steps_kernel. The first warps keep the state of the block's atoms, one per
/// lane; every warp sums the forces on some of them. In every step each of the first warps publishes, with its atoms'
/// positions, whether one of them has moved too far for the lists; if so, all blocks rebuild their lists for these
/// positions. Lists stay in device memory for later launches. (The function is long because the state of the atoms
/// stays in registers throughout.)
template <class Physics>
__global__ void __launch_bounds__(32 * PersistentListShape::kMostWarps, 1)
    persistent_list_kernel(const __grid_constant__ StepView<float> step,
                           const __grid_constant__ PairTableView<float> table, const __grid_constant__ Physics physics,
                           const __grid_constant__ Langevin motion, const __grid_constant__ PersistentView view,
                           const __grid_constant__ PersistentListView list, std::uint32_t tag, std::uint64_t now,
                           std::uint64_t last, StepSums* sums) {
  using namespace persistent;
  extern __shared__ NearRow near_rows[];
  __shared__ CentreSum centre_sum;
  __shared__ BlockAtoms own;
  __shared__ Vec3<float> own_force[BlockAtoms::kMost];
  __shared__ std::uint16_t height[PersistentListShape::kMostWarps][32], n_words[BlockAtoms::kMost];
  __shared__ std::uint32_t candidate_pairs;

  const PersistentListShape shape = list.shape;
  const std::uint32_t n_atoms = step.atoms.n_atoms, i = threadIdx.x, lane = i % 32, warp = i / 32;
  const std::uint32_t first = blockIdx.x * shape.atoms, n_own = min(shape.atoms, n_atoms - first);
  const bool owner = i < n_own;
  const std::uint32_t mine = first + min(i, n_own - 1);
  const std::uint32_t flags_of_block = shape.flags_of_block(), n_flags = gridDim.x * flags_of_block;
  NearAtoms<Physics> near{
      step,    table,          physics,
      view,    list,           {near_rows, reinterpret_cast<std::uint32_t*>(near_rows + shape.rows + 1)},
      own,     n_own,          height,
      n_words, candidate_pairs};
  const FirstFault fault{view, step.sums.errors.any()};
  const std::uint64_t every = view.recenter_every;
  std::uint64_t until_recentring = steps_to_recentring(every, now);

  if (warp == 0) near.buffer.empty(32 * shape.rows + lane);
  MovingAtom atom{};
  const KeptLists kept = list.kept[blockIdx.x];
  bool no_lists = kept.there == 0;
  Vec3<double> listed{};  // the atom's position when the lists were built
  // Warps that move no atoms take over the lists, if there are any, while the others load and move atoms.
  const std::uint32_t n_movers = flags_of_block < shape.warps ? 32 * flags_of_block : 0;
  if (!no_lists) near.take_over(kept, i - n_movers, blockDim.x - n_movers);
  if (owner) {
    if (!no_lists) listed = list.listed[mine];
    atom = step.load_atom(mine, now);
    own.local[i].charge = static_cast<float>(step.atoms.charge[mine]) * table.coulomb_constant;
    own.low_order[i].species = step.atoms.pair_species[mine];
  }
  const bool moving = now < last;
  Vec3<double> pair_force{};
  do {
    if (moving) ++now;
    if (warp < flags_of_block) {
      bool too_far = no_lists;
      const Vec3<double> before = atom.position;
      if (owner) {
        if (moving) motion.move(atom, now);
        const PublishedPosition seen(view, atom.position);
        seen.put(view, n_atoms, tag, mine);
        own.set(i, seen);
        const Vec3<double> moved = atom.position - listed;
        too_far = too_far || !(dot(moved, moved) <= list.max_move2);
      }
      too_far = __any_sync(0xFFFFFFFFU, too_far);
      if (lane == 0)
        put_packet(list.rebuild_flag + std::size_t{tag % 2} * n_flags + blockIdx.x * flags_of_block + warp,
                   {too_far ? 1.0F : 0.0F, 0, 0, tag});
      if (owner && moving) account_for_step(step, fault, mine, atom, before, pair_force, now);
    }
    // The positions of other blocks are about to arrive; polling for them earlier would slow them down.
    __syncthreads();
    const Packet* const flag = list.rebuild_flag + std::size_t{tag % 2} * n_flags;
    near.buffer.gather(view, n_atoms, tag);
    bool stale = false;
    for (std::uint32_t b = i; b < n_flags; b += blockDim.x) stale = stale || wait_for_packet(flag + b, tag).x != 0;
    if (__syncthreads_or(stale ? 1 : 0) != 0) {
      near.find(tag);
      listed = atom.position;
      no_lists = false;
    }
    if (moving && --until_recentring == 0) {
      const Packet* const position = view.position + std::size_t{tag % 2} * n_atoms;
      const Packet* const low_order = view.low_order + std::size_t{tag % 2} * n_atoms;
      const Vec3<double> centre = centre_sum.find(step, view, [=](std::uint32_t j) {
        const Packet x = wait_for_packet(position + j, tag), r = wait_for_packet(low_order + j, tag);
        return Vec3<double>{double{x.x} + r.x, double{x.y} + r.y, double{x.z} + r.z};
      });
      shift_atom(step, mine, atom, centre, now, owner);
      listed -= centre;
      until_recentring = every;
    }
    for (std::uint32_t of_block = warp; of_block < n_own; of_block += shape.warps) {
      const Vec3<float> force = near.force(of_block, tag);
      if (lane == 0) own_force[of_block] = force;
    }
    __syncthreads();
    if (owner) {
      pair_force = {own_force[i].x, own_force[i].y, own_force[i].z};
      atom.force = step.with_fields(step.sums.rounded(pair_force), mine, atom.position, now);
      if (moving) motion.finish(atom, now);
    }
    ++tag;
  } while (now < last);
  if (owner) check_force(step, fault, mine, pair_force, now);
  near.leave(listed);

  StepSums found;
  const bool only_sums = !moving && sums != nullptr;
  if (owner) found = only_sums ? sums_in_memory(step, mine, now) : store_atom(step, fault, mine, atom, pair_force, now);
  if (sums == nullptr) return;
  for (std::uint32_t of_block = warp; of_block < n_own; of_block += shape.warps)
    found.pairs = found.pairs + near.energy(of_block, tag - 1);
  write_sums(found, sums, blockIdx.x);
}

}  // namespace dropmd
