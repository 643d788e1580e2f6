#include "core/errors.h"
#include "device/timer.cuh"
#include "forces/pair/pair_term.h"
#include "maps/designs/map_designs.cuh"
#include "maps/float_map.cuh"
#include "maps/point_block.h"

/// Direct Coulomb summation in steps of optimisation, as in D. B. Kirk, W. W. Hwu and I. El Hajj, Programming Massively
/// Parallel Processors, 4th edition, chapter 18 (2022), and J. E. Stone et al., J. Comput. Chem. 28, 2618 (2007);
/// written for this project. Positions are fp32 offsets from the middle of the grid.
namespace dropmd {

namespace {

/// maps/designs/map_design.cpp has the operations and accesses of each.
enum class Rung { scatter, gather, gather_constant, coarsened, coalesced };

struct alignas(16) LadderAtom {
  float x, y, z, charge;
};

struct LadderView {
  Vec3<double> first, spacing;  ///< first point, relative to the middle of the grid
  Vec3<std::int32_t> points;
  float nearest2;    ///< d_min²
  float* potential;  ///< [n_points], which the kernels add to

  __device__ float x(std::int32_t i) const { return static_cast<float>(first.x + i * spacing.x); }
  __device__ float y(std::int32_t j) const { return static_cast<float>(first.y + j * spacing.y); }
  __device__ float z(std::int32_t k) const { return static_cast<float>(first.z + k * spacing.z); }
  DROPMD_HOST_DEVICE std::size_t row(std::int32_t j, std::int32_t k) const {
    return (static_cast<std::size_t>(k) * points.y + j) * points.x;
  }
};

/// 64,000 bytes of the 64 KiB; used by one map at a time.
constexpr std::uint32_t kChunk = 4000;
__constant__ LadderAtom atom_chunk[kChunk];

constexpr int kScatterThreads = 256;
constexpr std::int32_t kRow = 32, kRows = 4;  ///< threads of a block along x and y
constexpr int kCoarse = 4;                    ///< points per thread, if it has several

/// Scatter: one thread per atom. Several threads add to a point at the same time, by atomic additions in any order.
__global__ void scatter_kernel(LadderView view, const LadderAtom* atoms, std::uint32_t n_atoms) {
  const std::uint32_t a = blockIdx.x * kScatterThreads + threadIdx.x;
  if (a >= n_atoms) return;
  const LadderAtom atom = atoms[a];
  const float x0 = view.x(0), step = static_cast<float>(view.spacing.x);
  for (auto k = static_cast<std::int32_t>(blockIdx.y); k < view.points.z; k += static_cast<std::int32_t>(gridDim.y)) {
    const float dz = view.z(k) - atom.z;
    for (std::int32_t j = 0; j < view.points.y; ++j) {
      const float dy = view.y(j) - atom.y;
      const float yz2 = lane_fma(dy, dy, dz * dz);
      float* const row = view.potential + view.row(j, k);
      for (std::int32_t i = 0; i < view.points.x; ++i) {
        const float dx = lane_fma(static_cast<float>(i), step, x0) - atom.x;
        atomicAdd(row + i, atom.charge * lane_rsqrt(fmaxf(lane_fma(dx, dx, yz2), view.nearest2)));
      }
    }
  }
}

/// Gather: one thread per point, or per kPoints points of a row, which share the squares of distances along y and z and
/// the atom's words. If a thread's points are neighbours in a row, the writes of neighbouring threads leave gaps; with
/// kCoalesced a thread's points are a warp's width apart. kConstant: atoms are in constant memory, which a warp reads
/// once.
template <bool kConstant, int kPoints, bool kCoalesced>
__global__ void gather_kernel(LadderView view, const LadderAtom* atoms, std::uint32_t n_atoms) {
  const PointBlock block = PointBlocks{view.points, {kRow * kPoints, kRows, 1}}[blockIdx.x];
  const auto column = static_cast<std::int32_t>(threadIdx.x);
  const auto i = [&](int m) { return block.low.x + (kCoalesced ? column + m * kRow : column * kPoints + m); };
  const std::int32_t j = block.low.y + static_cast<std::int32_t>(threadIdx.y), k = block.low.z;
  const float y = view.y(j), z = view.z(k);
  float x[kPoints], sum[kPoints] = {};
#pragma unroll
  for (int m = 0; m < kPoints; ++m) x[m] = view.x(i(m));
  for (std::uint32_t a = 0; a < n_atoms; ++a) {
    const LadderAtom atom = kConstant ? atom_chunk[a] : atoms[a];
    const float dy = y - atom.y, dz = z - atom.z;
    const float yz2 = lane_fma(dy, dy, dz * dz);
#pragma unroll
    for (int m = 0; m < kPoints; ++m) {
      const float dx = x[m] - atom.x;
      sum[m] = lane_fma(atom.charge, lane_rsqrt(fmaxf(lane_fma(dx, dx, yz2), view.nearest2)), sum[m]);
    }
  }
  if (j >= view.points.y) return;
#pragma unroll
  for (int m = 0; m < kPoints; ++m)
    if (i(m) < view.points.x) view.potential[view.row(j, k) + i(m)] += sum[m];
}

template <Rung kRung>
class LadderMap final : public DesignMapSum {
 public:
  LadderMap(int device, const MapModel& model) : model_(model), stream_(device) {}

  MapValues compute(const MapGrid& grid, MapCharges charges, const MapProgress& progress) override {
    stream_.activate();
    const Vec3<double> half = 0.5 * (grid.at(grid.points.x - 1, grid.points.y - 1, grid.points.z - 1) - grid.origin);
    const std::vector<LadderAtom> atoms = atoms_round(grid.origin + half, charges);
    const LadderView view{-half, grid.spacing, grid.points, static_cast<float>(model_.nearest * model_.nearest),
                          map_.clear(grid.n_points())};
    if constexpr (!kConstant) d_atoms_.upload(atoms);
    MapValues values;
    timer_.start(stream_);
    const std::size_t chunk = kConstant ? kChunk : std::max<std::size_t>(1, atoms.size());
    for (std::size_t first = 0; first < atoms.size(); first += chunk) {
      const std::size_t n = std::min(chunk, atoms.size() - first);
      if constexpr (kConstant)
        DROPMD_CUDA(cudaMemcpyToSymbolAsync(atom_chunk, atoms.data() + first, n * sizeof(LadderAtom), 0,
                                            cudaMemcpyHostToDevice, stream_.get()),
                    "copying charges to constant memory");
      values.evaluations += n * launch(view, static_cast<std::uint32_t>(n));
    }
    timer_.stop(stream_);
    values.potential = map_.fetch(model_.coulomb_constant);
    seconds_ = timer_.seconds();
    if (progress && !progress(grid.n_points(), grid.n_points())) throw MapStopped{};
    return values;
  }

  double device_seconds() const override { return seconds_; }

 private:
  static constexpr bool kConstant = kRung >= Rung::gather_constant;

  static std::vector<LadderAtom> atoms_round(const Vec3<double>& middle, MapCharges charges) {
    std::vector<LadderAtom> atoms;
    for (std::size_t i = 0; i < charges.charge.size(); ++i) {
      if (charges.charge[i] == 0) continue;
      const Vec3<double> d = charges.position[i] - middle;
      atoms.push_back({static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z),
                       static_cast<float>(charges.charge[i])});
    }
    return atoms;
  }

  /// Returns the number of points that each atom was summed for, including those of idle threads.
  std::uint64_t launch(const LadderView& view, std::uint32_t n_atoms) {
    if constexpr (kRung == Rung::scatter) {
      const dim3 shape((n_atoms + kScatterThreads - 1) / kScatterThreads,
                       static_cast<std::uint32_t>(std::min(view.points.z, 65535)));
      scatter_kernel<<<shape, kScatterThreads, 0, stream_.get()>>>(view, d_atoms_.data(), n_atoms);
      DROPMD_CUDA_LAUNCHED("scattering charges to a potential map");
      return static_cast<std::uint64_t>(view.row(0, view.points.z));
    } else {
      constexpr int kPoints = kRung >= Rung::coarsened ? kCoarse : 1;
      const std::int64_t n_blocks = PointBlocks{view.points, {kRow * kPoints, kRows, 1}}.n_blocks();
      gather_kernel<kConstant, kPoints, kRung == Rung::coalesced>
          <<<static_cast<std::uint32_t>(n_blocks), dim3(kRow, kRows), 0, stream_.get()>>>(view, d_atoms_.data(),
                                                                                          n_atoms);
      DROPMD_CUDA_LAUNCHED("computing a potential map");
      return static_cast<std::uint64_t>(n_blocks) * kRow * kPoints * kRows;
    }
  }

  MapModel model_;
  Stream stream_;
  FloatMap map_{stream_};
  Timer timer_;
  double seconds_ = 0;
  DeviceBuffer<LadderAtom> d_atoms_{stream_};
};

}  // namespace

std::unique_ptr<DesignMapSum> make_ladder_map(std::string_view name, int device, const MapModel& model) {
  if (name == "scatter") return std::make_unique<LadderMap<Rung::scatter>>(device, model);
  if (name == "gather") return std::make_unique<LadderMap<Rung::gather>>(device, model);
  if (name == "gather-constant") return std::make_unique<LadderMap<Rung::gather_constant>>(device, model);
  if (name == "coarsened") return std::make_unique<LadderMap<Rung::coarsened>>(device, model);
  return std::make_unique<LadderMap<Rung::coalesced>>(device, model);
}

}  // namespace dropmd
