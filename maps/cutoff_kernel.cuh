#pragma once

#include <type_traits>

#include "device/cuda.cuh"
#include "maps/map_slab.cuh"
#include "neighbor/cell_grid.h"

/// Cutoff summation: each warp of points with the atoms of the cells within its reach.
///
/// A warp keeps a box of 8 × 4 × kPoints points. It looks up the cells of the neighbour grid that its box can reach, 32
/// at a time, an atom a lane; those within reach of the box are packed one after the other in shared memory and then
/// met by all points of the warp, so that no lane waits for the list of another. Cells hold any number of atoms: there
/// is no overflow. Sums of kSummedInFp32 atoms are flushed to fp64.
namespace dropmd {

struct CutoffShape {
  static constexpr std::int32_t kWarps = 4;  ///< a block, side by side along y; each for itself
  static constexpr std::int32_t kBatch = 64;
  template <class Real, bool kField>
  static constexpr int kPoints = std::is_same_v<Real, float> && !kField ? 8 : 4;
};

/// Cells and their atoms in device memory.
struct MapCells {
  CellGridView grid;
  Vec3<double> anchor;
  double edge;
  const DeviceCharge* atoms;  ///< [n_atoms], those of a cell one after the other
};

#if defined(__CUDACC__)

/// Cells that a box may reach: [low, high], or all occupied ones.
struct CellsInReach {
  CellIndex low, high;
  std::uint32_t n;  ///< to look at
  bool all;

  __device__ CellsInReach(const MapCells& cells, const SpaceBox& box, double reach) {
    const double edge_inv = 1 / cells.edge;
    const Vec3<double> more{reach, reach, reach};
    low = cell_index(box.low - more - cells.anchor, edge_inv);
    high = cell_index(box.high + more - cells.anchor, edge_inv);
    const auto span = [](std::int32_t a, std::int32_t b) { return 1.0 + b - static_cast<double>(a); };
    const double in_reach = span(low.x, high.x) * span(low.y, high.y) * span(low.z, high.z);
    // Beyond kLargestPlainIndex a cell's index is no place.
    const auto is_plain = [](std::int32_t c) { return c > -kLargestPlainIndex && c < kLargestPlainIndex; };
    const bool plain = is_plain(low.x) && is_plain(low.y) && is_plain(low.z) && is_plain(high.x) && is_plain(high.y) &&
                       is_plain(high.z);
    all = !plain || in_reach > cells.grid.n_cells;
    n = all ? cells.grid.n_cells : static_cast<std::uint32_t>(in_reach);
  }

  /// Number of the occupied cell to look at as the c-th, kNoCell if there is none there or it cannot be in reach.
  __device__ std::uint32_t operator()(const MapCells& cells, const SpaceBox& box, double reach, std::uint32_t c) const {
    if (c >= n) return kNoCell;
    if (all) return c;
    const std::uint32_t nx = high.x - low.x + 1, ny = high.y - low.y + 1;
    const CellIndex index{low.x + static_cast<std::int32_t>(c % nx), low.y + static_cast<std::int32_t>(c / nx % ny),
                          low.z + static_cast<std::int32_t>(c / nx / ny)};
    const auto gap = [&](std::int32_t k, double anchor, double from, double to) {
      const double face = anchor + k * cells.edge;
      return fmax(fmax(face - to, from - (face + cells.edge)), 0.0);
    };
    const double dx = gap(index.x, cells.anchor.x, box.low.x, box.high.x),
                 dy = gap(index.y, cells.anchor.y, box.low.y, box.high.y),
                 dz = gap(index.z, cells.anchor.z, box.low.z, box.high.z);
    if (dx * dx + dy * dy + dz * dz > reach * reach * (1 + 1e-9)) return kNoCell;  // faces are rounded
    return cells.grid.find(index);
  }
};

/// What a warp has in shared memory: atoms within reach, packed.
template <class Real, int kPoints>
struct CutoffBatch {
  struct alignas(4 * sizeof(Real)) InPlane {
    Real x, y, charge, unused;
  };
  static constexpr int kRoom = CutoffShape::kBatch + 32;
  InPlane atom[kRoom];
  alignas(16) Real z[kRoom][kPoints];  ///< squared distances from the planes; with a field the distances
};

/// One warp's points.
template <class Real, class Form, class NearForm, bool kField>
class CutoffWarp {
 public:
  static constexpr int kPoints = CutoffShape::kPoints<Real, kField>;
  using Column = PointColumn<Real, kPoints, kField>;
  using Batch = CutoffBatch<Real, kPoints>;

  __device__ CutoffWarp(const MapSlab& slab, const PointBlock& block, const Form& form, const NearForm& near_form,
                        double cutoff, Batch& batch)
      : slab_(slab),
        form_(form),
        near_form_(near_form),
        batch_(batch),
        lane_(threadIdx.x % 32),
        first_plane_(block.low.z),
        box_(slab.box(block)),
        reach2_(cutoff * cutoff * (1 + 1e-9)),  // fp32 may see an atom within that fp64 has outside
        column_(block.low.x + lane_ % kWarpX, block.low.y + lane_ / kWarpX) {
    const Vec3<double> half = 0.5 * (box_.high - box_.low);
    centre_ = std::is_same_v<Real, float> ? box_.low + half : Vec3<double>{};
    margin2_ = slab.nearest + (std::is_same_v<Real, float> ? kNearShare * fmax(half.x, fmax(half.y, half.z)) : 0);
    margin2_ *= margin2_;
    x_ = static_cast<Real>(slab.x(column_.i) - centre_.x);
    y_ = static_cast<Real>(slab.y(column_.j) - centre_.y);
#pragma unroll
    for (int m = 0; m < kPoints; ++m) z_[m] = static_cast<Real>(slab.z(first_plane_ + m) - centre_.z);
  }

  /// All atoms of all cells within reach.
  __device__ void add(const MapCells& cells, double cutoff) {
    const CellsInReach in_reach(cells, box_, cutoff);
    for (std::uint32_t first = 0; first < in_reach.n; first += 32) {
      const std::uint32_t c = in_reach(cells, box_, cutoff, first + lane_);
      std::uint32_t begin = 0, end = 0;
      if (c != kNoCell) begin = cells.grid.cells[c].begin, end = cells.grid.cells[c].end;
      // Lanes hand their atoms on one by one: the n-th of the warp is the one that `place` finds.
      std::uint32_t last = end - begin;  // inclusive prefix sum
#pragma unroll
      for (int step = 1; step < 32; step *= 2) {
        const std::uint32_t other = __shfl_up_sync(0xFFFFFFFFU, last, step);
        if (lane_ >= step) last += other;
      }
      const std::uint32_t n = __shfl_sync(0xFFFFFFFFU, last, 31);
      const std::uint32_t before_begin = begin - (last - (end - begin));  // wraps: place + this = number of the atom
      for (std::uint32_t from = 0; from < n; from += 32) take(cells, from + lane_, n, last, before_begin);
    }
    add_batch();
    column_.write(slab_, first_plane_, 0, slab_.scale);
    if (lane_ == 0) atomicAdd(slab_.evaluations, evaluated_ * 32 * kPoints);
  }

 private:
  /// The atom that stands at `place` in the warp's cells; by all lanes.
  __device__ void take(const MapCells& cells, std::uint32_t place, std::uint32_t n, std::uint32_t last,
                       std::uint32_t before_begin) {
    // The lane whose cell has it: the first whose prefix sum is larger (binary search over lanes).
    int owner = 0;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      if (__shfl_sync(0xFFFFFFFFU, last, owner + step - 1) <= place) owner += step;
    const std::uint32_t number = __shfl_sync(0xFFFFFFFFU, before_begin, owner & 31) + place;
    DeviceCharge atom{{}, 0};
    bool within = place < n, near = false;
    if (within) {
      atom = cells.atoms[number];
      const double d2 = box_.squared_distance(atom.position);
      within = d2 < reach2_;
      near = within && (d2 < margin2_ || d2 > kFarSquare);
    }
    for (std::uint32_t nears = __ballot_sync(0xFFFFFFFFU, near); nears != 0; nears &= nears - 1) {
      const int from = __ffs(nears) - 1;
      const auto of = [from](double v) { return __shfl_sync(0xFFFFFFFFU, v, from); };
      const DeviceCharge one{{of(atom.position.x), of(atom.position.y), of(atom.position.z)}, of(atom.charge)};
      column_.template add_near<true>(slab_, near_form_, one, first_plane_);
      ++evaluated_;
    }
    const bool kept = within && !near;
    const std::uint32_t mask = __ballot_sync(0xFFFFFFFFU, kept);
    if (kept) {
      const Vec3<double> d = atom.position - centre_;
      const int place = n_ + __popc(mask & ((1U << lane_) - 1));
      batch_.atom[place] = {static_cast<Real>(d.x), static_cast<Real>(d.y), static_cast<Real>(atom.charge), 0};
#pragma unroll
      for (int m = 0; m < kPoints; ++m) {
        const Real dz = z_[m] - static_cast<Real>(d.z);
        batch_.z[place][m] = kField ? dz : dz * dz;
      }
    }
    n_ += __popc(mask);
    if (n_ >= CutoffShape::kBatch) add_batch();
  }

  __device__ void add_batch() {
    __syncwarp();
    Real part[Column::kSums][kPoints] = {};
    for (int of_run = 0; of_run < n_; of_run += kSummedInFp32) {
      const int end = min(n_, of_run + kSummedInFp32);
#pragma unroll 2
      for (int a = of_run; a < end; ++a) {
        const auto atom = batch_.atom[a];
        const Real dx = x_ - atom.x, dy = y_ - atom.y;
        const Real xy2 = lane_fma(dx, dx, dy * dy);
#pragma unroll
        for (int m = 0; m < kPoints; ++m) {
          const Real z = batch_.z[a][m];
          const Real r2 = kField ? lane_fma(z, z, xy2) : xy2 + z;
          const auto d = Distance<Real>::from_square(r2);
          const PairTerm<Real> term = form_.template operator()<false>(d);
          if (r2 < form_.cutoff2) {  // one predicate, where a selection would be one more instruction
            part[0][m] = lane_fma(atom.charge, term.energy, part[0][m]);
            if constexpr (kField) {
              const Real f = atom.charge * term.virial * d.r2_inv;
              part[1][m] = lane_fma(f, dx, part[1][m]);
              part[2][m] = lane_fma(f, dy, part[2][m]);
              part[3][m] = lane_fma(f, z, part[3][m]);
            }
          }
        }
      }
      column_.flush(part);
    }
    evaluated_ += n_;
    n_ = 0;
    __syncwarp();
  }

  const MapSlab& slab_;
  const Form& form_;
  const NearForm& near_form_;
  Batch& batch_;
  int lane_;
  std::int32_t first_plane_;
  SpaceBox box_;
  double reach2_, margin2_;
  Vec3<double> centre_;
  Column column_;
  Real x_, y_, z_[kPoints];
  int n_ = 0;  ///< atoms in the batch
  unsigned long long evaluated_ = 0;
};

template <class Real, class Form, class NearForm, bool kField>
__global__ void __launch_bounds__(32 * CutoffShape::kWarps)
    cutoff_kernel(MapSlab slab, Form form, NearForm near_form, double cutoff, MapCells cells) {
  using Warp = CutoffWarp<Real, Form, NearForm, kField>;
  __shared__ typename Warp::Batch batch[CutoffShape::kWarps];
  const PointBlocks blocks{slab.points, {kWarpX, kWarpY, Warp::kPoints}};
  const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * CutoffShape::kWarps + threadIdx.x / 32;
  if (number >= blocks.n_blocks()) return;
  Warp(slab, blocks[number], form, near_form, cutoff, batch[threadIdx.x / 32]).add(cells, cutoff);
}

#endif

}  // namespace dropmd
