#pragma once

#include <type_traits>

#include "device/cuda.cuh"
#include "maps/cells_near_box.h"
#include "maps/map_slab.cuh"

/// Cutoff summation: each warp computes its points with the atoms of the cells within the cutoff.
///
/// A warp has a box of 8 × 4 × kPoints points. It looks up the cells of the neighbour grid within the cutoff of its
/// box, 32 at a time, then their atoms, one per lane. Atoms within the cutoff are packed in shared memory, and all
/// points of the warp then loop over them, so that no lane waits for a longer list of another lane. Cells hold any
/// number of atoms, so there is no overflow.
namespace dropmd {

/// Sizes of the kernel that sums within a cutoff.
struct CutoffShape {
  static constexpr std::int32_t kBatch = 64;  ///< number of atoms from which a batch is summed
  static constexpr std::int32_t kWarps = 4;   ///< per block, side by side along y; they are independent
  template <class Real, bool kField>
  static constexpr int kPoints = std::is_same_v<Real, float> && !kField ? 8 : 4;
};

#if defined(__CUDACC__)

/// Atoms within the cutoff of a warp's box, packed in shared memory.
template <class Real, int kPoints>
struct CutoffBatch {
  struct alignas(4 * sizeof(Real)) InPlane {
    Real x, y, charge;
  };
  static constexpr int kRoom = CutoffShape::kBatch + 32;
  InPlane atom[kRoom];
  /// Squared distances from the planes; with a field the distances.
  alignas(16) Real z[kRoom][kPoints];
};

/// Enumerates the atoms of the cells within the cutoff of a box, 32 at a time. All lanes of a warp must call it.
class AtomsNearBox {
 public:
  __device__ AtomsNearBox(const MapCells& cells, const SpaceBox& box, double cutoff)
      : cells_(cells), near_(cells, box, cutoff), lane_(threadIdx.x % 32) {}

  /// Returns whether there are more; sets `number` to the index of the lane's next atom, or kNone.
  __device__ bool next(std::uint32_t& number) {
    while (next_ >= n_) {
      if (first_ >= near_.n()) return false;
      look_up_cells();
    }
    const std::uint32_t k = next_ + lane_;
    next_ += 32;
    // The lane whose cell contains it: the first whose prefix sum is larger (binary search over lanes).
    int owner = 0;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      if (__shfl_sync(kWarp, last_, owner + step - 1) <= k) owner += step;
    number = __shfl_sync(kWarp, before_begin_, owner & 31) + k;
    if (k >= n_) number = kNone;
    return true;
  }

  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

 private:
  static constexpr unsigned kWarp = 0xFFFFFFFFU;

  /// Looks up the next 32 cells, one per lane.
  __device__ void look_up_cells() {
    const std::uint32_t c = first_ + lane_ < near_.n() ? near_(first_ + lane_) : kNoCell;
    first_ += 32;
    std::uint32_t begin = 0, end = 0;
    if (c != kNoCell) begin = cells_.grid.cells[c].begin, end = cells_.grid.cells[c].end;
    next_ = n_ = 0;
    if (!__any_sync(kWarp, begin < end)) return;
    last_ = end - begin;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const std::uint32_t other = __shfl_up_sync(kWarp, last_, step);
      if (lane_ >= step) last_ += other;
    }
    n_ = __shfl_sync(kWarp, last_, 31);
    before_begin_ = begin - (last_ - (end - begin));
  }

  const MapCells& cells_;
  CellsNearBox near_;
  int lane_;
  std::uint32_t first_ = 0;         ///< first of the cells to look up next
  std::uint32_t next_ = 0, n_ = 0;  ///< among the atoms of the present cells
  std::uint32_t last_ = 0;          ///< inclusive prefix sum of the cells' numbers of atoms
  std::uint32_t before_begin_ = 0;  ///< an atom's index less its number in the present cells; may wrap around
};

/// The points of one warp.
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
        column_(block.low.x + lane_ % kWarpX, block.low.y + lane_ / kWarpX) {
    const Vec3<double> half = 0.5 * (box_.high - box_.low);
    centre_ = std::is_same_v<Real, float> ? box_.low + half : Vec3<double>{};
    const auto offset = [](double x, double from) { return static_cast<Real>(x - from); };
    x_ = offset(slab.x(column_.i), centre_.x);
    y_ = offset(slab.y(column_.j), centre_.y);
#pragma unroll
    for (int m = 0; m < kPoints; ++m) z_[m] = offset(slab.z(first_plane_ + m), centre_.z);
    low_ = {offset(box_.low.x, centre_.x), offset(box_.low.y, centre_.y), offset(box_.low.z, centre_.z)};
    high_ = {offset(box_.high.x, centre_.x), offset(box_.high.y, centre_.y), offset(box_.high.z, centre_.z)};
    // The margin covers what rounding may subtract from the distance between an atom and the box.
    const double largest = fmax(half.x, fmax(half.y, half.z));
    const double share = std::is_same_v<Real, float> ? kNearShare : 0,
                 rounding = std::is_same_v<Real, float> ? 1e-6 : 1e-9;
    const double padded = cutoff + rounding * (cutoff + largest);
    const double margin = slab.nearest + share * largest + rounding * (slab.nearest + largest);
    cutoff2_ = static_cast<Real>(padded * padded);
    margin2_ = static_cast<Real>(margin * margin);
  }

  /// Adds all atoms of all cells within the cutoff.
  __device__ void add(const MapCells& cells, const DeviceCharge* atoms, double cutoff) {
    AtomsNearBox near(cells, box_, cutoff);
    bool more = true;
    while (more) {
      while (n_ < CutoffShape::kBatch) {
        std::uint32_t number;
        more = near.next(number);
        if (!more) break;
        const bool is_there = number != AtomsNearBox::kNone;
        take(is_there ? atoms[number] : DeviceCharge{}, is_there);
      }
      add_batch();
    }
    column_.write(slab_, first_plane_, 0, slab_.scale);
    if (lane_ == 0) atomicAdd(slab_.evaluations, 32ULL * kPoints * evaluated_);
  }

 private:
  static constexpr unsigned kWarp = 0xFFFFFFFFU;

  /// Packs each lane's atom if it is within the cutoff of the box. All lanes must call it.
  __device__ void take(const DeviceCharge& atom, bool is_there) {
    const Vec3<Real> d{static_cast<Real>(atom.position.x - centre_.x), static_cast<Real>(atom.position.y - centre_.y),
                       static_cast<Real>(atom.position.z - centre_.z)};
    const auto gap = [](Real x, Real from, Real to) { return max(max(from - x, x - to), Real(0)); };
    const Real x = gap(d.x, low_.x, high_.x), y = gap(d.y, low_.y, high_.y), z = gap(d.z, low_.z, high_.z);
    const Real d2 = lane_fma(z, z, lane_fma(x, x, y * y));
    const bool is_within = is_there && d2 <= cutoff2_;  // both are infinite if fp32 cannot hold them
    const bool is_near = is_within && (d2 < margin2_ || d2 > static_cast<Real>(kFarSquare));
    for (std::uint32_t nears = __ballot_sync(kWarp, is_near); nears != 0; nears &= nears - 1) {
      const int from = __ffs(nears) - 1;
      const auto of = [from](double v) { return __shfl_sync(kWarp, v, from); };
      const DeviceCharge one{{of(atom.position.x), of(atom.position.y), of(atom.position.z)}, of(atom.charge)};
      column_.template add_near<true>(slab_, near_form_, one, first_plane_);
      ++evaluated_;
    }
    const bool is_kept = is_within && !is_near;
    const std::uint32_t mask = __ballot_sync(kWarp, is_kept);
    if (is_kept) {
      const int at = n_ + __popc(mask & ((1U << lane_) - 1));
      batch_.atom[at] = {d.x, d.y, static_cast<Real>(atom.charge)};
#pragma unroll
      for (int m = 0; m < kPoints; ++m) {
        const Real dz = z_[m] - d.z;
        batch_.z[at][m] = kField ? dz : dz * dz;
      }
    }
    n_ += __popc(mask);
  }

  /// Sums the packed atoms.
  __device__ void add_batch() {
    __syncwarp();
    for (int of_run = 0; of_run < n_; of_run += kSummedInFp32) {
      const int end = min(n_, of_run + kSummedInFp32);
#pragma unroll 4
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
          if (Form::kEndsAtCutoff || r2 < form_.cutoff2)  // a predicate: a selection would cost another instruction
            column_.add_term(m, atom.charge, term, d, dx, dy, z);
        }
      }
      column_.flush();
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
  Vec3<double> centre_;
  Vec3<Real> low_, high_;  ///< the box, relative to centre_
  Real cutoff2_, margin2_;
  Column column_;
  Real x_, y_, z_[kPoints];
  int n_ = 0;                    ///< number of atoms in the batch
  std::uint32_t evaluated_ = 0;  ///< number of atoms
};

template <class Real, class Form, class NearForm, bool kField>
__global__ void __launch_bounds__(32 * CutoffShape::kWarps)
    cutoff_kernel(MapSlab slab, const __grid_constant__ Form form, const __grid_constant__ NearForm near_form,
                  double cutoff, MapCells cells, const DeviceCharge* atoms) {
  using Warp = CutoffWarp<Real, Form, NearForm, kField>;
  __shared__ typename Warp::Batch batch[CutoffShape::kWarps];
  const PointBlocks blocks{slab.points, {kWarpX, kWarpY, Warp::kPoints}};
  const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * CutoffShape::kWarps + threadIdx.x / 32;
  if (number >= blocks.n_blocks()) return;
  Warp(slab, blocks[number], form, near_form, cutoff, batch[threadIdx.x / 32]).add(cells, atoms, cutoff);
}

#endif

}  // namespace dropmd
