#pragma once

#include <cstdint>
#include <type_traits>

#include "forces/pair_physics.h"
#include "neighbor/cell_grid.h"
#include "neighbor/local_atoms.h"

namespace dropmd {

/// Launch shape of the all-pairs kernel.
struct AllPairsTuning {
  static constexpr int kThreads = 256;       ///< a block
  static constexpr int kAtomsPerThread = 2;  ///< i atoms a thread: each j read from shared memory serves them all
  static constexpr int kTile = 128;          ///< j atoms in shared memory; fp32 sums are flushed to fp64 after each
  static constexpr int kBlocksPerSm = 16;    ///< wanted in all, so that the last wave is short
};

/// The pair copy in device memory.
template <class Real>
struct DeviceAtomsView {
  const LocalAtom<Real>* atom;   ///< [n_atoms], spatial order
  const std::uint32_t* species;  ///< [n_atoms]
  const std::uint32_t* cell_of;  ///< [n_atoms]
  const Cell* cells;             ///< [n_cells]
  const Vec3<Real>* origin;      ///< [n_cells]
  const Vec3<Real>* fine;        ///< [n_atoms], float only
  std::uint32_t n_atoms;
  std::int32_t near_cells;  ///< cells apart up to which `fine` counts
};

template <class Real>
struct PairTableView {
  const LjCoefficients<Real>* coefficients;  ///< [n_species][n_species]
  std::uint32_t n_species;
  Real coulomb_constant;
  Real cutoff2;  ///< of the larger cutoff, for counting
};

/// Sums of one i atom over the j atoms of one split.
struct PartialEnergy {
  double vdw, coulomb;
  std::uint64_t within;

  friend DROPMD_HOST_DEVICE PartialEnergy operator+(const PartialEnergy& a, const PartialEnergy& b) {
    return {a.vdw + b.vdw, a.coulomb + b.coulomb, a.within + b.within};
  }
};

/// Results [n_splits][n_atoms], spatial order. `energy` is used if energies are wanted.
struct PartialSumsView {
  Vec3<double>* force;
  PartialEnergy* energy;
};

/// One i atom in registers.
template <class Real>
struct IAtom {
  std::uint32_t place;
  LocalAtom<Real> offset;  ///< charge times k_e
  Vec3<Real> origin;
  Vec3<Real> fine;
  std::uint32_t species;
  Vec3<double> force{};
  double vdw = 0, coulomb = 0;
  std::uint32_t within = 0;
};

/// What the inner loop needs of a j atom's cell.
template <class Real>
struct TileCell {
  Vec3<Real> origin;
  std::uint32_t end;  ///< place behind the cell's last atom
  CellIndex index;
};

/// j atoms in shared memory.
template <class Real>
struct Tile {
  LocalAtom<Real> atom[AllPairsTuning::kTile];
  Vec3<Real> fine[AllPairsTuning::kTile];
  TileCell<Real> cell[AllPairsTuning::kTile];  ///< of each atom
  std::uint32_t species[AllPairsTuning::kTile];
};

/// Which share of the work a thread has.
struct ThreadPlace {
  std::uint32_t i_block;  ///< block of i atoms
  std::uint32_t split;    ///< part of the j tiles
  std::uint32_t thread;   ///< in the block
};

/// One thread's share of all pairs: its i atoms against the tiles [first_tile, last_tile) of j atoms.
template <class Real, class Physics, bool kEnergies, bool kOneSpecies>
class AllPairsThread {
 public:
  using Tuning = AllPairsTuning;

  __device__ AllPairsThread(const ThreadPlace& where, const DeviceAtomsView<Real>& atoms,
                            const PairTableView<Real>& table, const Physics& physics, Tile<Real>& tile)
      : where_(where), atoms_(atoms), table_(table), physics_(physics), tile_(tile) {
    if constexpr (kOneSpecies) only_ = table.coefficients[0];
    const std::uint32_t first = where.i_block * Tuning::kThreads * Tuning::kAtomsPerThread;
    block_begin_ = first;
    block_end_ = first + Tuning::kThreads * Tuning::kAtomsPerThread;
#pragma unroll
    for (int k = 0; k < Tuning::kAtomsPerThread; ++k) {
      IAtom<Real>& a = mine_[k];
      // Consecutive atoms in a warp: few cells, so few others are near.
      const std::uint32_t warp = where.thread / 32, lane = where.thread % 32;
      a.place = first + (warp * Tuning::kAtomsPerThread + k) * 32 + lane;
      const std::uint32_t place = min(a.place, atoms.n_atoms - 1);  // beyond the end: work that is never written
      a.offset = atoms.atom[place];
      a.offset.charge *= table.coulomb_constant;
      const std::uint32_t cell = atoms.cell_of[place];
      a.origin = atoms.origin[cell];
      if constexpr (kFine) a.fine = atoms.fine[place];
      const CellIndex& index = atoms.cells[cell].index;
      if (k == 0) box_ = {index, index};
      box_.include(index);
      a.species = kOneSpecies ? 0 : atoms.species[place];
    }
    // The cells of the whole warp: its threads then branch alike.
    box_.low = {warp_min(box_.low.x), warp_min(box_.low.y), warp_min(box_.low.z)};
    box_.high = {-warp_min(-box_.high.x), -warp_min(-box_.high.y), -warp_min(-box_.high.z)};
  }

  /// Meets the tiles of its split and stores the sums.
  __device__ void run(std::uint32_t tiles_per_split, const PartialSumsView& out) {
    const std::uint32_t n_tiles = (atoms_.n_atoms + Tuning::kTile - 1) / Tuning::kTile;
    const std::uint32_t first = where_.split * tiles_per_split;
    add_tiles(first, min(first + tiles_per_split, n_tiles));
    store(out);
  }

 private:
  __device__ void add_tiles(std::uint32_t first_tile, std::uint32_t last_tile) {
    for (std::uint32_t t = first_tile; t < last_tile; ++t) {
      const std::uint32_t begin = t * Tuning::kTile;
      const std::uint32_t end = min(begin + Tuning::kTile, atoms_.n_atoms);
      __syncthreads();  // the tile before is no longer read
      for (std::uint32_t j = begin + where_.thread; j < end; j += Tuning::kThreads) {
        const std::uint32_t c = atoms_.cell_of[j];
        tile_.cell[j - begin] = {atoms_.origin[c], atoms_.cells[c].end, atoms_.cells[c].index};
        tile_.atom[j - begin] = atoms_.atom[j];
        if constexpr (kFine) tile_.fine[j - begin] = atoms_.fine[j];
        if constexpr (!kOneSpecies) tile_.species[j - begin] = atoms_.species[j];
      }
      __syncthreads();
      add_tile(begin, end);
    }
  }

  __device__ void store(const PartialSumsView& out) const {
#pragma unroll
    for (int k = 0; k < Tuning::kAtomsPerThread; ++k) {
      const IAtom<Real>& a = mine_[k];
      if (a.place >= atoms_.n_atoms) continue;
      const std::size_t slot = std::size_t{where_.split} * atoms_.n_atoms + a.place;
      out.force[slot] = a.force;
      if constexpr (kEnergies) out.energy[slot] = {a.vdw, a.coulomb, a.within};
    }
  }

  /// Sums of one i atom over one tile.
  struct TileSums {
    Vec3<Real> force{};
    Real vdw = 0, coulomb = 0;
  };

  /// By shuffles: __reduce_min_sync needs compute capability 8.0.
  static __device__ std::int32_t warp_min(std::int32_t value) {
    for (int distance = 16; distance > 0; distance /= 2)
      value = min(value, __shfl_xor_sync(0xFFFFFFFFU, value, distance));
    return value;
  }

  /// All pairs with j atoms [begin, end), cell by cell: within a cell all offsets have one origin.
  __device__ void add_tile(std::uint32_t begin, std::uint32_t end) {
    TileSums sums[Tuning::kAtomsPerThread];
    const bool self = begin < block_end_ && block_begin_ < end;
    for (std::uint32_t j = begin; j < end;) {
      const TileCell<Real> cell = tile_.cell[j - begin];
      const std::uint32_t run_end = min(cell.end, end);
      const bool near = kFine ? box_.is_near(cell.index, atoms_.near_cells) : self;
      near ? add_run<true>(cell.origin, begin, j, run_end, sums) : add_run<false>(cell.origin, begin, j, run_end, sums);
      j = run_end;
    }
#pragma unroll
    for (int k = 0; k < Tuning::kAtomsPerThread; ++k) {
      mine_[k].force += Vec3<double>{sums[k].force.x, sums[k].force.y, sums[k].force.z};
      if constexpr (kEnergies) {
        mine_[k].vdw += sums[k].vdw;
        mine_[k].coulomb += sums[k].coulomb;
      }
    }
  }

  /// Pairs with the atoms [first, last) of one cell with origin o; the tile begins at tile_begin.
  /// kNear: some may be in contact with the warp's atoms, or be the warp's own.
  template <bool kNear>
  __device__ void add_run(const Vec3<Real>& o, std::uint32_t tile_begin, std::uint32_t first, std::uint32_t last,
                          TileSums (&sums)[Tuning::kAtomsPerThread]) {
    Vec3<Real> x[Tuning::kAtomsPerThread];
#pragma unroll
    for (int k = 0; k < Tuning::kAtomsPerThread; ++k) {
      const IAtom<Real>& a = mine_[k];
      x[k] = {a.offset.x + (a.origin.x - o.x), a.offset.y + (a.origin.y - o.y), a.offset.z + (a.origin.z - o.z)};
    }
#pragma unroll(kNear ? 2 : 8)
    for (std::uint32_t s = first - tile_begin; s < last - tile_begin; ++s) {
#pragma unroll
      for (int k = 0; k < Tuning::kAtomsPerThread; ++k) add_pair<kNear>(mine_[k], x[k], s, tile_begin + s, sums[k]);
    }
  }

  template <bool kNear>
  __device__ void add_pair(IAtom<Real>& a, const Vec3<Real>& x, std::uint32_t s, std::uint32_t j,
                           TileSums& sums) const {
    const LocalAtom<Real> other = tile_.atom[s];
    if (kNear && j == a.place) return;
    Vec3<Real> d{x.x - other.x, x.y - other.y, x.z - other.z};
    if constexpr (kNear && kFine) d += a.fine - tile_.fine[s];
    const Real r2 = squared_norm(d);
    const LjCoefficients<Real> c =
        kOneSpecies ? only_ : table_.coefficients[a.species * table_.n_species + tile_.species[s]];
    const PairResult<Real> pair = physics_(r2, c, a.offset.charge * other.charge);
    sums.force = {lane_fma(pair.force_over_r, d.x, sums.force.x), lane_fma(pair.force_over_r, d.y, sums.force.y),
                  lane_fma(pair.force_over_r, d.z, sums.force.z)};
    if constexpr (kEnergies) {
      sums.vdw += pair.vdw;
      sums.coulomb += pair.coulomb;
      a.within += r2 < table_.cutoff2 ? 1U : 0U;
    }
  }

  static constexpr bool kFine = std::is_same_v<Real, float>;

  ThreadPlace where_;
  const DeviceAtomsView<Real>& atoms_;
  const PairTableView<Real>& table_;
  const Physics& physics_;
  Tile<Real>& tile_;
  LjCoefficients<Real> only_{};
  IAtom<Real> mine_[Tuning::kAtomsPerThread];
  CellBox box_;  ///< of the cells of the warp's atoms
  std::uint32_t block_begin_, block_end_;
};

/// grid (i blocks, splits of the j tiles)
template <class Real, class Physics, bool kEnergies, bool kOneSpecies>
__global__ void __launch_bounds__(AllPairsTuning::kThreads)
    all_pairs_kernel(const __grid_constant__ DeviceAtomsView<Real> atoms,
                     const __grid_constant__ PairTableView<Real> table, const __grid_constant__ Physics physics,
                     std::uint32_t tiles_per_split, PartialSumsView out) {
  __shared__ Tile<Real> tile;
  AllPairsThread<Real, Physics, kEnergies, kOneSpecies>({blockIdx.x, blockIdx.y, threadIdx.x}, atoms, table, physics,
                                                        tile)
      .run(tiles_per_split, out);
}

/// What joins the splits: partial forces [n_splits][n_atoms] in spatial order to forces [n_atoms] in file order.
struct JoinSplitsView {
  const Vec3<double>* partial;
  const std::uint32_t* order;  ///< [n_atoms]
  std::uint32_t n_atoms;
  std::uint32_t n_splits;
  Vec3<double>* force;

  /// Adds the splits of the atom at place k, in order.
  __device__ void join(std::uint32_t k) const {
    if (k >= n_atoms) return;
    Vec3<double> sum{};
    for (std::uint32_t s = 0; s < n_splits; ++s) sum += partial[std::size_t{s} * n_atoms + k];
    force[order[k]] = sum;
  }
};

/// One thread an atom.
static __global__ void join_splits_kernel(JoinSplitsView splits) { splits.join(blockIdx.x * blockDim.x + threadIdx.x); }

}  // namespace dropmd
