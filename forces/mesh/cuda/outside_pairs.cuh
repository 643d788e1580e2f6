#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/gather.cuh"
#include "forces/mesh/cuda/outside.cuh"
#include "forces/mesh/levels/outside_form.h"

namespace dropmd {

struct OutsideTuning {
  static constexpr std::uint32_t kAtoms = 128;  ///< of a block, which has a thread for each
  /// The most blocks that share the charges outside for the same atoms.
  static constexpr std::uint32_t kMostShares = 16;

  /// Returns the number of these blocks. most_outside: charges that there may be. Otherwise the few blocks with atoms
  /// of a vapour, from all of which no charge outside is far, would take most of the time.
  static std::uint32_t shares_for(std::size_t most_outside) {
    return static_cast<std::uint32_t>(std::clamp<std::size_t>(most_outside / kAtoms, 1, kMostShares));
  }
};

/// The charges outside of a fine mesh, of which a coarse mesh has some.
struct OutsideCharges {
  OutsideView fine;    ///< those outside of the fine mesh
  OutsideView coarse;  ///< of these, those outside of the coarse mesh; without a count if there is none
};

#if defined(__CUDACC__)

/// Which mesh has a charge.
enum class ChargePlace : std::uint8_t { fine, coarse, far };

__device__ inline ChargePlace place_of(const OutsideCharges& outside, std::uint32_t atom) {
  if (outside.fine.is_outside[atom] == 0) return ChargePlace::fine;
  return outside.coarse.count == nullptr || outside.coarse.is_outside[atom] != 0 ? ChargePlace::far
                                                                                 : ChargePlace::coarse;
}

/// The cuboid around the atoms of a warp that a mesh has, in fp32, rounded outwards.
struct WarpCuboid {
  float low[3], high[3];

  __device__ bool empty() const { return low[0] > high[0]; }
  /// Returns the square of the distance of a position; it is not too large.
  __device__ float distance2(const Vec3<double>& x) const {
    const auto beyond = [&](double at, int axis) {
      return fmaxf(fmaxf(low[axis] - __double2float_ru(at), __double2float_rd(at) - high[axis]), 0.0F);
    };
    constexpr float kLess = 1 - 1e-5F;  // for rounding
    const float a = beyond(x.x, 0), b = beyond(x.y, 1), c = beyond(x.z, 2);
    return kLess * (a * a + b * b + c * c);
  }
};

/// The pairs that are summed directly for the atoms of a block, because one or both charges are outside of the fine
/// mesh:
///
///   each atom of the block                       with each charge outside:   what acts on the atom
///   each atom that has a finer mesh than it      with each charge outside:   what acts on the charge outside
///
/// where a pair of a far charge and one that a mesh has counts as the far charge's alone. The pairs of charges that the
/// coarse mesh has end at a range, beyond which charges are left out for the whole block.
///
/// A block goes through the charges outside in parts that it keeps in shared memory. For the first line a thread has an
/// atom of the block; for the second line it has a charge outside, or one and a part of the atoms of the block. So a
/// pair is computed twice, and nothing is reduced. Both times its force is the same number of quanta, since the
/// difference of the positions only changes its sign.
///
/// Compute: of the arithmetic of a pair, which begins with the difference of two positions in fp64.
template <class Real, class Compute>
class OutsidePairs {
  static constexpr std::uint32_t kAtoms = OutsideTuning::kAtoms, kWarps = kAtoms / 32;

  struct Charge {
    Vec3<double> position{};
    double charge = 0;
    std::uint32_t atom = 0;
    ChargePlace place = ChargePlace::fine;
  };

 public:
  struct Shared {
    Charge atom[kAtoms];         ///< of the block; those that do not exist have no charge
    Charge outside[2 * kAtoms];  ///< a part of the charges outside
    WarpCuboid cuboid[kWarps];
    std::uint32_t kept[kWarps];
  };

  __device__ OutsidePairs(Shared& shared, const DeviceMoment<Real>& now, const OutsideCharges& outside,
                          const OutsideForm<Compute>& form, double coulomb)
      : shared_(shared),
        now_(now),
        outside_(outside),
        form_(form),
        coulomb_(static_cast<Compute>(coulomb)),
        index_(blockIdx.x * kAtoms + threadIdx.x) {}

  /// Adds the forces to the sums. All threads of a block must call it.
  __device__ void add_forces(const ForceSumsView<Real>& sums) const {
    const std::uint32_t n = *outside_.fine.count;
    if (n == 0) return;
    const Charge mine = load();
    Vec3<long long> on_mine{0, 0, 0};
    for_parts(n, [&](std::uint32_t n_here) {
      if (mine.charge != 0)
        for (std::uint32_t k = 0; k < n_here; ++k)
          if (meets(mine, shared_.outside[k])) add(on_mine, force(mine, shared_.outside[k], sums));
      add_reactions(n_here, sums);
    });
    if (mine.charge != 0) sums.add_quanta(index_, on_mine);
  }

  /// Adds the energies of the atoms' pairs, half of it for either if both are in the same mesh, or far. The order of
  /// the charges outside must be fixed. All threads of a block must call it.
  __device__ void add_energies(double* by_host_index) const {
    const std::uint32_t n = *outside_.fine.count;
    if (n == 0) return;
    const Charge mine = load();
    double sum = 0;
    for_parts(n, [&](std::uint32_t n_here) {
      if (mine.charge == 0) return;
      for (std::uint32_t k = 0; k < n_here; ++k) {
        const Charge& other = shared_.outside[k];
        if (!meets(mine, other)) continue;
        const Vec3<Compute> d = difference(mine, other);
        const double energy = static_cast<double>(product(mine, other) * term(mine, other, dot(d, d)).energy);
        sum += mine.place == other.place ? 0.5 * energy : energy;
      }
    });
    if (mine.charge != 0) by_host_index[now_.host_index[index_]] += sum;
  }

 private:
  /// Whether the force of `other` on a charge is computed by the charge's own thread.
  static __device__ bool meets(const Charge& mine, const Charge& other) {
    return mine.place <= other.place && mine.atom != other.atom;
  }

  /// Returns the charge of the thread, none behind the last one, and puts it into shared memory.
  __device__ Charge load() const {
    Charge mine;
    mine.atom = index_;
    if (index_ < now_.n_atoms) {
      mine.charge = now_.charge[index_];
      if (mine.charge != 0) mine = {now_.position[index_], mine.charge, index_, place_of(outside_, index_)};
    }
    shared_.atom[threadIdx.x] = mine;
    find_cuboid(mine.charge != 0 && mine.place != ChargePlace::far, mine.position);
    return mine;
  }

  /// Finds the cuboid of each warp's atoms. It is endless if there are none, and then has no distance.
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

  /// Whether a charge outside may have pairs with the atoms of the block.
  __device__ bool is_needed(const Charge& outside) const {
    if (outside.place == ChargePlace::far) return true;
    bool needed = false;
    for (const WarpCuboid& cuboid : shared_.cuboid)
      needed = needed || (!cuboid.empty() && cuboid.distance2(outside.position) < static_cast<float>(form_.range2));
    return needed;
  }

  /// Puts the needed ones of the block's share of the charges outside into shared memory, in their order, and calls
  /// use(n) for n of them as often as there are enough.
  template <class Use>
  __device__ void for_parts(std::uint32_t n, const Use& use) const {
    std::uint32_t n_kept = 0;
    const std::uint32_t next = gridDim.y * kAtoms;
    for (std::uint32_t first = blockIdx.y * kAtoms; first < n; first += next) {
      __syncthreads();  // the atoms and their cuboids are there; shared_.kept has been read
      Charge outside;
      bool needed = false;
      if (first + threadIdx.x < n) {
        const std::uint32_t atom = outside_.fine.atom[first + threadIdx.x];
        outside = {now_.position[atom], now_.charge[atom], atom, place_of(outside_, atom)};
        needed = is_needed(outside);
      }
      const std::uint32_t in_warp = __ballot_sync(0xFFFFFFFFU, needed), lane = threadIdx.x % 32;
      if (lane == 0) shared_.kept[threadIdx.x / 32] = static_cast<std::uint32_t>(__popc(in_warp));
      __syncthreads();
      std::uint32_t at = n_kept + static_cast<std::uint32_t>(__popc(in_warp & ((1U << lane) - 1)));
      for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
        if (warp < threadIdx.x / 32) at += shared_.kept[warp];
        n_kept += shared_.kept[warp];
      }
      if (needed) shared_.outside[at] = outside;
      if (n_kept <= kAtoms && first + next < n) continue;  // there is room for another part
      __syncthreads();
      if (n_kept > 0) use(n_kept);
      n_kept = 0;
    }
  }

  /// Adds what atoms of the block do to the charges outside. Few charges are each divided among several threads.
  __device__ void add_reactions(std::uint32_t n, const ForceSumsView<Real>& sums) const {
    const std::uint32_t threads_of_one = n < kAtoms ? kAtoms / n : 1, stride = kAtoms / threads_of_one;
    const std::uint32_t part = n < kAtoms ? threadIdx.x / n : 0;
    if (part >= threads_of_one) return;
    for (std::uint32_t k = n < kAtoms ? threadIdx.x % n : threadIdx.x; k < n; k += n < kAtoms ? n : stride) {
      const Charge outside = shared_.outside[k];
      Vec3<long long> sum{0, 0, 0};
      for (std::uint32_t a = part; a < kAtoms; a += threads_of_one) {
        const Charge& atom = shared_.atom[a];
        if (atom.charge != 0 && atom.place < outside.place) add(sum, force(outside, atom, sums));
      }
      sums.add_quanta(outside.atom, sum);
    }
  }

  static __device__ Vec3<Compute> difference(const Charge& mine, const Charge& other) {
    const Vec3<double> d = mine.position - other.position;
    return {static_cast<Compute>(d.x), static_cast<Compute>(d.y), static_cast<Compute>(d.z)};
  }
  /// Returns k_e q q'.
  __device__ Compute product(const Charge& mine, const Charge& other) const {
    return coulomb_ * (static_cast<Compute>(mine.charge) * static_cast<Compute>(other.charge));
  }

  /// Returns the energy and the force of a pair, of which a charge is outside, over the charges.
  __device__ SmoothTerm<Compute> term(const Charge& mine, const Charge& other, Compute r2) const {
    const bool is_far = mine.place == ChargePlace::far || other.place == ChargePlace::far;
    return is_far ? form_.smooth(r2) : form_.beyond_coarse(r2);
  }

  /// Returns the force of a pair on `mine` in quanta.
  __device__ Vec3<long long> force(const Charge& mine, const Charge& other, const ForceSumsView<Real>& sums) const {
    const Vec3<Compute> d = difference(mine, other);
    const Compute over_r = product(mine, other) * term(mine, other, dot(d, d)).force_over_r;
    return whole_quanta(over_r * d, static_cast<Compute>(sums.quanta), mine.atom, sums.errors);
  }

  static __device__ void add(Vec3<long long>& sum, const Vec3<long long>& f) {
    sum = {sum.x + f.x, sum.y + f.y, sum.z + f.z};
  }

  Shared& shared_;
  const DeviceMoment<Real>& now_;
  const OutsideCharges& outside_;
  const OutsideForm<Compute>& form_;
  Compute coulomb_;
  std::uint32_t index_;
};

template <class Real>
__global__ void __launch_bounds__(OutsideTuning::kAtoms)
    outside_forces_kernel(DeviceMoment<Real> now, OutsideCharges outside,
                          const __grid_constant__ OutsideForm<Real> form, double coulomb, ForceSumsView<Real> sums) {
  __shared__ typename OutsidePairs<Real, Real>::Shared shared;
  if (now.wants_forces()) OutsidePairs<Real, Real>(shared, now, outside, form, coulomb).add_forces(sums);
}

template <class Real>
__global__ void __launch_bounds__(OutsideTuning::kAtoms)
    outside_energies_kernel(DeviceMoment<Real> now, OutsideCharges outside,
                            const __grid_constant__ OutsideForm<double> form, double coulomb, double* by_host_index) {
  __shared__ typename OutsidePairs<Real, double>::Shared shared;
  OutsidePairs<Real, double>(shared, now, outside, form, coulomb).add_energies(by_host_index);
}

/// Puts the charges outside into the order of the host's arrays: `ordered` receives the list.
template <class Real>
__device__ void order_outside(const DeviceMoment<Real>& now, const OutsideView& outside, std::uint32_t* ordered,
                              std::uint32_t k) {
  const std::uint32_t n = *outside.count;
  if (k >= n) return;
  const std::uint32_t mine = now.host_index[outside.atom[k]];
  std::uint32_t before = 0;
  for (std::uint32_t other = 0; other < n; ++other) before += now.host_index[outside.atom[other]] < mine ? 1 : 0;
  ordered[before] = outside.atom[k];
}

template <class Real>
__global__ void order_outside_kernel(DeviceMoment<Real> now, OutsideView outside, std::uint32_t* ordered) {
  order_outside(now, outside, ordered, blockIdx.x * blockDim.x + threadIdx.x);
}

#endif

}  // namespace dropmd
