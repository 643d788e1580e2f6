#pragma once

#include <cstdint>

#include "device/warp.cuh"
#include "engine/device/step_sums_of_atoms.cuh"
#include "engine/persistent/persistent_positions.cuh"
#include "forces/pair/pair_physics.h"

/// The kernel of PersistentSteps. A thread's index selects first an atom of the block, then a slice of the atoms that
/// it interacts with.
namespace dropmd {

namespace persistent {

constexpr int kMostThreads = PersistentShape::kMostThreads;
constexpr int kMostWarps = kMostThreads / 32;
constexpr int kMostOwned = PersistentShape::kMostAtoms;
constexpr int kAnyWarps = 32;  ///< of a block of any of the kernels

/// The thread's share of the force on atom `mine`: from every n_slices-th atom. Low-order parts are used for all pairs,
/// since testing which pairs need them would take as long.
template <class Physics>
struct Slice {
  const AllPositions& all;
  const PairTableView<float>& table;
  const Physics& physics;
  std::uint32_t mine, first, n_slices, slots;

  /// Calls use(j, d, r2, pair) for each of the thread's pairs, and also for the atom with itself and for slots past the
  /// last atom.
  template <bool kOneSpecies, bool kEnergies = false, class Use>
  __device__ void for_each(const Use& use) const {
    const LocalAtom<float> me = all.local[mine];
    const LowOrderPart my_low = all.low_order[mine];
    const float my_charge = me.charge * table.coulomb_constant;
    const LjCoefficients<float>* const row = table.coefficients + my_low.species * table.n_species;
    const LjCoefficients<float> only = row[0];
#pragma unroll 1
    for (std::uint32_t group = first; group < slots; group += kGroup * n_slices) {
#pragma unroll
      for (int k = 0; k < kGroup; ++k) {
        const std::uint32_t j = group + k * n_slices;
        const LocalAtom<float> other = all.local[j];
        const LowOrderPart low = all.low_order[j];
        const Vec3<float> d{(me.x - other.x) + (my_low.x - low.x), (me.y - other.y) + (my_low.y - low.y),
                            (me.z - other.z) + (my_low.z - low.z)};
        const float r2 = squared_norm(d);
        const LjCoefficients<float> c = kOneSpecies ? only : row[low.species];
        const float qq = my_charge * other.charge;
        use(j, d, r2, kEnergies ? physics.for_energies(r2, c, qq) : physics(r2, c, qq));
      }
    }
  }

  __device__ Vec3<float> force() const {
    Vec3<float> sum{0, 0, 0};
    const auto add = [&](std::uint32_t j, const Vec3<float>& d, float, const PairResult<float>& pair) {
      const float f = j == mine ? 0.0F : pair.force_over_r;
      sum = {lane_fma(f, d.x, sum.x), lane_fma(f, d.y, sum.y), lane_fma(f, d.z, sum.z)};
    };
    table.n_species == 1 ? for_each<true>(add) : for_each<false>(add);
    return sum;
  }

  /// Returns the thread's share of the energy. Half of each pair belongs to either atom.
  __device__ PartialEnergy energy(std::uint32_t n_atoms) const {
    PartialEnergy sum{0, 0, 0};
    for_each<false, true>([&](std::uint32_t j, const Vec3<float>&, float r2, const PairResult<float>& pair) {
      if (j == mine || j >= n_atoms) return;
      sum = sum + PartialEnergy{0.5 * pair.vdw, 0.5 * pair.coulomb, r2 < table.cutoff2 ? 1U : 0U};
    });
    return sum;
  }
};

/// Sums of a block over the threads of each atom; the order is that of the lanes, then of the warps.
struct ForceSum {
  float of_warp[kMostWarps][3][kMostOwned];

  /// Adds the threads' forces. All threads must call it; a barrier must separate it from total().
  __device__ void add(Vec3<float> force, std::uint32_t n_owned) {
    const std::uint32_t lane = threadIdx.x % 32;
    for (std::uint32_t mask = n_owned; mask < 32; mask *= 2) force += from_lane_xor(force, mask);
    if (lane >= n_owned) return;
    auto& mine = of_warp[threadIdx.x / 32];
    mine[0][lane] = force.x, mine[1][lane] = force.y, mine[2][lane] = force.z;
  }

  /// Sets all sums to zero; all threads must call it before the first add().
  __device__ void clear() {
    for (auto i = threadIdx.x; i < sizeof(of_warp) / sizeof(float); i += blockDim.x) (&of_warp[0][0][0])[i] = 0;
  }

  /// Returns the force on atom `lane`, for the first n_owned lanes. All lanes of one warp must call it; n_parts ·
  /// n_owned lanes add.
  __device__ Vec3<double> total(std::uint32_t lane, std::uint32_t n_owned, std::uint32_t n_parts) const {
    const std::uint32_t i = lane % n_owned;
    Vec3<double> sum{0, 0, 0};
    for (std::uint32_t warp = kAtOnce * (lane / n_owned); warp < blockDim.x / 32; warp += kAtOnce * n_parts) {
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        const auto& f = of_warp[warp + k];
        sum += Vec3<double>{f[0][i], f[1][i], f[2][i]};
      }
    }
    for (std::uint32_t mask = n_owned; mask < n_owned * n_parts; mask *= 2) sum += from_lane_xor(sum, mask);
    return sum;
  }

  /// Warps whose sums a lane adds without testing whether they exist.
  static constexpr int kAtOnce = 4;
  static_assert(kMostWarps % kAtOnce == 0);
};

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
        step.atoms.n_atoms, view.anchor, [=](std::uint32_t j) { return mass != nullptr ? mass[j] : 1.0; }, position);
  }
  /// The same for n points. weight(j): of point j.
  template <class Weight, class Position>
  __device__ DROPMD_OUTLINED Vec3<double> find(std::uint32_t n, Vec3<double> anchor, Weight weight, Position position) {
    Vec3<double> m{0, 0, 0};
    double w = 0;
    for (std::uint32_t j = threadIdx.x; j < n; j += blockDim.x) {
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

/// Stores what an atom and a virtual site have of the complete step `now` in the memory that other kernels use.
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
/// other blocks are on their way: checks the force of the step before, books and checks the move to step `now`.
/// pair_force: of the step before; zero in the first step of a launch.
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

}  // namespace persistent

/// Performs the steps after `now` up to `last`. If there are none, it computes only the forces or, if sums are
/// requested, only these. tag: of the first positions to be published. sums: [blocks of all GPUs] sums of the last
/// step, of which this GPU writes its own, with `within` counting each pair twice; may be null.
template <class Physics>
__global__ void __launch_bounds__(persistent::kMostThreads, 1)
    persistent_steps_kernel(const __grid_constant__ StepView<float> step,
                            const __grid_constant__ PairTableView<float> table, const __grid_constant__ Physics physics,
                            const __grid_constant__ Langevin motion, const __grid_constant__ PersistentView view,
                            std::uint32_t tag, std::uint64_t now, std::uint64_t last, StepSums* sums) {
  using namespace persistent;
  extern __shared__ LocalAtom<float> all_positions[];
  __shared__ ForceSum force_sum;
  __shared__ CentreSum centre_sum;

  const std::uint32_t n_atoms = step.atoms.n_atoms, n_owned = view.shape.atoms;
  const std::uint32_t slots = view.shape.slots(n_atoms);
  const AllPositions all(all_positions, slots);
  const std::uint32_t block = view.peers.first_block + blockIdx.x, first = block * n_owned;
  const std::uint32_t mine = min(first + threadIdx.x % n_owned, n_atoms - 1);
  const bool owner = threadIdx.x < n_owned && first + threadIdx.x < n_atoms;
  const Slice<Physics> slice{all, table, physics, mine, threadIdx.x / n_owned, blockDim.x / n_owned, slots};
  const FirstFault fault{view, step.sums.errors.any()};

  const std::uint32_t n_parts = max(1U, min(blockDim.x / (32 * ForceSum::kAtOnce), 32 / n_owned));
  const std::uint64_t every = view.recenter_every;
  std::uint64_t until_recentring = steps_to_recentring(every, now);

  MovingAtom atom = step.load_atom(mine, now);  // first, so that the loads overlap with what follows
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
      shift_atom(step, mine, atom, centre_sum.find(step, view, [all](std::uint32_t j) { return all.position(j); }), now,
                 owner);
      until_recentring = every;
    }
    force_sum.add(slice.force(), n_owned);
    __syncthreads();
    if (threadIdx.x >= 32) continue;
    pair_force = force_sum.total(threadIdx.x, n_owned, n_parts);
    if (!owner) continue;
    atom.force = step.with_fields(step.sums.rounded(pair_force), mine, atom.position, now);
    if (moving) motion.finish(atom, now);
  } while (now < last);
  if (owner) check_force(step, fault, mine, pair_force, now);

  StepSums found;
  const bool only_sums = !moving && sums != nullptr;
  if (owner) found = only_sums ? sums_in_memory(step, mine, now) : store_atom(step, fault, mine, atom, pair_force, now);
  if (sums == nullptr) return;
  if (first + threadIdx.x % n_owned < n_atoms) found.pairs = slice.energy(n_atoms);
  write_sums(found, sums, block);
}

}  // namespace dropmd
