#pragma once

#include <cstdint>

#include "core/step_clock.h"
#include "device/launch.cuh"
#include "forces/force_sums.cuh"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "forces/pair/cuda/partial_energy.cuh"
#include "forces/pair/pair_physics.h"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/lists/twin_list_view.cuh"

/// Forces and energies of the pairs of a twin list: the atoms of all seats to shared memory, then each lane through the
/// list of its twins.
namespace dropmd {

/// What a seat holds: fixed-point coordinates round the block's centre; in a wide block the place alone, in x.
struct alignas(16) TwinSeat {
  std::int32_t x, y, z;
  std::uint32_t species;
};

/// The other atom of a pair, in a seat: differences are exact but for what a quantum is too coarse for.
class LocalTwins {
 public:
  using Other = TwinSeat;

  __device__ LocalTwins(const TwinBlock& block, const TwinSeat* seats, const Vec3<double> (&own)[2],
                        const std::uint32_t (&species)[2])
      : seats_(seats),
        scale_(block.quantum),
        own_{seat_of(block, own[0], species[0]), seat_of(block, own[1], species[1])} {}

  static __device__ TwinSeat seat_of(const TwinBlock& block, const Vec3<double>& position, std::uint32_t species) {
    const double quanta = 1.0 / double{block.quantum};
    const Vec3<double> d = quanta * (position - block.centre);
    return {__double2int_rn(d.x), __double2int_rn(d.y), __double2int_rn(d.z), species};
  }
  static __device__ TwinSeat nobody() { return {kNoCoordinate, kNoCoordinate, kNoCoordinate, 0}; }

  __device__ Other other(std::uint32_t seat) const { return seats_[seat]; }
  __device__ Other twin() const { return own_[1]; }
  static __device__ std::uint32_t species(const Other& other) { return other.species; }
  /// In quanta: lengths are scale() times that.
  __device__ Vec3<float> vector(int k, const Other& other) const {
    const auto minus = [](std::int32_t a, std::int32_t b) {
      return static_cast<float>(
          static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b)));
    };
    return {minus(own_[k].x, other.x), minus(own_[k].y, other.y), minus(own_[k].z, other.z)};
  }
  __device__ float scale() const { return scale_; }

 private:
  const TwinSeat* seats_;
  float scale_;
  TwinSeat own_[2];
};

/// The same where atoms are too far apart for fixed point.
class WideTwins {
 public:
  struct Other {
    Vec3<double> position;
    std::uint32_t species;
  };

  __device__ WideTwins(const AtomTilesView<float>& atoms, const TwinSeat* seats, const Vec3<double> (&own)[2],
                       const std::uint32_t (&species)[2])
      : atoms_(atoms), seats_(seats), own_{own[0], own[1]}, species_of_second_(species[1]) {}

  __device__ Other at_place(std::uint32_t place) const { return {atoms_.position[place], atoms_.species[place]}; }
  __device__ Other other(std::uint32_t seat) const {
    const auto place = static_cast<std::uint32_t>(seats_[seat].x);
    constexpr double kFar = 4 * kFarthest;
    return place < atoms_.n_atoms ? at_place(place) : Other{{kFar, kFar, kFar}, 0};
  }
  __device__ Other twin() const { return {own_[1], species_of_second_}; }
  static __device__ std::uint32_t species(const Other& other) { return other.species; }
  __device__ Vec3<float> vector(int k, const Other& other) const {
    return near_enough<float>(own_[k] - other.position);
  }
  static __device__ float scale() { return 1.0F; }

 private:
  const AtomTilesView<float>& atoms_;
  const TwinSeat* seats_;
  Vec3<double> own_[2];
  std::uint32_t species_of_second_;
};

/// The way of a block through its lists.
template <bool kOneSpecies>
class TwinWalk {
 public:
  __device__ TwinWalk(const TwinListView& list, const AtomTilesView<float>& atoms, const PairTableView<float>& table,
                      TwinSeat* seats)
      : list_(list), atoms_(atoms), table_(table), seats_(seats), block_(list.block[blockIdx.x]) {
    place_ = blockIdx.x * kTwinBlockAtoms + 2 * threadIdx.x;
    for (std::uint32_t k = 0; k < 2; ++k) {
      const std::uint32_t place = min(place_ + k, atoms.n_atoms - 1);
      own_[k] = atoms.position[place];
      species_[k] = kOneSpecies ? 0 : atoms.species[place];
    }
  }

  /// Of the lane's twins; behind the last atom, too.
  __device__ std::uint32_t place(int k) const { return place_ + k; }
  __device__ bool is_atom(int k) const { return place(k) < atoms_.n_atoms; }
  /// Of the vectors between atoms.
  __device__ float scale() const { return block_.seats == TwinSeats::local ? block_.quantum : WideTwins::scale(); }
  __device__ LjCoefficients<float> coefficients(int k, std::uint32_t species) const {
    return table_.coefficients[kOneSpecies ? 0 : species_[k] * table_.n_species + species];
  }

  /// The atoms of all seats to shared memory; by a block.
  __device__ void fetch() const {
    if (block_.seats == TwinSeats::crowded) return;
    constexpr std::uint32_t kAtOnce = 4;  // atoms of a thread that are on their way together
    for (std::uint32_t from = threadIdx.x; from < block_.n_seats; from += kAtOnce * blockDim.x) {
      std::uint32_t places[kAtOnce];
      Vec3<double> x[kAtOnce];
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) places[k] = place_in(min(from + k * blockDim.x, block_.n_seats - 1));
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) x[k] = atoms_.position[places[k]];
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) {
        const std::uint32_t s = from + k * blockDim.x;
        if (s >= block_.n_seats) break;
        const std::uint32_t species = kOneSpecies ? 0 : atoms_.species[places[k]];
        seats_[s] = block_.seats == TwinSeats::local ? LocalTwins::seat_of(block_, x[k], species)
                                                     : TwinSeat{static_cast<std::int32_t>(places[k]), 0, 0, 0};
      }
    }
    if (threadIdx.x == 0)
      seats_[block_.n_seats] = block_.seats == TwinSeats::local ? LocalTwins::nobody() : TwinSeat{-1, 0, 0, 0};
  }

  /// use(twins, k, other, place_of) for each pair of the lane's twins with another atom, once for either twin, and
  /// use_twins(twins) for the pair that they are.
  template <class Use, class UseTwins>
  __device__ void run(const Use& use, const UseTwins& use_twins) const {
    if (blockIdx.x * kTwinBlockAtoms + threadIdx.x / 32 * kTileAtoms >= atoms_.n_atoms) return;
    if (block_.seats == TwinSeats::local) {
      const LocalTwins twins(block_, seats_, own_, species_);
      through_list(twins, use);
      if (is_atom(1)) use_twins(twins);
    } else {
      const WideTwins twins(atoms_, seats_, own_, species_);
      if (block_.seats == TwinSeats::wide)
        through_list(twins, use);
      else
        through_all(twins, use);
      if (is_atom(1)) use_twins(twins);
    }
  }

 private:
  __device__ std::uint32_t place_in(std::uint32_t seat) const {
    return TwinListView::place_of(list_.seat[std::size_t{blockIdx.x} * list_.max_seats + seat]);
  }

  template <class Twins, class Use>
  __device__ void through_list(const Twins& twins, const Use& use) const {
    const std::uint32_t tile = blockIdx.x * kTwinWarps + threadIdx.x / 32;
    const TwinWord* word = list_.words(tile) + threadIdx.x % 32;
    TwinWord next = *word;
#pragma unroll 1
    for (std::uint32_t n = list_.n_words[tile]; n > 0; --n) {
      const TwinWord now = next;
      next = *(word += 32);
#pragma unroll
      for (int e = 0; e < kWordEntries; ++e) {
        const std::uint32_t seat = now.seat[e];
        const auto other = twins.other(seat);
        const auto place_of = [&] { return seat < block_.n_seats ? place_in(seat) : atoms_.n_atoms; };
        use(twins, 0, other, place_of);
        use(twins, 1, other, place_of);
      }
    }
  }

  template <class Use>
  __device__ void through_all(const WideTwins& twins, const Use& use) const {
#pragma unroll 1
    for (std::uint32_t j = 0; j < atoms_.n_atoms; ++j) {
      if (j - place_ < 2) continue;
      const auto other = twins.at_place(j);
      const auto place_of = [&] { return j; };
      use(twins, 0, other, place_of);
      use(twins, 1, other, place_of);
    }
  }

  const TwinListView& list_;
  const AtomTilesView<float>& atoms_;
  const PairTableView<float>& table_;
  TwinSeat* seats_;
  TwinBlock block_;
  std::uint32_t place_ = 0;
  Vec3<double> own_[2];
  std::uint32_t species_[2];
};

/// Blocks that the registers of a multiprocessor must allow.
inline constexpr int kTwinBlocksPerSm = 8;

template <class Physics, bool kOneSpecies>
__global__ void __launch_bounds__(32 * kTwinWarps, kTwinBlocksPerSm)
    twin_forces_kernel(const __grid_constant__ TwinListView list, const __grid_constant__ AtomTilesView<float> atoms,
                       const __grid_constant__ PairTableView<float> table, const __grid_constant__ Physics physics,
                       const StepClock* clock, const __grid_constant__ ForceSumsView<float> sums) {
  extern __shared__ TwinSeat twin_seats[];
  wait_for_kernel_before();
  if (!list.usable() || (clock != nullptr && !clock->moved())) return;
  TwinWalk<kOneSpecies> walk(list, atoms, table, twin_seats);
  walk.fetch();
  __syncthreads();
  Vec3<float> force[2] = {};  // times the unit of vectors
  const LjCoefficients<float> only = table.coefficients[0];
  const auto of_pair = [&](const auto& twins, int k, const auto& other, Vec3<float>& d) {
    d = twins.vector(k, other);
    const float r2 = twins.scale() * twins.scale() * squared_norm(d);
    const LjCoefficients<float> c = kOneSpecies ? only : walk.coefficients(k, twins.species(other));
    return physics(r2, c, 0.0F).force_over_r;
  };
  walk.run(
      [&](const auto& twins, int k, const auto& other, const auto&) {
        Vec3<float> d;
        const float f = of_pair(twins, k, other, d);
        force[k] = {lane_fma(f, d.x, force[k].x), lane_fma(f, d.y, force[k].y), lane_fma(f, d.z, force[k].z)};
      },
      [&](const auto& twins) {
        Vec3<float> d;
        const float f = of_pair(twins, 0, twins.twin(), d);
        force[0] = {lane_fma(f, d.x, force[0].x), lane_fma(f, d.y, force[0].y), lane_fma(f, d.z, force[0].z)};
        force[1] = {lane_fma(-f, d.x, force[1].x), lane_fma(-f, d.y, force[1].y), lane_fma(-f, d.z, force[1].z)};
      });
  for (int k = 0; k < 2; ++k)
    if (walk.is_atom(k)) sums.add(walk.place(k), walk.scale() * force[k]);
}

/// energy: [n_blocks]
template <class Physics>
__global__ void __launch_bounds__(32 * kTwinWarps)
    twin_energies_kernel(const __grid_constant__ TwinListView list, const __grid_constant__ AtomTilesView<float> atoms,
                         const __grid_constant__ PairTableView<float> table, const __grid_constant__ Physics physics,
                         PartialEnergy* energy) {
  extern __shared__ TwinSeat twin_seats[];
  __shared__ PartialEnergy of_warp[kTwinWarps];
  if (!list.usable()) return;
  TwinWalk<false> walk(list, atoms, table, twin_seats);
  walk.fetch();
  __syncthreads();
  PartialEnergy sum{0, 0, 0};
  const auto add = [&](const auto& twins, int k, const auto& other) {
    const float r2 = twins.scale() * twins.scale() * squared_norm(twins.vector(k, other));
    if (!(r2 < table.cutoff2)) return;
    sum = sum + PartialEnergy{physics.for_energies(r2, walk.coefficients(k, twins.species(other)), 0.0F).vdw, 0, 1};
  };
  walk.run(
      [&](const auto& twins, int k, const auto& other, const auto& place_of) {
        const std::uint32_t place = place_of();  // the pair belongs to the first of both
        if (place < atoms.n_atoms && walk.place(k) < place) add(twins, k, other);
      },
      [&](const auto& twins) { add(twins, 0, twins.twin()); });
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  PartialEnergy all{0, 0, 0};
  for (const PartialEnergy& part : of_warp) all = all + part;
  energy[blockIdx.x] = all;
}

}  // namespace dropmd
