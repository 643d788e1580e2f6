#pragma once

#include <cstdint>

#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/atom_cuboid.cuh"
#include "forces/mesh/cuda/outside.cuh"
#include "forces/mesh/cuda/pair_units.cuh"
#include "forces/mesh/levels/outside_form.h"

namespace dropmd {

/// The charges outside of a fine mesh, some of which a coarse mesh has.
struct OutsideCharges {
  OutsideView view;
  const OutsideAtom* in_order;  ///< the list in the order in which charges are taken
};

#if defined(__CUDACC__)

/// Which mesh has a charge.
enum class ChargePlace : std::uint8_t { fine, coarse, far };

__device__ inline ChargePlace place_of(const OutsideCharges& outside, std::uint32_t atom) {
  const std::uint32_t entry = outside.view.entry[atom];
  if (entry == OutsideView::kInside) return ChargePlace::fine;
  return outside.view.list[entry].is_far() ? ChargePlace::far : ChargePlace::coarse;
}

/// The pairs that are summed directly for a group of atoms, because one or both charges are outside of the fine mesh:
///
///   each atom of the group                       with each charge outside:   what acts on the atom
///   each atom that has a finer mesh than it      with each charge outside:   what acts on the charge outside
///
/// where a pair of a far charge and one that a mesh has counts as the far charge's alone. The pairs of charges that the
/// coarse mesh has end at a range, beyond which charges are left out for the whole group.
///
/// A block processes one group after another. It goes through the charges outside in parts that it keeps in shared
/// memory. For the first line a thread has an atom of the group and a share of the part; for the second line, a charge
/// outside and all or a part of the atoms of the group. So a pair is computed twice, and little is left to reduce. Both
/// times its force is the same number of units, since the difference of the positions only changes sign.
///
/// Compute: type of the arithmetic of a pair.
template <class Real, class Compute>
class OutsidePairs {
  static constexpr std::uint32_t kAtoms = OutsideTuning::kAtoms, kThreads = OutsideTuning::kThreads,
                                 kShares = OutsideTuning::kShares, kWarps = kAtoms / 32;
  /// Warps that look for charges outside that are needed, and how many each may find before those are used.
  static constexpr std::uint32_t kScanners = kThreads / 32, kMostFound = 48;

  struct Charge {
    PairPosition<Compute> position{};
    Compute charge = 0;
    std::uint32_t atom = 0;
    ChargePlace place = ChargePlace::fine;
  };

 public:
  struct Shared {
    Charge atom[kAtoms];                     ///< of the group; those that do not exist have no charge
    Charge outside[kScanners * kMostFound];  ///< a part of the charges outside
    std::uint32_t found[kScanners][kMostFound];
    std::uint32_t n_found[kScanners];
    AtomCuboid cuboid[kWarps];  ///< around the atoms of each warp that has some, if a mesh has them
    double energy[kThreads];
  };

  __device__ OutsidePairs(Shared& shared, const DeviceMoment<Real>& now, const OutsideCharges& outside,
                          const OutsideForm<Compute>& form, double coulomb)
      : shared_(shared),
        now_(now),
        outside_(outside),
        form_(form),
        coulomb_(static_cast<Compute>(coulomb)),
        share_(threadIdx.x / kAtoms) {}

  /// Advances to the next group of atoms; returns false if there is none, or if no charge is outside. All threads of a
  /// block must call this and the functions below.
  __device__ bool next_group() {
    if (*outside_.view.count == 0) return false;
    const std::uint32_t group = blockIdx.x + next_ * gridDim.x;
    if (next_++ > 0) __syncthreads();
    index_ = group * kAtoms + threadIdx.x % kAtoms;
    return group < OutsideTuning::groups(now_.n_atoms);
  }

  /// Adds the forces of the group to the sums.
  __device__ void add_forces(const ForceSumsView<Real>& sums, const PairUnit<Compute>& unit) const {
    const std::uint32_t n = *outside_.view.count;
    const Charge mine = load();
    if (mine.charge != 0 && share_ == 0) require_finite(sums.errors);
    Vec3<long long> on_mine{0, 0, 0};
    for_parts(n, [&](std::uint32_t n_here) {
      if (mine.charge != 0)
        for (std::uint32_t k = share_; k < n_here; k += kShares)
          if (meets(mine, shared_.outside[k])) add(on_mine, force(mine, shared_.outside[k], unit));
      add_reactions(n_here, sums, unit);
    });
    if (mine.charge != 0) add_to(sums, index_, on_mine, unit);
  }

  /// Adds the energies of the atoms' pairs, half to each atom if both are on the same mesh or both are far. The order
  /// of the charges outside must be fixed.
  __device__ void add_energies(double* by_host_index) const {
    const std::uint32_t n = *outside_.view.count;
    const Charge mine = load();
    double sum = 0;
    for_parts(n, [&](std::uint32_t n_here) {
      if (mine.charge == 0) return;
      for (std::uint32_t k = share_; k < n_here; k += kShares) {
        const Charge& other = shared_.outside[k];
        if (!meets(mine, other)) continue;
        const Vec3<Compute> d = mine.position - other.position;
        const Compute r2 = dot(d, d);
        if (!contributes(mine, other, r2)) continue;
        const double energy = static_cast<double>(product(mine, other) * term(mine, other, r2).energy);
        sum += mine.place == other.place ? 0.5 * energy : energy;
      }
    });
    shared_.energy[threadIdx.x] = sum;
    __syncthreads();
    if (mine.charge == 0 || share_ != 0) return;
    for (std::uint32_t share = 1; share < kShares; ++share) sum += shared_.energy[share * kAtoms + threadIdx.x];
    by_host_index[now_.host_index[index_]] += sum;
  }

 private:
  /// Whether the force of `other` on a charge is computed by the charge's own thread.
  static __device__ bool meets(const Charge& mine, const Charge& other) {
    return mine.place <= other.place && mine.atom != other.atom;
  }

  /// Puts the atoms of the group into shared memory, those that do not exist as charges of 0, and returns the thread's.
  __device__ Charge load() const {
    if (share_ == 0) {
      Charge mine;
      mine.atom = index_;
      Vec3<double> position{};
      if (index_ < now_.n_atoms && now_.charge[index_] != 0) {
        position = now_.position[index_];
        mine = charge_of(index_, position, place_of(outside_, index_));
      }
      shared_.atom[threadIdx.x] = mine;
      find_cuboid(mine.charge != 0 && mine.place != ChargePlace::far, position);
    }
    __syncthreads();
    return shared_.atom[threadIdx.x % kAtoms];
  }

  /// Reports a position that is not finite, which makes its forces 0.
  __device__ void require_finite(const ErrorRecordView& errors) const {
    const Vec3<double> x = now_.position[index_];
    if (!(isfinite(x.x) && isfinite(x.y) && isfinite(x.z)))
      errors.report(static_cast<std::uint8_t>(ForceFault::not_finite), index_);
  }

  __device__ Charge charge_of(std::uint32_t atom, const Vec3<double>& position, ChargePlace place) const {
    return {PairPosition<Compute>(position), static_cast<Compute>(now_.charge[atom]), atom, place};
  }

  /// Finds the cuboid of each warp's atoms.
  __device__ void find_cuboid(bool counts, const Vec3<double>& x) const {
    const double position[3] = {x.x, x.y, x.z};
    constexpr float kNone = 3e38F;
    for (int axis = 0; axis < 3; ++axis) {
      float low = counts ? __double2float_rd(position[axis]) : kNone,
            high = counts ? __double2float_ru(position[axis]) : -kNone;
      for (int mask = 16; mask > 0; mask /= 2) {
        low = fminf(low, __shfl_xor_sync(0xFFFFFFFFU, low, mask));
        high = fmaxf(high, __shfl_xor_sync(0xFFFFFFFFU, high, mask));
      }
      if (threadIdx.x % 32 == 0) {
        shared_.cuboid[threadIdx.x / 32].low[axis] = low;
        shared_.cuboid[threadIdx.x / 32].high[axis] = high;
      }
    }
  }

  /// Whether a charge outside may have pairs with the atoms of the group, all of which are in a cuboid.
  __device__ bool is_needed(const OutsideAtom& outside, const AtomCuboid& all) const {
    const auto range2 = static_cast<float>(form_.range2);
    if (all.may_reach(outside, range2))
      for (const AtomCuboid& cuboid : shared_.cuboid)
        if (cuboid.may_reach(outside, range2)) return true;
    return outside.is_far();
  }

  /// Puts the charges outside that are needed into shared memory and calls use(n) for n of them at a time. Their order
  /// is a function of that of the list.
  template <class Use>
  __device__ void for_parts(std::uint32_t n, const Use& use) const {
    AtomCuboid all = shared_.cuboid[0];
    for (std::uint32_t warp = 1; warp < kWarps; ++warp) all.add(shared_.cuboid[warp]);
    std::uint32_t next = threadIdx.x / 32 * 32;  // of the list, where the warp looks next
    for (bool done = false; !done;) {
      scan(n, all, next);
      done = __syncthreads_and(next >= n ? 1 : 0) != 0;
      const std::uint32_t n_here = take_found();
      __syncthreads();
      if (n_here > 0) use(n_here);
      __syncthreads();
    }
  }

  /// Looks for charges that are needed, by each warp for itself, from `next` on until it has found enough or reached
  /// the end.
  __device__ void scan(std::uint32_t n, const AtomCuboid& all, std::uint32_t& next) const {
    const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    std::uint32_t n_found = 0;
    const auto entry = [&](std::uint32_t first) {
      return first + lane < n ? outside_.in_order[first + lane] : OutsideAtom{};
    };
    OutsideAtom ahead = entry(next);
    while (next < n && n_found + 32 <= kMostFound) {
      const OutsideAtom outside = ahead;
      const bool needed = next + lane < n && is_needed(outside, all);
      next += kThreads;
      ahead = entry(next);
      const std::uint32_t of_warp = __ballot_sync(0xFFFFFFFFU, needed);
      if (needed)
        shared_.found[warp][n_found + static_cast<std::uint32_t>(__popc(of_warp & ((1U << lane) - 1)))] =
            outside.index_and_far;
      n_found += static_cast<std::uint32_t>(__popc(of_warp));
    }
    if (lane == 0) shared_.n_found[warp] = n_found;
  }

  /// Puts the charges that all warps have found into shared memory and returns their number.
  __device__ std::uint32_t take_found() const {
    const std::uint32_t mine = threadIdx.x / 32, lane = threadIdx.x % 32;
    std::uint32_t first = 0, all = 0;
    for (std::uint32_t warp = 0; warp < kScanners; ++warp) {
      if (warp == mine) first = all;
      all += shared_.n_found[warp];
    }
    for (std::uint32_t k = lane; k < shared_.n_found[mine]; k += 32) {
      const OutsideAtom outside{0, 0, 0, shared_.found[mine][k]};
      const std::uint32_t atom = outside.atom();
      shared_.outside[first + k] =
          charge_of(atom, now_.position[atom], outside.is_far() ? ChargePlace::far : ChargePlace::coarse);
    }
    return all;
  }

  /// Adds the forces of the group's atoms on the charges outside. If these are few, several threads share each of them.
  __device__ void add_reactions(std::uint32_t n, const ForceSumsView<Real>& sums, const PairUnit<Compute>& unit) const {
    constexpr std::uint32_t kMost = 16;  // threads for one charge, each of which adds to its sums
    std::uint32_t threads_of_one = 1;
    while (threads_of_one < kMost && 2 * threads_of_one * n <= kThreads) threads_of_one *= 2;
    const std::uint32_t part = threadIdx.x % threads_of_one, next = kThreads / threads_of_one;
    for (std::uint32_t k = threadIdx.x / threads_of_one; k < n; k += next) {
      const Charge outside = shared_.outside[k];
      Vec3<long long> sum{0, 0, 0};
      for (std::uint32_t a = part; a < kAtoms; a += threads_of_one) {
        const Charge& atom = shared_.atom[a];
        if (atom.charge != 0 && atom.place < outside.place) add(sum, force(outside, atom, unit));
      }
      add_to(sums, outside.atom, sum, unit);
    }
  }

  /// Returns k_e q q'.
  __device__ Compute product(const Charge& mine, const Charge& other) const {
    return coulomb_ * (mine.charge * other.charge);
  }

  static __device__ bool is_far(const Charge& mine, const Charge& other) {
    return mine.place == ChargePlace::far || other.place == ChargePlace::far;
  }
  /// Whether the force of a pair may differ from zero. In a vapour most pairs of a block are out of range.
  __device__ bool contributes(const Charge& mine, const Charge& other, Compute r2) const {
    return is_far(mine, other) || r2 < form_.range2;
  }
  /// Returns the energy and the force of a pair with a charge outside, per product of the charges.
  __device__ SmoothTerm<Compute> term(const Charge& mine, const Charge& other, Compute r2) const {
    return is_far(mine, other) ? form_.smooth(r2) : form_.beyond_coarse(r2);
  }

  static __device__ int whole(float x) { return __float2int_rn(x); }
  static __device__ long long whole(double x) { return __double2ll_rn(x); }

  /// Returns the force of a pair on `mine` in units.
  __device__ Vec3<long long> force(const Charge& mine, const Charge& other, const PairUnit<Compute>& unit) const {
    const Vec3<Compute> d = mine.position - other.position;
    const Compute r2 = dot(d, d);
    if (!contributes(mine, other, r2)) return {0, 0, 0};
    const Compute over_r = unit.per_force * product(mine, other) * term(mine, other, r2).force_over_r;
    return {whole(over_r * d.x), whole(over_r * d.y), whole(over_r * d.z)};
  }

  static __device__ void add_to(const ForceSumsView<Real>& sums, std::uint32_t atom, const Vec3<long long>& sum,
                                const PairUnit<Compute>& unit) {
    const long long quanta = 1LL << unit.shift;
    if ((sum.x | sum.y | sum.z) != 0) sums.add_quanta(atom, {sum.x * quanta, sum.y * quanta, sum.z * quanta});
  }

  static __device__ void add(Vec3<long long>& sum, const Vec3<long long>& f) {
    sum = {sum.x + f.x, sum.y + f.y, sum.z + f.z};
  }

  Shared& shared_;
  const DeviceMoment<Real>& now_;
  const OutsideCharges& outside_;
  const OutsideForm<Compute>& form_;
  Compute coulomb_;
  std::uint32_t share_;      ///< of the charges outside
  std::uint32_t next_ = 0;   ///< group of atoms
  std::uint32_t index_ = 0;  ///< of the thread's atom
};

template <class Real>
__global__ void __launch_bounds__(OutsideTuning::kThreads)
    outside_forces_kernel(DeviceMoment<Real> now, OutsideCharges outside,
                          const __grid_constant__ OutsideForm<Real> form, double coulomb, ForceSumsView<Real> sums,
                          PairUnit<Real> unit) {
  __shared__ typename OutsidePairs<Real, Real>::Shared shared;
  if (!now.wants_forces()) return;
  OutsidePairs<Real, Real> pairs(shared, now, outside, form, coulomb);
  while (pairs.next_group()) pairs.add_forces(sums, unit);
}

template <class Real>
__global__ void __launch_bounds__(OutsideTuning::kThreads)
    outside_energies_kernel(DeviceMoment<Real> now, OutsideCharges outside,
                            const __grid_constant__ OutsideForm<double> form, double coulomb, double* by_host_index) {
  __shared__ typename OutsidePairs<Real, double>::Shared shared;
  OutsidePairs<Real, double> pairs(shared, now, outside, form, coulomb);
  while (pairs.next_group()) pairs.add_energies(by_host_index);
}

#endif

}  // namespace dropmd
