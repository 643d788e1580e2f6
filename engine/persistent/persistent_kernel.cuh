#pragma once

#include <cstdint>

#include "device/warp.cuh"
#include "engine/device/step_sums_of_atoms.cuh"
#include "engine/persistent/persistent_positions.cuh"
#include "forces/pair/pair_physics.h"

/// The kernel of PersistentSteps. A thread's index selects first a column of the block's atoms, every fourth one, then
/// a slice of the atoms that they interact with.
namespace dropmd {

namespace persistent {

constexpr int kMostThreads = PersistentShape::kMostThreads;
constexpr int kMostWarps = kMostThreads / 32;
constexpr std::uint32_t kMostPlaces = 32;  ///< for a block's atoms, one lane each
constexpr int kColumns = PersistentShape::kLeastAtoms;

/// How a thread with kOwn atoms processes them: as many at a time as its registers hold.
template <int kOwn>
struct Passes {
  static constexpr int kOfPass = kOwn % 3 == 0 ? 3 : kOwn < 4 ? kOwn : 4;
  static constexpr int kPlaces = kOfPass == 3 ? 4 : kOfPass;  ///< of a pass in ForceSum, by column: a power of two
  static constexpr std::uint32_t kWidth = kColumns * kPlaces * (kOwn / kOfPass);  ///< of the block
  static_assert(kOwn % kOfPass == 0 && kWidth <= kMostPlaces);

  /// The place of the block's i-th atom.
  static __device__ std::uint32_t place(std::uint32_t i) {
    constexpr std::uint32_t kAtoms = kColumns * kOfPass;
    return i / kAtoms * (kColumns * kPlaces) + i % kAtoms;
  }
};
constexpr int kAnyWarps = 32;  ///< of a block of any of the kernels

/// The thread's share of the forces on kOwn of the block's atoms, those of its column: from every n_slices-th atom,
/// which it reads once for all of them.
template <class Physics, int kOwn>
struct Slice {
  /// Atoms that a thread reads at a time, so that latencies overlap.
  static constexpr int kAtOnce = kOwn < kGroup ? kGroup / kOwn : 1;

  const AllPositions& all;
  const PairTableView<float>& table;
  const Physics& physics;
  std::uint32_t mine[kOwn];
  std::uint32_t first, n_slices, slots;

  /// The slice of a thread of persistent_steps_kernel. first_own: index of the block's first atom that takes part.
  static __device__ Slice of_thread(const AllPositions& all, const PairTableView<float>& table, const Physics& physics,
                                    std::uint32_t first_own, std::uint32_t n_atoms, std::uint32_t slots) {
    Slice slice{all, table, physics, {}, threadIdx.x / kColumns, blockDim.x / kColumns, slots};
#pragma unroll
    for (int i = 0; i < kOwn; ++i) slice.mine[i] = min(first_own + kColumns * i + threadIdx.x % kColumns, n_atoms - 1);
    return slice;
  }

  /// sum: of mine[0] and so on. All lanes of a warp must call it.
  __device__ void find_forces(Vec3<float>* sum) const {
    table.n_species == 1 ? find_forces<true>(sum) : find_forces<false>(sum);
  }

  /// Returns the thread's share of the energy. Half of each pair belongs to either atom.
  __device__ PartialEnergy energy(std::uint32_t n_atoms) const requires(kOwn == 1) {
    const LocalAtom<float> me = all.local[mine[0]];
    const LowOrderPart my_low = all.low_order[mine[0]];
    PartialEnergy sum{0, 0, 0};
#pragma unroll 1
    for (std::uint32_t j = first; j < min(slots, n_atoms); j += n_slices) {
      const LocalAtom<float> other = all.local[j];
      const LowOrderPart low = all.low_order[j];
      if (j == mine[0]) continue;
      const float r2 = squared(Vec3<float>{(me.x - other.x) + (my_low.x - low.x), (me.y - other.y) + (my_low.y - low.y),
                                           (me.z - other.z) + (my_low.z - low.z)});
      const PairResult<float> pair =
          physics.for_energies(r2, table.coefficients[my_low.species * table.n_species + low.species],
                               me.charge * table.coulomb_constant * other.charge);
      sum = sum + PartialEnergy{0.5 * pair.vdw, 0.5 * pair.coulomb, r2 < table.cutoff2 ? 1U : 0U};
    }
    return sum;
  }

 private:
  /// The squared distance that an atom has from itself here, at which terms vanish.
  static constexpr float kElsewhere2 = kAway * kAway;

  static __device__ float squared(const Vec3<float>& d) { return lane_fma(d.z, d.z, lane_fma(d.y, d.y, d.x * d.x)); }

  /// Returns the squared distance from an atom below which low-order parts count: for atoms that may be in contact and,
  /// far from the anchor, where positions have fewer digits, up to an eighth of the distance from it. Beyond, rounding
  /// changes the distance of two atoms by up to 2⁻²⁰ of it.
  __device__ float exact_below2(const LocalAtom<float>& atom) const {
    constexpr float kShare2 = 0x1p-6F, kLeast = 1e-30F;  // so that an atom is near itself
    return fmaxf(fmaxf(table.near_distance2, kLeast), kShare2 * squared({atom.x, atom.y, atom.z}));
  }

  /// Whether low-order parts are used follows from each pair alone; the lanes vote so that most of their pairs, which
  /// are far apart, skip them.
  template <bool kOneSpecies>
  __device__ void find_forces(Vec3<float>* sum) const {
    LocalAtom<float> me[kOwn];
    float limit2[kOwn];
    [[maybe_unused]] std::uint32_t row[kOwn];
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      sum[i] = {0, 0, 0};
      me[i] = all.local[mine[i]];
      limit2[i] = exact_below2(me[i]);
      me[i].charge *= table.coulomb_constant;
      if constexpr (!kOneSpecies) row[i] = all.low_order[mine[i]].species * table.n_species;
    }
    const LjCoefficients<float> only = table.coefficients[0];
#pragma unroll 1
    for (std::uint32_t group = first; group < slots; group += kAtOnce * n_slices) {
      Vec3<float> d[kAtOnce][kOwn];
      float r2[kAtOnce][kOwn], charge[kAtOnce];
      bool near = false;
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        const LocalAtom<float> other = all.local[group + k * n_slices];
        charge[k] = other.charge;
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
          d[k][i] = {me[i].x - other.x, me[i].y - other.y, me[i].z - other.z};
          r2[k][i] = squared(d[k][i]);
          near = near || r2[k][i] < limit2[i];
        }
      }
      if (__any_sync(0xFFFFFFFFU, near)) {
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          const std::uint32_t j = group + k * n_slices;
          const LowOrderPart low = all.low_order[j];
#pragma unroll
          for (int i = 0; i < kOwn; ++i) {
            const LowOrderPart my_low = all.low_order[mine[i]];
            const Vec3<float> exact = d[k][i] + Vec3<float>{my_low.x - low.x, my_low.y - low.y, my_low.z - low.z};
            const float exact2 = j == mine[i] ? kElsewhere2 : squared(exact);
            const bool is_near = r2[k][i] < limit2[i];
            d[k][i] = is_near ? exact : d[k][i];
            r2[k][i] = is_near ? exact2 : r2[k][i];
          }
        }
      }
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        [[maybe_unused]] std::uint32_t species = 0;
        if constexpr (!kOneSpecies) species = all.low_order[group + k * n_slices].species;
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
          LjCoefficients<float> c = only;
          if constexpr (!kOneSpecies) c = table.coefficients[row[i] + species];
          const float f = physics(r2[k][i], c, me[i].charge * charge[k]).force_over_r;
          const Vec3<float>& v = d[k][i];
          sum[i] = {lane_fma(f, v.x, sum[i].x), lane_fma(f, v.y, sum[i].y), lane_fma(f, v.z, sum[i].z)};
        }
      }
    }
  }
};

/// Sums of a block over the threads of each atom. The order of additions is that of the slices, in a binary tree up to
/// those of a warp, and it depends only on the number of threads: not on how many atoms a block has.
struct ForceSum {
  float of_warp[kMostWarps][3][kMostPlaces];

  /// Adds the threads' forces on n atoms of their columns, of which the block's first one has the place `first`. All
  /// threads must call it; a barrier must separate it from total(). n: a power of two.
  template <int n>
  __device__ void add(Vec3<float> (&force)[n], std::uint32_t first) {
    const std::uint32_t lane = threadIdx.x % 32;
    int left = n;
#pragma unroll
    for (int mask = kColumns; mask < 32; mask *= 2) {
      // Of two lanes with several atoms, each continues with every second one.
#pragma unroll
      for (int q = 0; q < n / 2; ++q) {
        if (q >= left / 2) break;
        const bool odd = (lane & mask) != 0;
        const Vec3<float> give = odd ? force[2 * q] : force[2 * q + 1], keep = odd ? force[2 * q + 1] : force[2 * q];
        force[q] = keep + from_lane_xor(give, mask);
      }
      if (left == 1) force[0] += from_lane_xor(force[0], mask);
      left = left > 1 ? left / 2 : 1;
    }
    if (lane >= kColumns * n) return;
    auto& mine = of_warp[threadIdx.x / 32];
    const std::uint32_t at = first + lane;
    mine[0][at] = force[0].x, mine[1][at] = force[0].y, mine[2][at] = force[0].z;
  }

  /// Sets all sums to zero; all threads must call it before the first add().
  __device__ void clear() {
    for (auto i = threadIdx.x; i < sizeof(of_warp) / sizeof(float); i += blockDim.x) (&of_warp[0][0][0])[i] = 0;
  }

  /// Returns the force on the lane's atom, which has this place. All lanes of one warp must call it; those whose
  /// numbers differ by kWidth, a power of two, help the first one.
  template <std::uint32_t kWidth>
  __device__ Vec3<double> total(std::uint32_t lane, std::uint32_t place) const {
    constexpr std::uint32_t kMostParts = kMostWarps / kAtOnce, kLanes = 32 / kWidth;  // lanes of an atom
    const std::uint32_t n_parts = (blockDim.x / 32 + kAtOnce - 1) / kAtOnce;
    const std::uint32_t together = min(n_parts, kLanes);  // parts that lanes add up at a time
    Vec3<double> sum[kMostParts];
#pragma unroll
    for (std::uint32_t round = 0; round < kMostParts; ++round) {
      sum[round] = {0, 0, 0};
      const std::uint32_t part = round * together + lane / kWidth % together;
      if (round * together >= n_parts) continue;
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        const auto& f = of_warp[kAtOnce * part + k];
        sum[round] += Vec3<double>{f[0][place], f[1][place], f[2][place]};
      }
      for (std::uint32_t mask = kWidth; mask < kWidth * together; mask *= 2)
        sum[round] += from_lane_xor(sum[round], static_cast<int>(mask));
    }
    static_assert(kMostParts == 4);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
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

/// Returns memory for the state of the calling thread's atom, of n atoms; not for later threads.
template <std::uint32_t n>
__device__ inline MovingAtom* atom_in_shared() {
  __shared__ alignas(MovingAtom) unsigned char memory[n * sizeof(MovingAtom)];
  return reinterpret_cast<MovingAtom*>(memory) + threadIdx.x;
}

/// Writes the sums of kOwn groups of kColumns atoms from sums[0] on, of which there are n: those of the groups' atoms,
/// whose owners are the first threads, and the energies of pairs, energy(i) of a thread for the i-th group. All threads
/// must call it. Each group has the same sums whichever block it belongs to.
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
/// step by four atoms, of which this GPU writes its own, with `within` counting each pair twice; may be null. Blocks
/// have 4 kOwn atoms; results do not depend on how many.
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
  // Registers do not hold the state of an atom beside the forces on many; only the owners have one in shared memory.
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
