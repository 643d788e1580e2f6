#pragma once

#include <cstdint>

#include "device/warp.cuh"
#include "engine/device/step_sums_of_atoms.cuh"
#include "engine/persistent/persistent_positions.cuh"
#include "engine/persistent/persistent_slices.cuh"

/// The kernel of PersistentSteps, and what the other persistent kernels share with it.
namespace dropmd {

namespace persistent {

constexpr int kAnyWarps = 32;  ///< of a block of any of the kernels

/// A barrier of the block that warps may reach at different places of the code.
__device__ inline void wait_for_block() { asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x) : "memory"); }

/// Computes the centre that is moved to the origin; every block obtains a bitwise identical result. All threads must
/// call it; it has a barrier.
struct CentreSum {
  double of_warp[kAnyWarps][4];  ///< the moment, and the weight

  /// position(j): position of atom j, relative to the anchor.
  template <class Position>
  __device__ Vec3<double> find(const StepView<float>& step, const PersistentView& view, const Position& position) {
    const double* const mass = view.mass_centre ? step.atoms.mass : nullptr;
    return find(
        step.atoms.n_atoms, blockDim.x, view.anchor, [=](std::uint32_t j) { return mass != nullptr ? mass[j] : 1.0; },
        position);
  }
  /// The same for n points, by the first n_threads of the block. weight(j): of point j.
  template <class Weight, class Position>
  __device__ DROPMD_OUTLINED Vec3<double> find(std::uint32_t n, std::uint32_t n_threads, Vec3<double> anchor,
                                               Weight weight, Position position) {
    Vec3<double> m{0, 0, 0};
    double w = 0;
#pragma unroll 4  // so that loads overlap
    for (std::uint32_t j = threadIdx.x < n_threads ? threadIdx.x : n; j < n; j += n_threads) {
      const double part = weight(j);
      m += part * position(j);
      w += part;
    }
    for (int mask = 16; mask > 0; mask /= 2) {
      m += from_lane_xor(m, mask);
      w += __shfl_xor_sync(0xFFFFFFFFU, w, mask);
    }
    double(&mine)[4] = of_warp[threadIdx.x / 32];
    if (threadIdx.x % 32 == 0) mine[0] = m.x, mine[1] = m.y, mine[2] = m.z, mine[3] = w;
    wait_for_block();
    m = {0, 0, 0}, w = 0;
    for (std::uint32_t warp = 0; warp < blockDim.x / 32; ++warp) {
      const double(&part)[4] = of_warp[warp];
      m += Vec3<double>{part[0], part[1], part[2]};
      w += part[3];
    }
    return anchor + (1.0 / w) * m;
  }
};

/// Records the first step that failed. Later steps are still performed, with arbitrary results, since other blocks wait
/// for this one; the host discards them. If a previous kernel had a fault, that one is reported instead.
struct FirstFault {
  const PersistentView& view;
  bool broken_before;

  __device__ void note(std::uint64_t at) const {
    if (!broken_before) atomicMin(reinterpret_cast<unsigned long long*>(view.fault_step), at);
    *static_cast<volatile std::uint32_t*>(view.h_faulty) = 1;
  }
};

/// Launches count down to the steps of recentring; from 0 the countdown never ends, as no launch has so many steps.
__device__ inline std::uint64_t steps_to_recentring(std::uint64_t every, std::uint64_t now) {
  return every == 0 ? 0 : every - now % every;
}

/// Returns the sums of a complete step from memory. Its forces are not replaced: in a recentring step they were
/// computed before the atoms moved, and may differ in the last digits from those computed here.
__device__ inline StepSums sums_in_memory(const StepView<float>& step, std::uint32_t index, std::uint64_t now) {
  return sums_of(step, index, step.load_atom(index, now), now);
}

/// Stores what atoms and virtual sites alike have of the complete step `now` in the memory that other kernels use.
__device__ inline void store_place(const StepView<float>& step, const FirstFault& fault, std::uint32_t index,
                                   const Vec3<double>& position, const Vec3<double>& pair_force, std::uint64_t now) {
  step.atoms.position[index] = position;
  step.sums.set(index, pair_force);
  if (!fault.broken_before && index % kTileAtoms == 0) step.clock[index / kTileAtoms] = {now, StepClock::complete};
}

/// Stores an atom of the complete step `now`; returns its contribution to the sums.
__device__ inline StepSums store_atom(const StepView<float>& step, const FirstFault& fault, std::uint32_t index,
                                      const MovingAtom& atom, const Vec3<double>& pair_force, std::uint64_t now) {
  store_place(step, fault, index, atom.position, pair_force, now);
  step.atoms.velocity[index] = atom.velocity;
  return sums_of(step, index, atom, now);
}

/// Moves an atom by recentring, so that `centre` becomes the origin. books: true for one thread per atom.
__device__ inline void shift_atom(const StepView<float>& step, std::uint32_t index, MovingAtom& atom,
                                  const Vec3<double>& centre, std::uint64_t now, bool books) {
  const Vec3<double> before = atom.position;
  atom.position -= centre;
  if (books) step.book_shift(index, before, atom.position, now);
}

/// Reports a force that is out of the range of the sums.
__device__ inline void check_force(const StepView<float>& step, const FirstFault& fault, std::uint32_t index,
                                   const Vec3<double>& pair_force, std::uint64_t now) {
  if (step.sums.holds(pair_force)) return;
  step.sums.errors.report(static_cast<std::uint8_t>(ForceFault::not_finite), index);
  fault.note(now);
}

/// The part of a step that no other block waits for; performed once an atom's new position is published, while those of
/// other blocks are on their way: checks the force of the previous step, books and checks the move to step `now`.
/// pair_force: of the previous step; zero in the first step of a launch.
template <class Motion = Langevin>
__device__ inline void account_for_step(const StepView<float>& step, const FirstFault& fault, std::uint32_t index,
                                        MovingAtom& atom, const Vec3<double>& before, const Vec3<double>& pair_force,
                                        std::uint64_t now) {
  check_force(step, fault, index, pair_force, now - 1);
  if (step.template account_for_move<Motion>(atom, before, index, now)) fault.note(now);
}

/// Writes the sums over the block's threads to sums[block].
__device__ inline void write_sums(StepSums found, StepSums* sums, std::uint32_t block) {
  __shared__ alignas(StepSums) unsigned char warp_sums[kAnyWarps * sizeof(StepSums)];
  auto* const of_warp = reinterpret_cast<StepSums*>(warp_sums);
  found = sum_of_warp(found);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = found;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (std::uint32_t warp = 1; warp < blockDim.x / 32; ++warp) found += of_warp[warp];
  sums[block] = found;
}

/// Returns memory for the state of the calling thread's atom, which must be one of the first n threads.
template <std::uint32_t n>
__device__ inline MovingAtom* atom_in_shared() {
  __shared__ alignas(MovingAtom) unsigned char memory[n * sizeof(MovingAtom)];
  return reinterpret_cast<MovingAtom*>(memory) + threadIdx.x;
}

/// Writes the sums of kOwn groups of kColumns atoms from sums[0] on, of which there are n. They consist of those of the
/// groups' atoms, whose owners are the first threads, and of the energies of pairs: energy(i) is a thread's share for
/// the i-th group. All threads must call it. Each group has the same sums whichever block it belongs to.
template <int kOwn, class Energy>
__device__ inline void write_group_sums(StepSums of_owner, const Energy& energy, StepSums* sums, std::uint32_t n) {
  __shared__ PartialEnergy of_warp[kMostWarps][kOwn];
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_here = min(n, std::uint32_t{kOwn});
  if (warp == 0) {
    for (int mask = 1; mask < kColumns; mask *= 2) of_owner += from_lane_xor(of_owner, mask);
    if (lane % kColumns == 0 && lane / kColumns < n_here) sums[lane / kColumns] = of_owner;
  }
#pragma unroll 1
  for (std::uint32_t i = 0; i < n_here; ++i) {
    const PartialEnergy of_lanes = sum_of_warp(energy(i));
    if (lane == 0) of_warp[warp][i] = of_lanes;
  }
  __syncthreads();
  if (threadIdx.x >= n_here) return;
  PartialEnergy total{0, 0, 0};
  for (std::uint32_t w = 0; w < blockDim.x / 32; ++w) total = total + of_warp[w][threadIdx.x];
  sums[threadIdx.x].pairs = total;
}

}  // namespace persistent

/// Performs the steps after `now` up to `last`. If there are none, it computes only the forces or, if sums are
/// requested, only these. tag: of the first positions to be published. sums: [n_atoms / 4, rounded up] sums of the last
/// step over four atoms each, with `within` counting each pair twice; this GPU writes its own; may be null. Blocks have
/// 4 kOwn atoms; results do not depend on how many.
template <class Physics, int kOwn>
__global__ void __launch_bounds__(persistent::kMostThreads, 1)
    persistent_steps_kernel(const __grid_constant__ StepView<float> step,
                            const __grid_constant__ PairTableView<float> table, const __grid_constant__ Physics physics,
                            const __grid_constant__ Langevin motion, const __grid_constant__ PersistentView view,
                            std::uint32_t tag, std::uint64_t now, std::uint64_t last, StepSums* sums) {
  using namespace persistent;
  constexpr std::uint32_t kOwned = kColumns * kOwn;
  using Pass = Passes<kOwn>;
  extern __shared__ LocalAtom<float> all_positions[];
  __shared__ ForceSum force_sum;
  __shared__ CentreSum centre_sum;

  const std::uint32_t n_atoms = step.atoms.n_atoms, slots = view.shape.slots(n_atoms);
  const AllPositions all(all_positions, slots);
  const std::uint32_t block = view.peers.first_block + blockIdx.x, first = block * kOwned;
  const std::uint32_t mine = min(first + threadIdx.x % kOwned, n_atoms - 1);
  const bool owner = threadIdx.x < kOwned && first + threadIdx.x < n_atoms;
  const FirstFault fault{view, step.sums.errors.any()};
  const std::uint64_t every = view.recenter_every;
  std::uint64_t until_recentring = steps_to_recentring(every, now);

  MovingAtom in_registers = step.load_atom(mine, now);  // first, so that the loads overlap with what follows
  // Registers do not hold the state of an atom besides the forces on many; owners then have it in shared memory.
  MovingAtom& atom = kOwn == 1 ? in_registers : *atom_in_shared<kOwned>();
  if (kOwn > 1 && owner) atom = in_registers;
  force_sum.clear();
  all.prepare(step, slots);
  const bool moving = now < last;
  Vec3<double> pair_force{};  // on atom `mine`; valid in the first warp
  do {
    if (moving) ++now;
    if (owner) {
      const Vec3<double> before = atom.position;
      if (moving) motion.move(atom, now);
      PublishedPosition(view, atom.position).put(view, n_atoms, tag, mine);
      if (moving) account_for_step(step, fault, mine, atom, before, pair_force, now);
    }
    all.gather(view, n_atoms, tag);
    ++tag;
    __syncthreads();
    if (moving && --until_recentring == 0) {
      const Vec3<double> centre = centre_sum.find(step, view, [all](std::uint32_t j) { return all.position(j); });
      if (owner) shift_atom(step, mine, atom, centre, now, true);
      until_recentring = every;
    }
#pragma unroll 1
    for (std::uint32_t pass = 0; pass < kOwn / Pass::kOfPass; ++pass) {
      Vec3<float> force[Pass::kPlaces] = {};
      const std::uint32_t first_own = first + pass * (kColumns * Pass::kOfPass);
      Slice<Physics, Pass::kOfPass>::of_thread(all, table, physics, first_own, n_atoms, slots).find_forces(force);
      force_sum.add(force, pass * (kColumns * Pass::kPlaces));
    }
    __syncthreads();
    if (threadIdx.x >= 32) continue;
    const std::uint32_t place = Pass::place(min(threadIdx.x % Pass::kWidth, kOwned - 1));
    pair_force = force_sum.total<Pass::kWidth>(threadIdx.x, place);
    if (!owner) continue;
    atom.force = step.with_fields(step.sums.rounded(pair_force), mine, atom.position, now);
    if (moving) motion.finish(atom, now);
  } while (now < last);
  if (owner) check_force(step, fault, mine, pair_force, now);

  StepSums found;
  const bool only_sums = !moving && sums != nullptr;
  if (owner) found = only_sums ? sums_in_memory(step, mine, now) : store_atom(step, fault, mine, atom, pair_force, now);
  if (sums == nullptr) return;
  const auto energy = [&](std::uint32_t i) {
    const std::uint32_t first_own = first + kColumns * i;
    if (first_own + threadIdx.x % kColumns >= n_atoms) return PartialEnergy{0, 0, 0};
    return Slice<Physics, 1>::of_thread(all, table, physics, first_own, n_atoms, slots).energy(n_atoms);
  };
  const std::uint32_t first_group = first / kColumns;
  write_group_sums<kOwn>(found, energy, sums + first_group, PersistentShape::groups(n_atoms) - first_group);
}

}  // namespace dropmd
